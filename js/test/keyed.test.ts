import { expect } from 'chai';
import {
  AsyncSteps,
  Breaker,
  Gate,
  type Guard,
  type IAsyncSteps,
  Keyed,
  Limiter,
  Mutex,
  RwLock,
  step,
  sync,
  Throttle,
  VirtualTool,
} from '../src/index.js';
import { bench, thrownBy } from './bench.js';

const nothing = (): void => {};
const waits = (asi: IAsyncSteps) => void asi.waitExternal();

describe('Keyed', () => {
  it('a Keyed needs a function', () => {
    const error = thrownBy(() => new Keyed(new Mutex() as never));
    expect(error.code).to.equal('InternalError');
    expect(error.info).to.contain('Keyed: expected a function');
  });

  it('what make gives has to be a guard that knows when it is as new', async () => {
    const own = { lock: nothing, unlock: nothing };
    const bad = [own, new RwLock().read, new Gate(), new Mutex().places(1), Promise.resolve(), 0];
    for (const made of bad) {
      const { flow, run } = bench();
      const keyed = new Keyed(() => made as never);
      flow.sync(keyed.of(1), nothing);
      const end: any = await run();
      expect(end.code).to.equal('InternalError');
      expect(end.error.info).to.contain(
        'Keyed: make: expected a Mutex, Throttle, Limiter or Breaker, got ',
      );
      expect(keyed.size).to.equal(0);
    }
  });

  it('what make throws is what the section fails with, and its handler does not hear of it', async () => {
    const { flow, run } = bench();
    const mistake = new Error('no such user');
    const keyed = new Keyed((): Mutex => {
      throw mistake;
    });
    flow.sync(keyed.of('a'), nothing, (asi) => asi.success());
    const end: any = await run();
    expect(end.error).to.equal(mistake);
  });

  it('a flow that is cancelled in make leaves no guard, and runs no body', async () => {
    const { tool, flow } = bench();
    let ran = false;
    const keyed = new Keyed(() => {
      flow.cancel();
      return new Mutex();
    });
    flow.sync(keyed.of('a'), () => {
      ran = true;
    });
    flow.execute();
    await tool.run();
    expect([ran, keyed.size]).to.deep.equal([false, 0]);
  });

  it('keys are told apart as those of a Map, and one guard is made for a key', async () => {
    const made: unknown[] = [];
    const keyed = new Keyed((key: unknown) => {
      made.push(key);
      return new Mutex({ max: 5 });
    });
    const [one, other] = [{ id: 1 }, { id: 1 }];
    const { tool } = bench();
    const flows = [one, one, other, NaN, NaN].map((key) =>
      new AsyncSteps({ tool }).add(sync(keyed.of(key), step(waits))),
    );
    for (const flow of flows) flow.execute();
    await tool.run();
    expect(made).to.deep.equal([one, other, NaN]);
    expect([keyed.size, keyed.get(one)?.active, keyed.get(NaN)?.active]).to.deep.equal([3, 2, 2]);
    for (const flow of flows) flow.cancel();
    expect(keyed.size).to.equal(0);
  });

  it('a section waits for the guard of its key, whoever has asked for it', async () => {
    const keyed = new Keyed(() => new Limiter({ concurrent: 1 }));
    const guard: Guard = keyed.of('a');
    const tool = new VirtualTool();
    const flows = [guard, keyed.of('a'), guard].map((of) =>
      new AsyncSteps({ tool }).sync(of, waits),
    );
    for (const flow of flows) flow.execute();
    await tool.run();
    expect([guard.waiting, keyed.get('a')!.waiting, keyed.of('b').waiting]).to.deep.equal([
      2, 2, 0,
    ]);
    for (const flow of flows) flow.cancel();
    expect([guard.waiting, keyed.size]).to.deep.equal([0, 0]);
  });

  it('a million keys leave no guard behind', async () => {
    const { flow, run } = bench();
    const keyed = new Keyed(() => new Mutex());
    let most = 0;
    flow.repeat(1_000_000, (asi, i) => {
      asi.sync(keyed.of(i), () => {
        most = Math.max(most, keyed.size);
      });
    });
    await run();
    expect([most, keyed.size]).to.deep.equal([1, 0]);
  });

  for (const [what, make] of [
    ['throttles', () => new Throttle({ max: 2, period: 100 })],
    ['limiters', () => new Limiter({ concurrent: 1, rate: 2, period: 100, burst: 1 })],
    ['breakers', () => new Breaker({ period: 50 })],
  ] as [string, () => Throttle][]) {
    it(`of ${what} for 100,000 keys there are as many as twice those in use`, async () => {
      const { tool } = bench();
      const keyed = new Keyed(make);
      const flow = new AsyncSteps({ tool, burst: 1000 });
      let most = 0;
      // In each millisecond ten keys come that never come again, so at most 1,010 remember something.
      flow.repeat(100_000, (asi, i) => {
        asi.sync(keyed.of(i), nothing);
        if (i % 10 === 9) tool.elapse(1);
        most = Math.max(most, keyed.size);
      });
      flow.execute();
      await tool.run();
      expect(most).to.be.at.most(2 * 1010 + 2);
    });
  }

  it('a guard that is not used again goes before half as many others are made as there were', async () => {
    for (const there of [1, 2, 7, 50]) {
      const { tool, flow } = bench();
      const keyed = new Keyed(() => new Throttle({ max: 1, period: 10 }));
      flow.repeat(there, (asi, i) => void asi.sync(keyed.of(`old ${i}`), nothing));
      flow.add(() => tool.elapse(10));
      const left: number[] = [];
      flow.repeat(there, (asi, i) => {
        asi.sync(keyed.of(`new ${i}`), nothing);
        asi.add(() => void left.push(keyed.size - i - 1));
      });
      flow.execute();
      await tool.run();
      expect(left.slice(Math.ceil(there / 2) - 1).every((old) => old === 0)).to.equal(true);
      expect(left[0]).to.equal(Math.max(0, there - 2));
    }
  });
});
