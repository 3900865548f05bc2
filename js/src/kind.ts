// What the engine asks of kinds of steps. A kind is the `work` of its steps, and bits of a step say what it answers. The engine knows
// none by name: a new one takes a file of its own, and a call that adds its steps.

import type { StepError } from './error.js';
import type { Step } from './step.js';
import type { Closing, Line } from './tree.js';

/** EXITS, and what an AWAITING step awaits. */
export interface Exits {
  /** The step is left: what it has begun is asked to stop. Gives what says when that has stopped; undefined if that takes no time. */
  exit(step: Step): unknown;
}

/** A line inside a step. */
export interface HostedLine extends Line {
  readonly host: Step;
  /** The branch that was added after this one. */
  sibling: HostedLine | null;
}

/**
 * HOSTS: lines run inside the step.
 *
 * - `open` counts branches that are not closed; the step's line may go on when it is 0.
 * - Branches are linked in add order. `first` only moves over closed ones, so cancelling all is linear.
 */
export interface Hosts {
  first: HostedLine | null;
  open: number;
  /** What goes on when all of them are closed. */
  closing: Closing | null;
  /** A closing has reached the step: no branch starts any more. Gives an error that nobody has heard of. */
  stop(): StepError | null;
  /** Nothing of the branch is open any more. Returns how many still are. */
  left(branch: HostedLine): number;
  /** An error goes out of the branch. What it closes; null if that's no more than the branch. */
  failed(branch: HostedLine, error: StepError): Closing | null;
}
