import { expect } from 'chai';
import { type IAsyncSteps, VirtualTool } from '../src/index.js';
import { bench } from './bench.js';

const MILLION = 1_000_000;

/** Adds a step that adds a step ... `depth` times; the innermost one does `last`. */
function nest(asi: IAsyncSteps, depth: number, last: (asi: IAsyncSteps) => void): void {
  let left = depth;
  const body = (inner: IAsyncSteps): void => {
    if (--left === 0) last(inner);
    else inner.add(body);
  };
  asi.add(body);
}

const wide = { burst: 100_000 };

describe('depth', function () {
  this.timeout(60_000);

  it('a million nested levels run', async () => {
    const { flow, run } = bench(wide);
    flow.add((asi) => nest(asi, MILLION, (last) => last.success('deep')));
    expect((await run())?.values).to.deep.equal(['deep']);
  });

  it('ten million steps in a row run', async () => {
    const { flow, run } = bench(wide);
    let steps = 0;
    const step = () => void steps++;
    flow.repeat(10_000, (asi) => {
      for (let i = 0; i < 1000; i++) asi.add(step);
    });
    expect((await run())?.kind).to.equal('ok');
    expect(steps).to.equal(10 * MILLION);
  });

  it('a million nested levels unwind, cancel and are dropped without recursion', async () => {
    const failing = bench(wide);
    let handlers = 0;
    let left = MILLION;
    const body = (asi: IAsyncSteps): void => {
      if (--left === 0) asi.error('E');
      else asi.add(body, () => void handlers++);
    };
    failing.flow.add(body);
    expect((await failing.run())?.code).to.equal('E');
    expect(handlers).to.equal(MILLION - 1);

    const cancelled = bench(wide);
    cancelled.flow.add((asi) => nest(asi, MILLION, (last) => void last.waitExternal()));
    cancelled.tool.deferred(10_000, () => cancelled.flow.cancel());
    expect((await cancelled.run())?.kind).to.equal('cancelled');

    const late = bench(wide);
    late.flow.add((asi) => {
      asi.setTimeout(10_000);
      nest(asi, MILLION, (last) => void last.waitExternal());
    });
    expect((await late.run())?.code).to.equal('Timeout');
  });

  it('a hundred thousand parallels in each other end, fail and are cancelled', async () => {
    for (const end of ['success', 'error', 'waitExternal'] as const) {
      const tool = new VirtualTool();
      const { flow } = bench({ tool });
      let left = 100_000;
      const body = (asi: IAsyncSteps): void => {
        if (--left === 0) asi[end]('E');
        else asi.parallel().add(body);
      };
      flow.add(body);
      let kind: string | undefined;
      flow.execute((outcome) => {
        kind = outcome.kind;
      });
      tool.deferred(1_000_000, () => flow.cancel());
      await tool.run();
      const kinds = { success: 'ok', error: 'error', waitExternal: 'cancelled' };
      expect(kind).to.equal(kinds[end]);
    }
  });

  it('a path of a million elements is built when it is asked for', async () => {
    const { flow, run } = bench(wide);
    flow.add((asi) => nest(asi, MILLION, (last) => last.error('E')));
    const { error } = (await run()) as { error: { path: string } };
    expect(error.path.length).to.equal(2 * MILLION + 1);
  });
});
