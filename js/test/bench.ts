// A flow on a virtual tool whose hooks write down what they are told.

import { AsyncSteps, type AsyncStepsOptions, type IOutcome, VirtualTool } from '../src/index.js';

export interface Bench {
  tool: VirtualTool;
  flow: AsyncSteps;
  /** What the hooks were told: `report Code`, `unhandled Code`. */
  told: string[];
  /** Executes the flow, runs the tool till nothing is left, and gives the outcome (null: the flow still waits). */
  run(): Promise<IOutcome | null>;
}

export function bench(options: AsyncStepsOptions = {}): Bench {
  const tool = new VirtualTool();
  const told: string[] = [];
  const flow = new AsyncSteps({
    tool,
    report: (code) => told.push(`report ${code}`),
    unhandled: (code) => told.push(`unhandled ${code}`),
    ...options,
  });
  const run = async () => {
    let outcome: IOutcome | null = null;
    flow.execute((end) => {
      outcome = end;
    });
    await tool.run();
    return outcome;
  };
  return { tool, flow, told, run };
}

/** What a call throws. */
export function thrownBy(call: () => unknown): any {
  try {
    call();
  } catch (thrown) {
    return thrown;
  }
  throw new Error('nothing was thrown');
}

/** What a promise is rejected with. */
export async function rejectionOf(promise: PromiseLike<unknown>): Promise<any> {
  try {
    await promise;
  } catch (reason) {
    return reason;
  }
  throw new Error('nothing was rejected');
}
