import { expect } from 'chai';
import { AsyncSteps, defaultTool, type IAsyncSteps } from '../src/index.js';
import { gc } from './gc.js';

const macrotask = () => new Promise((resolve) => setImmediate(resolve));

async function heapUsed(): Promise<number> {
  for (let i = 0; i < 4; i++) {
    await macrotask();
    gc();
  }
  return process.memoryUsage().heapUsed;
}

/** Bytes that stay after `count` runs of a thousand each. */
async function left(thousands: number, thousand: () => Promise<void>): Promise<number> {
  for (let i = 0; i < 10; i++) await thousand();
  const before = await heapUsed();
  for (let i = 0; i < thousands; i++) await thousand();
  return (await heapUsed()) - before;
}

function thousandFlows(fill: (flow: AsyncSteps) => void, end?: (flow: AsyncSteps) => void) {
  return async () => {
    const flows: AsyncSteps[] = [];
    for (let i = 0; i < 1000; i++) {
      const flow = new AsyncSteps({ unhandled() {} });
      fill(flow);
      flow.execute();
      flows.push(flow);
    }
    await new Promise<void>((resolve) => void defaultTool.immediate(resolve));
    await macrotask();
    if (end !== undefined) flows.forEach(end);
  };
}

const MEGABYTE = 2 ** 20;

describe('memory', function () {
  this.timeout(60_000);

  it('a million flows that ran leave nothing behind', async () => {
    const run = thousandFlows((flow) => {
      flow.add((asi: IAsyncSteps) => {
        asi.add(() => {});
      });
    });
    expect(await left(1000, run)).to.be.lessThan(4 * MEGABYTE);
  });

  it('an idle flow keeps nothing of whom it has told, in whatever way it has ended', async () => {
    const ends: ((asi: IAsyncSteps, flow: AsyncSteps) => void)[] = [
      () => {},
      (asi) => asi.error('E'),
      (_, flow) => flow.cancel(),
    ];
    for (const end of ends) {
      const flow = new AsyncSteps();
      flow.add((asi) => end(asi, flow));
      const execute = () =>
        new Promise<WeakRef<object>>((resolve) => {
          const mine = {};
          flow.execute(() => resolve(new WeakRef(mine)));
        });
      const gone = await execute();
      await heapUsed();
      expect(gone.deref()).to.equal(undefined);
      expect(flow.running()).to.equal(false);
    }
  });

  it('flows that were cancelled, that failed and that waited with a timer leave nothing behind', async () => {
    const cancelled = thousandFlows(
      (flow) => {
        flow.add((asi) => {
          asi.setTimeout(1_000_000);
          asi.setCancel(() => {});
        });
      },
      (flow) => flow.cancel(),
    );
    expect(await left(100, cancelled)).to.be.lessThan(4 * MEGABYTE);
    const failed = thousandFlows((flow) => {
      flow.add((asi) => asi.errorNoThrow('E'));
    });
    expect(await left(100, failed)).to.be.lessThan(4 * MEGABYTE);
  });

  it('flows that wait for ever are collected when nobody holds them', async () => {
    const forgotten = thousandFlows((flow) => {
      flow.add((asi) => void asi.waitExternal());
    });
    expect(await left(200, forgotten)).to.be.lessThan(4 * MEGABYTE);
  });

  it('an endless loop keeps its memory', async () => {
    const flow = new AsyncSteps();
    let rounds = 0;
    flow.loop((asi) => {
      rounds++;
      asi.add(() => {});
      asi.successStep(rounds);
    });
    flow.execute();
    await macrotask();
    const before = await heapUsed();
    const target = rounds + 200_000;
    while (rounds < target) await macrotask();
    const after = await heapUsed();
    flow.cancel();
    expect(after - before).to.be.lessThan(4 * MEGABYTE);
  });
});
