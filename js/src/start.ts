// Flows that a tool starts and owns. A tool itself knows nothing of steps: what starts them is what its classes inherit from, once a
// program names one of them. The live flows of a tool, which keeps them alive, stand in `toolcore`.

import { AsyncSteps, type AsyncStepsOptions, executeAs, RUN } from './asyncsteps.js';
import { AsyncTool, defaultTool } from './asynctool.js';
import { checkOptions } from './error.js';
import { heirOf } from './heir.js';
import type { IOutcome, RunOptions } from './iasyncsteps.js';
import type { BindItsValues, Ready } from './istep.js';
import { checkSeed, Random } from './random.js';
import { inspectable } from './snapshottext.js';
import { checkPart } from './steps.js';
import { seedBy, ToolCore } from './toolcore.js';
import { VirtualTool } from './virtualtool.js';

/** Of a flow that is started: those of the flow itself, of its run, and who hears of its end. */
export interface StartOptions extends Omit<AsyncStepsOptions, 'tool'>, RunOptions {
  /** Called once, from the tool, when the flow has ended. Without it an error goes to `unhandled`, which throws it, uncaught, if absent. */
  done?: ((outcome: IOutcome) => void) | undefined;
}

/** What is wrong with the arguments is told before anything begins. Nobody but `own` has the flow before it begins. */
export function start(
  tool: ToolCore,
  step: Ready<unknown, BindItsValues>,
  options?: StartOptions,
  own?: (flow: AsyncSteps, execute: () => void) => void,
): void {
  if (options !== undefined) checkOptions('start', options);
  checkPart('start', step);
  const flow = new AsyncSteps({ ...options, tool }, 'start', `${RUN} done`).add(step);
  const execute = () => executeAs(flow, 'start', options?.done, options);
  if (own === undefined) execute();
  else own(flow, execute);
}

class Starter {
  start(step: Ready<unknown, BindItsValues>, options?: StartOptions): void {
    start(this as unknown as ToolCore, step, options);
  }
}

function starting<T>(tool: T): T {
  heirOf(inspectable(Starter), ToolCore);
  seedBy((seed) => new Random(checkSeed(seed)));
  return tool;
}

/**
 * The event loop of real time: flows run on the platform's own loop, in slices of 1 ms, so that timers and input get their turns. A flow that
 * runs on it is kept alive; a process, as long as a timer is armed. Guide: docs/waiting.md#event-loops
 *
 *     const tool = new AsyncTool({ seed: 7 });
 *     tool.start(converse.with(socket));
 */
const AsyncToolHeir = /* @__PURE__ */ starting(AsyncTool);
type AsyncToolHeir = AsyncTool;
/**
 * An event loop for tests, whose time is a number: it jumps to the next timer when nothing is left to do. Guide: docs/testing.md
 *
 *     const tool = new VirtualTool();
 *     const done = run(poll, { tool });
 *     await tool.run();
 */
const VirtualToolHeir = /* @__PURE__ */ starting(VirtualTool);
type VirtualToolHeir = VirtualTool;
/** The `AsyncTool` of flows that are given none. Guide: docs/waiting.md#event-loops */
const defaultToolHeir = /* @__PURE__ */ starting(defaultTool);
export {
  AsyncToolHeir as AsyncTool,
  VirtualToolHeir as VirtualTool,
  defaultToolHeir as defaultTool,
};
