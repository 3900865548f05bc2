// Flows that a tool starts and owns. A tool itself knows nothing of steps: what starts them is what its classes inherit from, once a
// program names one of them. The live flows of a tool, which keeps them alive, stand in `toolcore`.

import { AsyncSteps, type AsyncStepsOptions, executeAs, RUN } from './asyncsteps.js';
import { AsyncTool, defaultTool } from './asynctool.js';
import { checkOptions } from './error.js';
import { heirOf } from './heir.js';
import type { IOutcome, RunOptions } from './iasyncsteps.js';
import type { Part } from './istep.js';
import { checkSeed, Random } from './random.js';
import { checkPart } from './steps.js';
import { seedBy, ToolCore } from './toolcore.js';
import { VirtualTool } from './virtualtool.js';

/** Of a flow that is started: those of the flow itself, of its run, and who hears of its end. */
export interface StartOptions extends Omit<AsyncStepsOptions, 'tool'>, RunOptions {
  /** Called once, from the tool, when the flow has ended. Without it an error goes to `unhandled`, which throws it, uncaught, if absent. */
  done?: ((outcome: IOutcome) => void) | undefined;
}

/** What is wrong with the arguments is told before anything begins. */
export function start(tool: ToolCore, step: Part<[]>, options?: StartOptions): AsyncSteps {
  if (options !== undefined) checkOptions('start', options);
  checkPart('start', step);
  const flow = new AsyncSteps({ ...options, tool }, 'start', `${RUN} done`).add(step);
  executeAs(flow, 'start', options?.done, options);
  return flow;
}

class Starter {
  start(step: Part<[]>, options?: StartOptions): void {
    start(this as unknown as ToolCore, step, options);
  }
}

function starting<T>(tool: T): T {
  heirOf(Starter, ToolCore);
  seedBy((seed) => new Random(checkSeed(seed)));
  return tool;
}

const AsyncToolHeir = /* @__PURE__ */ starting(AsyncTool);
type AsyncToolHeir = AsyncTool;
const VirtualToolHeir = /* @__PURE__ */ starting(VirtualTool);
type VirtualToolHeir = VirtualTool;
const defaultToolHeir = /* @__PURE__ */ starting(defaultTool);
export {
  AsyncToolHeir as AsyncTool,
  VirtualToolHeir as VirtualTool,
  defaultToolHeir as defaultTool,
};
