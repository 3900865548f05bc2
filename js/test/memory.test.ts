import { expect } from 'chai';
import {
  all,
  AsyncSteps,
  AsyncTool,
  defaultTool,
  type IAsyncSteps,
  type Part,
  Scope,
  step,
  type Step,
  steps,
  VirtualTool,
} from '../src/index.js';
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

/** Bytes of a flow that waits, of 10,000. */
async function waiting(make: (id: number[]) => Part<[]>): Promise<number> {
  const count = 10_000;
  const tool = new VirtualTool();
  const flows: AsyncSteps[] = [];
  const before = await heapUsed();
  for (let i = 0; i < count; i++) {
    const flow = new AsyncSteps({ tool }).add(make([i]));
    flow.execute();
    flows.push(flow);
  }
  await tool.advance(0);
  const after = await heapUsed();
  for (const flow of flows) flow.cancel();
  await tool.run();
  return (after - before) / count;
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

  for (const [kind, Tool] of Object.entries({ AsyncTool, VirtualTool })) {
    it(`a flow that waits stays alive though nobody holds it, as long as its tool: ${kind}`, async () => {
      const begin = async (begun: AsyncSteps | null) => {
        const tool = new Tool();
        const mine = {};
        const body = (asi: IAsyncSteps) => {
          asi.setCancel(() => mine);
          asi.waitExternal();
        };
        if (begun === null) tool.start(body);
        else new AsyncSteps({ tool }).add(body).execute();
        if (tool instanceof VirtualTool) await tool.run();
        else await macrotask();
        return { tool, held: new WeakRef(mine) };
      };
      for (const begun of [null, new AsyncSteps()]) {
        const kept = await begin(begun);
        await heapUsed();
        expect(kept.held.deref()).to.be.an('object');
        expect(kept.tool.now()).to.be.at.least(0);
        const { held } = await begin(begun);
        await heapUsed();
        expect(held.deref()).to.equal(undefined);
      }
    });
  }

  it('flows that have ended in whatever order, and flows of scopes, leave nothing behind', async () => {
    const scope = new Scope();
    const turns = () => new Promise<void>((resolve) => void defaultTool.immediate(resolve));
    const ended = async () => {
      const flows: AsyncSteps[] = [];
      for (let i = 0; i < 1000; i++) {
        const flow = new AsyncSteps().add((asi) => void asi.waitExternal());
        flow.execute();
        flows.push(flow);
        scope.start((asi) => void asi.add(() => {}), { done() {} });
      }
      await turns();
      for (let i = 0; i < 1000; i++) flows[(i * 7) % 1000]!.cancel();
      do await turns();
      while (defaultTool.last !== null);
    };
    expect(await left(100, ended)).to.be.lessThan(4 * MEGABYTE);
  });

  it('a run that waits keeps nothing of what has bound its values, or has limited it', async () => {
    const wait = (asi: IAsyncSteps, _id?: number[]) => void asi.waitExternal();
    const values: Step<any>[] = [step(wait), steps(wait, wait), all(wait, wait).onError(() => {})];
    for (const [i, value] of values.entries()) {
      const once = value.with([7]);
      const bound = (await waiting((id) => value.with(id))) - (await waiting(() => once));
      const both = (id: number[]) => value.with(id).timeout(1e6).named('n');
      const late = both([7]);
      const limited = (await waiting(both)) - (await waiting(() => late));
      expect(bound, `value ${i}`).to.be.within(-200, 200);
      expect(limited, `value ${i} with a limit`).to.be.within(-200, 200);
    }
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
