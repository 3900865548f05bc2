import { expect } from 'chai';
import { AsyncSteps, type IAsyncSteps, Mutex, VirtualTool } from '../src/index.js';
import { bench, thrownBy } from './bench.js';
import { chanceOf } from './chance.js';
import { leavingRatio } from './leaving.js';

describe('Mutex', function () {
  this.timeout(60_000);

  it('a bad limit names what was expected and what came', () => {
    const bad: [() => unknown, string][] = [
      [
        () => new Mutex({ max: 0 }),
        'Mutex: max: expected a whole number from 1 to 2^53 - 1, got 0',
      ],
      [
        () => new Mutex({ max: 1.5 }),
        'Mutex: max: expected a whole number from 1 to 2^53 - 1, got 1.5',
      ],
      [
        () => new Mutex({ max: Infinity }),
        'Mutex: max: expected a whole number from 1 to 2^53 - 1, got Infinity',
      ],
      [
        () => new Mutex({ max: '2' as never }),
        "Mutex: max: expected a whole number from 1 to 2^53 - 1, got '2'",
      ],
      [
        () => new Mutex({ maxQueue: -1 }),
        'Mutex: maxQueue: expected a whole number from 0 to 2^53 - 1, or Infinity, got -1',
      ],
      [
        () => new Mutex({ maxQueue: Number.NaN }),
        'Mutex: maxQueue: expected a whole number from 0 to 2^53 - 1, or Infinity, got NaN',
      ],
    ];
    for (const [make, info] of bad) {
      expect(thrownBy(make)).to.include({ code: 'InternalError', info });
    }
  });

  it('leaving a queue of 100,000 costs the same as leaving a short one', async () => {
    const ratio = await leavingRatio(
      () => new Mutex(),
      (mutex, flow) => flow.sync(mutex, (asi) => void asi.waitExternal()),
    );
    expect(ratio).to.be.lessThan(25);
  });

  it('a mutex is handed on by 100,000 waiting lines', async () => {
    const tool = new VirtualTool();
    const mutex = new Mutex();
    const order: number[] = [];
    for (let i = 0; i < 100_000; i++) {
      new AsyncSteps({ tool }).sync(mutex, () => void order.push(i)).execute();
    }
    await tool.run();
    expect(order.length).to.equal(100_000);
    expect(order.every((n, i) => n === i)).to.equal(true);
  });

  it('a flow that is executed again is the same line with nothing held', async () => {
    const { tool, flow } = bench();
    const mutex = new Mutex({ maxQueue: 0 });
    for (let i = 0; i < 3; i++) {
      flow.sync(mutex, (asi) => void asi.waitExternal()).execute();
      await tool.run();
      flow.cancel();
    }
    flow.sync(mutex, (asi) => asi.success('free'));
    expect(await flow.promise().finally(void tool.run())).to.equal('free');
  });

  it('random programs never let more than max in, and nobody is lost', async () => {
    for (let seed = 1; seed <= 50; seed++) await shake(seed);
  });
});

/** Flows that lock, wait, fail and are cancelled by chance; at the end the mutex is as new. */
async function shake(seed: number): Promise<void> {
  const chance = chanceOf(seed);
  const tool = new VirtualTool();
  const max = 1 + chance(3);
  const mutex = new Mutex({ max, maxQueue: chance(2) ? Infinity : 5 });
  const inside = new Set<object>();
  const body = (asi: IAsyncSteps): void => {
    expect(inside.add(asi.state).size, `seed ${seed}`).to.be.at.most(max);
    asi.add((inner) => {
      const done = inner.waitExternal();
      inner.setTimeout(1 + chance(5));
      if (chance(2)) tool.deferred(chance(8), () => void done.success());
    });
  };
  const watched = { lock() {}, unlock: (asi: IAsyncSteps) => inside.delete(asi.state) };
  const recover = (asi: IAsyncSteps) => (chance(2) ? asi.success() : undefined);
  const flows = Array.from({ length: 30 }, () => new AsyncSteps({ tool, unhandled: () => {} }));
  for (const flow of flows) {
    flow.add((asi) => {
      if (chance(3) === 0) asi.setTimeout(chance(10));
      asi.sync(mutex, (inner) => void inner.sync(watched, body), recover);
    });
    tool.deferred(chance(5), () => flow.execute());
    if (chance(4) === 0) tool.deferred(chance(20), () => flow.cancel());
  }
  await tool.run();
  let left = 0;
  for (let i = 0; i < max; i++) {
    const flow = new AsyncSteps({ tool });
    flow.sync(mutex, (asi) => {
      left++;
      asi.waitExternal();
    });
    flow.execute();
  }
  await tool.run();
  expect(left, `seed ${seed}`).to.equal(max);
}
