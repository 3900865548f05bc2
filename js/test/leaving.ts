import { AsyncSteps, VirtualTool } from '../src/index.js';

/** Nanoseconds that one takes who leaves from the middle of a queue of so many, the best of a few. `queue` adds the step that waits. */
async function leavingTime<G>(
  waiters: number,
  make: () => G,
  queue: (guard: G, flow: AsyncSteps) => void,
): Promise<number> {
  let best = Infinity;
  for (let round = 0; round < 3; round++) {
    const tool = new VirtualTool();
    const guard = make();
    const flows: AsyncSteps[] = [];
    for (let i = 0; i <= waiters; i++) {
      const flow = new AsyncSteps({ tool });
      queue(guard, flow);
      flow.execute();
      flows.push(flow);
    }
    await tool.run();
    const middle = flows.length >> 1;
    const begin = performance.now();
    for (let i = 0; i < middle; i++) {
      flows[middle - i]!.cancel();
      flows[middle + i]!.cancel();
    }
    best = Math.min(best, (performance.now() - begin) / waiters);
  }
  return best;
}

/** How much more it costs to leave a queue of 100,000 than a short one; one that is searched would cost a hundred times as much. */
export async function leavingRatio<G>(
  make: () => G,
  queue: (guard: G, flow: AsyncSteps) => void,
): Promise<number> {
  const short = await leavingTime(1000, make, queue);
  return (await leavingTime(100_000, make, queue)) / short;
}
