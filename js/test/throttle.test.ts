import { expect } from 'chai';
import { FixedWindow } from '../src/admission.js';
import { AsyncSteps, Throttle, type ThrottleOptions, VirtualTool } from '../src/index.js';
import { bench, thrownBy } from './bench.js';
import { chanceOf } from './chance.js';

describe('Throttle', () => {
  it('a bad limit names what was expected and what came', () => {
    const one = 'expected a whole number from 1 to 2^53 - 1';
    const bad: [() => unknown, string][] = [
      [() => new Throttle({ max: 0 }), `Throttle: max: ${one}, got 0`],
      [() => new Throttle({ max: 1, period: 0 }), `Throttle: period: ${one}, got 0`],
      [() => new Throttle({ max: 1, period: 2.5 }), `Throttle: period: ${one}, got 2.5`],
      [() => new Throttle({ max: 1, period: Infinity }), `Throttle: period: ${one}, got Infinity`],
      [
        () => new Throttle({ max: 1, period: 1, maxQueue: -1 }),
        'Throttle: maxQueue: expected a whole number from 0 to 2^53 - 1, or Infinity, got -1',
      ],
      [() => new Throttle({ max: Number.NaN }), `Throttle: max: ${one}, got NaN`],
      [() => new Throttle(null as never), 'Throttle: expected options, got null'],
      [() => new Throttle({} as never), `Throttle: max: ${one}, got undefined`],
      [
        () => new Throttle({ max: 1, algorithm: 'sliding', burst: 2 }),
        "Throttle: algorithm: expected 'bucket' beside a burst, got 'sliding'",
      ],
      [
        () => new Throttle({ max: 1, algorithm: 'bucket', burst: 0 }),
        `Throttle: burst: ${one}, got 0`,
      ],
      [
        () => new Throttle({ max: 1, algorithm: 'token' as never }),
        "Throttle: algorithm: expected 'fixed', 'sliding' or 'bucket', got 'token'",
      ],
      [
        () => new Throttle({ max: 1, algorithm: 'bucket', burst: 2 ** 50 }),
        'burst: expected an amount that can be counted in milliseconds, got 1125899906842624',
      ],
    ];
    for (const [make, info] of bad) {
      expect(thrownBy(make)).to.include({ code: 'InternalError', info });
    }
  });

  it('an entry at the end of a window stands behind those who wait', async () => {
    const throttle = new Throttle({ max: 1, period: 10, maxQueue: 5 });
    const [a, b] = [new VirtualTool(), new VirtualTool()];
    const order: string[] = [];
    const enter = (tool: VirtualTool, name: string) =>
      new AsyncSteps({ tool }).sync(throttle, () => void order.push(name)).execute();
    enter(a, 'first');
    enter(a, 'waits');
    await a.advance(5);
    await b.advance(10);
    enter(b, 'late');
    await b.advance(0);
    expect(order).to.deep.equal(['first']);
    await a.advance(5);
    await b.advance(0);
    expect(order).to.deep.equal(['first', 'waits']);
    await b.run();
    expect(order).to.deep.equal(['first', 'waits', 'late']);
  });

  it('a throttle lets in the lines of two tools by their own timers', async () => {
    const throttle = new Throttle({ max: 1, period: 10, maxQueue: 5 });
    const [a, b] = [new VirtualTool(), new VirtualTool()];
    const order: string[] = [];
    const enter = (tool: VirtualTool, name: string) =>
      new AsyncSteps({ tool })
        .sync(throttle, () => void order.push(`${name}@${tool.now()}`))
        .execute();
    enter(a, 'a1');
    enter(a, 'a2');
    await a.advance(0);
    enter(b, 'b1');
    await b.run();
    expect(order).to.deep.equal(['a1@0', 'b1@20']);
    await a.run();
    expect(order).to.deep.equal(['a1@0', 'b1@20', 'a2@0']);
    expect(a.now()).to.equal(0);
  });

  it('a late timer keeps windows where they were', () => {
    const window = new FixedWindow(1, 10);
    expect(window.admit(3)).to.equal(true);
    window.tick(15);
    expect(window.admit(15)).to.equal(true);
    expect(window.delay(15)).to.equal(8);
    window.tick(57);
    expect(window.delay(57)).to.equal(6);
    expect(window.admit(57)).to.equal(true);
    window.tick(63);
    expect(window.delay(63)).to.equal(10);
  });

  it('no timer is armed while nobody waits', async () => {
    const { tool, flow, run } = bench();
    const throttle = new Throttle({ max: 2, period: 1000, maxQueue: 1 });
    flow.sync(throttle, () => {}).sync(throttle, () => {});
    expect((await run())?.kind).to.equal('ok');
    expect(tool.now()).to.equal(0);
    flow.sync(throttle, () => {}).execute();
    await tool.advance(5);
    flow.cancel();
    await tool.run();
    expect(tool.now()).to.equal(5);
  });

  it('fixed windows never let more than twice max in during any period', () =>
    keeps('fixed', ({ max, period }, time) => 2 * max * Math.ceil((time + 1) / period)));

  it('a sliding window never lets more than max in during any period', () =>
    keeps('sliding', ({ max, period }, time) => max * Math.ceil((time + 1) / period)));

  it('a bucket never lets in more than its rate and burst', () =>
    keeps('bucket', ({ max, period, burst }, time) => burst + (max * time) / period));
});

interface Limits {
  max: number;
  period: number;
  burst: number;
}

/** At most so many get in from one entry to another, in whole milliseconds. */
type Most = (limits: Limits, time: number) => number;

async function keeps(algorithm: ThrottleOptions['algorithm'], most: Most): Promise<void> {
  for (let seed = 1; seed <= 60; seed++) {
    const limits = { max: 1 + (seed % 5), period: 1 + ((seed * 7) % 23), burst: 1 + (seed % 7) };
    const { burst, ...windows } = limits;
    const maxQueue = seed % 4 === 0 ? 0 : 50;
    const times = await entriesOf(
      { ...(algorithm === 'bucket' ? { ...windows, burst } : windows), algorithm, maxQueue },
      seed,
    );
    expect(times.length).to.be.greaterThan(5);
    for (let i = 0; i < times.length; i++) {
      for (let j = i; j < times.length; j++) {
        const time = times[j]! - times[i]!;
        if (j - i + 1 > most(limits, time)) expect.fail(`seed ${seed}: ${j - i + 1} in ${time} ms`);
      }
    }
  }
}

/** When those got in who came at random times, some of whom give up. */
async function entriesOf(options: ThrottleOptions, seed: number): Promise<number[]> {
  const chance = chanceOf(seed);
  const tool = new VirtualTool();
  const throttle = new Throttle(options);
  const times: number[] = [];
  for (let i = 0; i < 150; i++) {
    const flow = new AsyncSteps({ tool, unhandled: () => {} });
    flow.add((asi) => {
      if (chance(4) === 0) asi.setTimeout(chance(40));
      asi.sync(throttle, () => void times.push(tool.now()));
    });
    const at = chance(3) === 0 ? chance(5) : chance(400);
    tool.deferred(at, () => flow.execute());
  }
  await tool.run();
  return times;
}
