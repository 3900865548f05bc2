import { expect } from 'chai';
import { type CallWindow, LastCalls, RecentCalls } from '../src/callwindow.js';
import { AsyncSteps, Breaker, type IAsyncSteps, VirtualTool, sync, step } from '../src/index.js';
import { bench, thrownBy } from './bench.js';
import { chanceOf } from './chance.js';

const fails = (asi: IAsyncSteps) => asi.error('E', 'why');
const waits = (asi: IAsyncSteps) => void asi.waitExternal();

describe('Breaker', () => {
  it('a bad option of a breaker throws to the caller', () => {
    const one = 'expected a whole number from 1 to 2^53 - 1';
    const rate = 'Breaker: rate: expected a number above 0, at most 1';
    const bad: [() => unknown, string][] = [
      [() => new Breaker({ rate: 0 }), `${rate}, got 0`],
      [() => new Breaker({ rate: 50 }), `${rate}, got 50`],
      [
        () => new Breaker({ calls: 1_000_001 }),
        'Breaker: calls: expected a whole number from 1 to 1000000, got 1000001',
      ],
      [
        () => new Breaker({ calls: 5, period: 5 }),
        'Breaker: calls: expected no period beside it, got 5',
      ],
      [
        () => new Breaker({ calls: 5, minCalls: 6 }),
        'Breaker: minCalls: expected a whole number from 1 to 5, got 6',
      ],
      [() => new Breaker({ openFor: 0 }), `openFor: ${one}, got 0`],
      [() => new Breaker({ probes: 0 }), `probes: ${one}, got 0`],
      [() => new Breaker({ on: ['E'] as never }), 'Breaker: on: expected a function'],
      [
        () => new Breaker({ maxWait: 1 } as never),
        "Breaker: expected one of rate calls period minCalls openFor probes on maxQueue name, got 'maxWait'",
      ],
      [
        () => new Breaker({ maxQueue: -1 }),
        'Breaker: maxQueue: expected a whole number from 0 to 2^53 - 1, or Infinity, got -1',
      ],
    ];
    for (const [make, info] of bad) {
      const error = thrownBy(make);
      expect(error.code).to.equal('InternalError');
      expect(error.info).to.contain(info);
    }
  });

  it('a refusal of a breaker says its name, and when to come again', async () => {
    const { tool, flow, run } = bench();
    const breaker = new Breaker({ minCalls: 1, openFor: 100, name: 'db' });
    flow.sync(breaker, fails);
    await run();
    await tool.advance(30);
    const other = new AsyncSteps({ tool, unhandled: () => {} }).sync(breaker, fails);
    const end: any = await new Promise((done) => {
      other.execute(done);
      void tool.run();
    });
    expect(end.error.info).to.equal("breaker 'db': it is open");
    expect(end.error.retry_after).to.equal(70);
    expect([breaker.name, breaker.waiting]).to.deep.equal(['db', 0]);
  });

  it('who waits for a probe that fails is refused with the name, and when to come again', async () => {
    const { tool, flow, run } = bench();
    const breaker = new Breaker({ minCalls: 1, openFor: 100, name: 'db' });
    flow.sync(breaker, fails);
    await run();
    await tool.advance(100);
    const probe = new AsyncSteps({ tool, unhandled: () => {} });
    probe.sync(breaker, (asi) => {
      asi.setTimeout(5);
      asi.waitExternal();
    });
    probe.execute();
    let end: any;
    const other = new AsyncSteps({ tool, unhandled: () => {}, captureStacks: true });
    other.sync(breaker, waits).execute((how) => (end = how));
    await tool.advance(4);
    expect([breaker.waiting, breaker.active, end]).to.deep.equal([1, 1, undefined]);
    await tool.advance(1);
    expect([breaker.waiting, breaker.active, breaker.state]).to.deep.equal([0, 0, 'open']);
    const { code, info, retry_after } = end.error;
    expect([code, info, retry_after]).to.deep.equal([
      'DefenseRejected',
      "breaker 'db': it is open",
      100,
    ]);
  });

  it('on may cancel who waits for its probe, and who is left hears of it', async () => {
    const { tool, flow, run } = bench({ unhandled: () => {} });
    const ends: string[] = [];
    const others = [1, 2].map(() => new AsyncSteps({ tool, unhandled: () => {} }));
    const on = () => {
      others[0]!.cancel();
      return true;
    };
    const breaker = new Breaker({ minCalls: 1, openFor: 10, on });
    flow.sync(breaker, fails);
    await run();
    await tool.advance(10);
    const probe = new AsyncSteps({ tool, unhandled: () => {} }).sync(breaker, (asi) => {
      asi.setTimeout(5);
      asi.waitExternal();
    });
    probe.execute();
    for (const other of others)
      other.sync(breaker, waits).execute((end: any) => ends.push(end.error?.code ?? end.kind));
    await tool.advance(4);
    expect(breaker.waiting).to.equal(2);
    await tool.advance(1);
    expect(ends.sort()).to.deep.equal(['DefenseRejected', 'cancelled']);
    expect([breaker.waiting, breaker.active, breaker.state]).to.deep.equal([0, 0, 'open']);
  });

  it('on gets the code, and what was thrown', async () => {
    const asked: unknown[][] = [];
    const on = (...given: [string, unknown]) => asked.push(given) === 0;
    const breaker = new Breaker({ minCalls: 1, on });
    const thrown = Object.assign(new Error('no'), { code: 'ECONNREFUSED' });
    for (const body of [fails, () => Promise.reject(thrown)]) {
      const { flow, run } = bench();
      flow.sync(breaker, body as never);
      await run();
    }
    expect(asked.map(([code]) => code)).to.deep.equal(['E', 'ECONNREFUSED']);
    expect((asked[0]![1] as any).info).to.equal('why');
    expect(asked[1]![1]).to.equal(thrown);
    expect(breaker.state).to.equal('closed');
  });

  it('an answer of on that is neither true nor false is reported, and the section a failure', async () => {
    for (const answer of [undefined, 1, 'no', Promise.resolve(false)]) {
      const { flow, run, told } = bench({ unhandled: () => {} });
      const breaker = new Breaker({ minCalls: 1, on: () => answer as never });
      flow.sync(breaker, fails);
      expect(((await run()) as any).code).to.equal('E');
      expect(told).to.deep.equal(['report InternalError']);
      expect(breaker.state).to.equal('open');
    }
  });

  it('on isn’t asked for what does not count', async () => {
    const { tool, flow } = bench({ unhandled: () => {} });
    let asked = 0;
    const breaker = new Breaker({ minCalls: 1, openFor: 10, on: () => ++asked > 0 });
    const late = new AsyncSteps({ tool, unhandled: () => {} });
    late.sync(breaker, (asi) => {
      asi.setTimeout(5);
      asi.waitExternal();
    });
    const cancelled = new AsyncSteps({ tool }).sync(breaker, waits);
    for (const each of [late, cancelled, flow.sync(breaker, fails)]) each.execute();
    await tool.advance(1);
    cancelled.cancel();
    await tool.run();
    expect([asked, breaker.state, breaker.active]).to.deep.equal([1, 'open', 0]);
  });

  it('on may cancel its own flow, and others', async () => {
    const { tool, flow, run } = bench();
    const other = new AsyncSteps({ tool });
    let told = '';
    other.add(waits).execute((end) => (told = end.kind));
    const on = () => {
      other.cancel();
      flow.cancel('enough');
      return true;
    };
    const breaker = new Breaker({ minCalls: 1, on });
    let handled = false;
    flow.add(
      (asi) => asi.sync(breaker, fails),
      () => void (handled = true),
    );
    const end: any = await run();
    expect([end.kind, end.reason, told, handled]).to.deep.equal([
      'cancelled',
      'enough',
      'cancelled',
      false,
    ]);
    expect([breaker.state, breaker.active]).to.deep.equal(['open', 0]);
  });

  it('half-open begins by the clock of whoever locks, and from outside of who has opened it', async () => {
    const [a, b] = [new VirtualTool(), new VirtualTool()];
    const breaker = new Breaker({ minCalls: 1, openFor: 10 });
    const lock = async (tool: VirtualTool, body: (asi: IAsyncSteps) => unknown) => {
      new AsyncSteps({ tool, unhandled: () => {} }).sync(breaker, body as never).execute();
      await tool.advance(0);
    };
    await a.advance(5);
    await lock(a, fails);
    await b.advance(14);
    let entered = 0;
    await lock(b, () => entered++ > 0);
    expect([breaker.state, entered]).to.deep.equal(['open', 0]);
    await b.advance(1);
    expect(breaker.state).to.equal('open');
    await lock(b, () => entered++ > 0);
    expect([breaker.state, entered]).to.deep.equal(['closed', 1]);
  });

  it('a deadline inside counts, a fallback outside does not', async () => {
    const { tool } = bench();
    const breaker = new Breaker({ minCalls: 1 });
    const asked = sync(breaker, step(waits).timeout(5)).onError((asi) => asi.success());
    let end: any;
    new AsyncSteps({ tool }).add(asked).execute((how) => (end = how));
    await tool.run();
    expect([end.kind, breaker.state]).to.deep.equal(['ok', 'open']);
  });

  it('a window of calls is that of the last ones', () => {
    for (let seed = 1; seed <= 50; seed++) {
      const chance = chanceOf(seed);
      const most = 1 + chance(7);
      check(seed, new LastCalls(most), (all) => all.slice(-most));
    }
  });

  it('a window of time is that of its slices', () => {
    for (let seed = 1; seed <= 50; seed++) {
      const period = 1 + chanceOf(seed)(40);
      const slice = Math.ceil(period / 10);
      const sliceOf = ({ at }: Call) => Math.floor(at / slice);
      check(seed, new RecentCalls(period), (all) =>
        all.filter((call) => sliceOf(all.at(-1)!) - sliceOf(call) < Math.ceil(period / slice)),
      );
    }
  });

  it('time that goes back belongs to the latest slice', () => {
    const window = new RecentCalls(100);
    window.count(true, 1000);
    window.count(true, 0);
    window.count(false, 1099);
    expect([window.calls, window.failures]).to.deep.equal([3, 2]);
    window.count(false, 1100);
    expect([window.calls, window.failures]).to.deep.equal([2, 0]);
  });
});

interface Call {
  at: number;
  failed: boolean;
}

/** That it counts what a list of all calls has, with rests of any length, and after it was emptied. */
function check(seed: number, window: CallWindow, wanted: (all: Call[]) => Call[]): void {
  const chance = chanceOf(seed + 1000);
  let all: Call[] = [];
  let at = chance(3) * 1_000_000;
  for (let i = 0; i < 200; i++) {
    if (chance(60) === 0) {
      window.clear();
      all = [];
    }
    at += chance(20) === 0 ? chance(200) : chance(4);
    all.push({ at, failed: chance(2) === 0 });
    window.count(all.at(-1)!.failed, at);
    const calls = wanted(all);
    const failures = calls.filter(({ failed }) => failed).length;
    expect([window.calls, window.failures], `seed ${seed}, call ${i}`).to.deep.equal([
      calls.length,
      failures,
    ]);
  }
}
