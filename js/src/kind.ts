// What the engine asks of kinds of steps. A kind is the `work` of its steps, and bits of a step say what it answers. The engine knows
// none by name: a new one takes a file of its own, and a call that adds its steps.

import type { Step } from './step.js';

/** EXITS, and what an AWAITING step awaits. */
export interface Exits {
  /** The step is left: what it has begun is asked to stop. Gives what says when that has stopped; undefined if that takes no time. */
  exit(step: Step): unknown;
}
