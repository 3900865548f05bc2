import { expect } from 'chai';
import {
  all,
  AsyncSteps,
  AsyncTool,
  delay,
  type IAsyncSteps,
  Metrics,
  type MetricsRead,
  Mutex,
  observe,
  retry,
  run,
  step,
  sync,
  Throttle,
} from '../src/index.js';
import { bench, thrownBy } from './bench.js';

const nothing = () => {};
const wait = (asi: IAsyncSteps) => void asi.waitExternal();

/** What doesn't depend on the clock. */
function counted({ turn: _, lag: __, ...rest }: MetricsRead): unknown {
  return rest;
}

describe('Metrics', () => {
  it('counts flows, steps, turns and errors from when it was made', async () => {
    const { tool, flow } = bench({ unhandled: nothing });
    const before = new AsyncSteps({ tool });
    before.add(wait).execute();
    await tool.run();
    const metrics = new Metrics(tool);
    expect(counted(metrics.read())).to.deep.equal({
      alive: 1,
      begun: 0,
      ended: { ok: 0, error: 0, cancelled: 0 },
      opened: 0,
      errors: {},
      turns: 0,
      guards: [],
    });
    flow.add((asi) => void asi.add(delay(5)).add((inner) => inner.error('Broken')));
    flow.execute();
    const waiting = new AsyncSteps({ tool }).add(wait);
    waiting.execute();
    await tool.run();
    before.cancel();
    const ended = run(nothing, { tool });
    await tool.run();
    await ended;
    expect(counted(metrics.read())).to.deep.equal({
      alive: 1,
      begun: 3,
      ended: { ok: 1, error: 1, cancelled: 1 },
      opened: 5,
      errors: { Broken: 1 },
      turns: 4,
      guards: [],
    });
    waiting.cancel();
    expect(metrics.read().alive).to.equal(0);
  });

  it('an error counts once on its way outwards, also if it is recovered', async () => {
    const { tool, flow, run: runs } = bench();
    const metrics = new Metrics(tool);
    const deep = (asi: IAsyncSteps) =>
      void asi.add((one) => void one.add((two) => two.error('Deep')));
    flow.add(deep, (asi) => asi.success());
    flow.add(deep, (asi) => asi.error('Other'));
    expect(await runs()).to.deep.include({ kind: 'error', code: 'Other' });
    expect(metrics.read().errors).to.deep.equal({ Deep: 2, Other: 1 });
    flow.add(
      (asi) => asi.error('Own'),
      (asi) => void asi.add((inner) => inner.error('Own')),
    );
    expect(await runs()).to.deep.include({ kind: 'error', code: 'Own' });
    expect(metrics.read().errors).to.deep.equal({ Deep: 2, Other: 1, Own: 2 });
  });

  it('each attempt and each branch that fails counts', async () => {
    const { tool, flow, run: runs } = bench();
    const metrics = new Metrics(tool);
    flow.add(
      retry({ max: 3, backoff: { base: 1 } }, (asi) => asi.error('Again')),
      (asi) => asi.success(),
    );
    flow.add(
      all(
        step((asi) => asi.add(delay(1)).setTimeout(0)),
        delay(9),
      ),
      (asi) => asi.success(),
    );
    await runs();
    expect(metrics.read().errors).to.deep.equal({ Again: 3, Timeout: 1 });
  });

  it('behind a thousand codes the rest has one entry', async () => {
    const { tool, flow, run: runs } = bench();
    const metrics = new Metrics(tool);
    flow.repeat(1003, (asi, i) => {
      asi.add(
        (inner) => inner.error(i < 2 ? '__proto__' : `Code${i}`),
        (handler) => handler.success(),
      );
    });
    await runs();
    const { errors } = metrics.read();
    expect(Object.keys(errors)).to.have.lengthOf(1001);
    expect(Object.entries(errors)[0]).to.deep.equal(['__proto__', 2]);
    expect(errors['other']).to.equal(2);
  });

  it('shows the queues of the guards that lines have or wait for', async () => {
    const { tool, flow } = bench();
    const metrics = new Metrics(tool);
    const mutex = new Mutex({ name: 'db' });
    const throttle = new Throttle({ max: 1, period: 10, maxQueue: 5 });
    flow.add(
      all(sync(mutex, wait), sync(mutex, nothing), sync(throttle, wait), sync(throttle, nothing)),
    );
    flow.execute();
    await tool.advance(0);
    expect(metrics.read().guards).to.deep.equal([
      { kind: 'mutex', name: 'db', waiting: 1, active: 1, available: 0 },
      { kind: 'throttle', name: '', waiting: 1 },
    ]);
    flow.cancel();
    expect(metrics.read().guards).to.deep.equal([]);
  });

  it('measures turns, and how long others wait meanwhile, by the real clock', async () => {
    const tool = new AsyncTool();
    const metrics = new Metrics(tool);
    const busy = () => {
      for (const end = performance.now() + 20; performance.now() < end;);
    };
    await run(busy, { tool });
    await new Promise((resolve) => setImmediate(resolve));
    const { turn, lag } = metrics.read();
    expect(turn.max).to.be.at.least(20);
    expect(turn.sum).to.be.at.least(turn.max);
    expect(lag.count).to.equal(1);
    expect(lag.max).to.be.at.least(20);
    expect(lag.sum).to.equal(lag.max);
    const later = metrics.read();
    expect([later.turn.max, later.lag.max]).to.deep.equal([0, 0]);
    expect([later.turn.sum, later.lag.sum]).to.deep.equal([turn.sum, lag.sum]);
  });

  it('counts no more when it is cancelled, and pays nothing then', async () => {
    const { tool, flow } = bench();
    const metrics = new Metrics(tool);
    const other = new Metrics(tool);
    flow.add(nothing).execute();
    await tool.run();
    expect(metrics.valid()).to.equal(true);
    metrics.cancel();
    expect(metrics.valid()).to.equal(false);
    flow.add(nothing).execute();
    await tool.run();
    expect(metrics.read().begun).to.equal(1);
    expect(other.read().begun).to.equal(2);
    other.cancel();
    expect(tool.watching).to.equal(null);
  });

  it('counts no lag that it was cancelled before', async () => {
    const tool = new AsyncTool();
    const metrics = new Metrics(tool);
    await run(nothing, { tool });
    metrics.cancel();
    await new Promise((resolve) => setImmediate(resolve));
    expect(metrics.read().turns).to.equal(1);
    expect(metrics.read().lag).to.deep.equal({ count: 0, sum: 0, max: 0 });
  });

  it('figures may begin at each event, and know then how many flows run', async () => {
    for (let at = 0; ; at++) {
      const { tool, flow, run: runs } = bench();
      const other = new AsyncSteps({ tool }).add(nothing);
      const last = new AsyncSteps({ tool }).add(nothing);
      flow.add(
        (asi) => void asi.add(delay(1)).add((inner) => inner.error('E')),
        (asi) => asi.success(),
      );
      flow.add(all(delay(1), nothing));
      const executed = new Set<AsyncSteps>();
      const execute = (one: AsyncSteps) => {
        if (executed.size < executed.add(one).size) one.execute();
      };
      let seen = 0;
      let running = 0;
      let metrics: Metrics | undefined;
      const watching = observe(tool, ({ what }) => {
        if (what === 'begun') running++;
        if (what === 'ended') running--;
        if (what === 'closed') execute(other);
        if (what === 'ended') execute(last);
        if (seen++ === at) metrics = new Metrics(tool);
      });
      expect(await runs()).to.include({ kind: 'ok' });
      watching.cancel();
      expect(running).to.equal(0);
      if (metrics === undefined) {
        expect(at).to.be.greaterThan(20);
        break;
      }
      expect(metrics.read().alive, `${at}`).to.equal(0);
    }
  });

  it('what is no tool is refused at the call', () => {
    expect(thrownBy(() => new Metrics({} as never))).to.deep.include({ code: 'InternalError' });
  });
});
