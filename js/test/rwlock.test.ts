import { expect } from 'chai';
import { AsyncSteps, type IAsyncSteps, type ISync, RwLock, VirtualTool } from '../src/index.js';
import { thrownBy } from './bench.js';
import { chanceOf } from './chance.js';

describe('RwLock', () => {
  it('a bad limit names what was expected and what came', () => {
    expect(thrownBy(() => new RwLock({ maxQueue: 0.5 }))).to.include({
      code: 'InternalError',
      info: 'RwLock: maxQueue: expected a whole number from 0 to 2^53 - 1, or Infinity, got 0.5',
    });
  });

  it('random programs keep writers alone, and nobody is lost', async () => {
    for (let seed = 1; seed <= 80; seed++) await shake(seed);
  });
});

/** Flows that read, write, nest, wait, fail and are cancelled by chance; at the end the lock is as new. */
async function shake(seed: number): Promise<void> {
  const chance = chanceOf(seed);
  const tool = new VirtualTool();
  const lock = new RwLock({ maxQueue: chance(2) ? Infinity : 6 });
  const inside = new Map<object, boolean>();
  const check = () => {
    const alone = inside.size === 1 || ![...inside.values()].includes(true);
    if (!alone) expect.fail(`seed ${seed}: somebody writes among ${inside.size}`);
  };
  const watched: ISync = { lock() {}, unlock: (asi) => inside.delete(asi.state) };
  const sides = [lock.read, lock.write];
  const section = (asi: IAsyncSteps, side: number): void => {
    const body = (outer: IAsyncSteps) => {
      outer.sync(watched, (inner) => {
        inside.set(inner.state, side === 1);
        check();
        if (chance(3) === 0) inner.sync(lock.read, () => {});
        if (chance(4) === 0) {
          const branches = inner.parallel((failed) => failed.success());
          for (let i = chance(3); i >= 0; i--)
            branches.sync(chance(3) ? lock.read : lock.write, () => {});
        }
        inner.add((step) => {
          const done = step.waitExternal();
          step.setTimeout(1 + chance(5));
          if (chance(2)) tool.deferred(chance(8), () => void done.success());
        });
      });
    };
    asi.sync(sides[side]!, body, (inner) => (chance(2) ? inner.success() : undefined));
  };
  const flows = Array.from({ length: 30 }, () => new AsyncSteps({ tool, unhandled: () => {} }));
  for (const flow of flows) {
    flow.add((asi) => {
      if (chance(3) === 0) asi.setTimeout(chance(10));
      section(asi, chance(3) === 0 ? 1 : 0);
    });
    tool.deferred(chance(8), () => flow.execute());
    if (chance(4) === 0) tool.deferred(chance(20), () => flow.cancel());
  }
  await tool.run();
  expect(inside.size, `seed ${seed}`).to.equal(0);
  const last = new AsyncSteps({ tool });
  last.sync(lock.write, (asi) => asi.success('free'));
  expect(await last.promise().finally(void tool.run()), `seed ${seed}`).to.equal('free');
}
