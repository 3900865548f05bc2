import { expect } from 'chai';
import { AsyncSteps, type IAsyncSteps, Limiter, VirtualTool } from '../src/index.js';
import { thrownBy } from './bench.js';
import { chanceOf } from './chance.js';

describe('Limiter', () => {
  it('a bad limit is called by the name that it has here', () => {
    const one = 'expected a whole number from 1 to 2^53 - 1';
    const none = 'expected a whole number from 0 to 2^53 - 1, or Infinity';
    const bad: [() => unknown, string][] = [
      [() => new Limiter({ concurrent: 0 }), `Limiter: concurrent: ${one}, or Infinity, got 0`],
      [() => new Limiter({ rate: -1 }), `Limiter: rate: ${one}, or Infinity, got -1`],
      [() => new Limiter({ period: 0 }), `Limiter: period: ${one}, got 0`],
      [() => new Limiter({ rate: 1, burst: -1 }), `Limiter: burst: ${one}, got -1`],
      [() => new Limiter({ burst: 2 }), 'Limiter: burst: expected a rate beside it, got 2'],
      [
        () => new Limiter({ abandoned: 'no' as never }),
        "Limiter: abandoned: expected 'keep' or 'release', got 'no'",
      ],
      [
        () => new Limiter({ concurrent: undefined, maxQueue: 5 }),
        'Limiter: maxQueue: expected concurrent or rate beside it, got 5',
      ],
      [() => new Limiter({ maxQueue: 0.5 }), `Limiter: maxQueue: ${none}, got 0.5`],
    ];
    for (const [make, info] of bad) {
      expect(thrownBy(make)).to.include({ code: 'InternalError', info });
    }
  });

  it('eight at a time are eight at a time, with an unbounded queue and no rate', async () => {
    const tool = new VirtualTool();
    const ends: string[] = [];
    const limiter = new Limiter({ concurrent: 8 });
    const enter = () =>
      new AsyncSteps({ tool })
        .sync(
          limiter,
          (asi) => asi.setTimeout(400),
          (asi) => asi.success(),
        )
        .execute(({ kind, code }) => void ends.push(`${tool.now()} ${code ?? kind}`));
    for (let i = 0; i < 1000; i++) enter();
    await tool.run();
    expect(ends).to.deep.equal(
      Array.from({ length: 1000 }, (_, i) => `${400 * (1 + (i >> 3))} ok`),
    );
  });

  it('random programs keep to both limits, and no place is lost', async () => {
    for (let seed = 1; seed <= 60; seed++) await shake(seed);
  });
});

async function shake(seed: number): Promise<void> {
  const chance = chanceOf(seed);
  const tool = new VirtualTool();
  const concurrent = 1 + chance(3);
  const rate = 1 + chance(4);
  const limiter = new Limiter({
    concurrent,
    rate,
    period: 10,
    maxQueue: chance(6),
  });
  const inside = new Set<object>();
  const times: number[] = [];
  const watched = { lock() {}, unlock: (asi: IAsyncSteps) => inside.delete(asi.state) };
  for (let i = 0; i < 40; i++) {
    const flow = new AsyncSteps({ tool, unhandled: () => {} });
    flow.add((asi) => {
      if (chance(3) === 0) asi.setTimeout(chance(30));
      asi.sync(limiter, (placed) => {
        times.push(tool.now());
        placed.sync(watched, (inner) => {
          expect(inside.add(inner.state).size, `seed ${seed}`).to.be.at.most(concurrent);
          inner.setTimeout(chance(12));
        });
      });
    });
    tool.deferred(chance(60), () => flow.execute());
    if (chance(4) === 0) tool.deferred(chance(80), () => flow.cancel());
  }
  await tool.run();
  for (let i = 2 * rate; i < times.length; i++) {
    expect(times[i]! - times[i - 2 * rate]!, `seed ${seed}`).to.be.at.least(10);
  }
  expect(await freePlaces(tool, limiter), `seed ${seed}`).to.equal(concurrent);
}

/** How many can be in at once, coming one in each period. */
async function freePlaces(tool: VirtualTool, limiter: Limiter): Promise<number> {
  let entered = 0;
  for (let i = 0; i < 8; i++) {
    await tool.advance(20);
    const flow = new AsyncSteps({ tool, unhandled: () => {} });
    flow.sync(limiter, (asi) => {
      entered++;
      asi.waitExternal();
    });
    flow.execute();
  }
  await tool.advance(20);
  return entered;
}
