// The structures: a Flow is its own root Line; a Line holds a chain of open steps; a step holds a level of queued ones.
//
// - All open steps of a line form the chain top -> parent -> ... -> null; only `top` may be in a phase other than INNER.
// - A level is a ring: `tail` is its last step, `tail.link` its first. A level's owner is a step, or a line (its root level).
// - The results slot is filled by success() and emptied by the next body, or by whatever has no use for it.

import type { AsyncSteps } from './asyncsteps.js';
import { badArgument, type Failure, type StepError } from './error.js';
import type { Hold } from './holds.js';
import type { ErrorHandler } from './iasyncsteps.js';
import type { HostedLine, Hosts } from './kind.js';
import { CLOSED, FOREVER, INNER, QUEUED } from './phase.js';
import { kindOf, optionsOf, Step } from './step.js';
import { handleQueuedRejection } from './thenable.js';
import type { StepTimer } from './timer.js';

/** Whatever steps can be added to. */
export interface Owner {
  bits: number;
  tail: Step | null;
  count: number;
}

/** The results of a line that are more than one. */
export class Values {
  declare readonly r0: unknown;
  declare readonly r1: unknown;
  declare readonly r2: unknown;
  declare readonly r3: unknown;

  constructor(r0: unknown, r1: unknown, r2: unknown, r3: unknown) {
    this.r0 = r0;
    this.r1 = r1;
    this.r2 = r2;
    this.r3 = r3;
  }
}

/** A line of execution; stands in its tool's queue iff it has something to do. */
export interface Line {
  bits: number;
  tail: Step | null;
  flow: AsyncSteps;
  top: Step | null;
  /** Its place in the run queue; -1 when it isn't there. */
  slot: number;
  /** How many results there are. */
  results: number;
  /** The result, or `Values`. */
  value: unknown;
  /** The failure that the top step has latched or that was claimed for it. */
  latch: Failure | null;
  /** What it has of guards. */
  holds: Hold | null;
  /** The innermost timer of the line, or of those around it. */
  deadline: StepTimer | null;
  turn(): void;
  /** It has no step left. */
  end(): void;
}

/** The line, or the innermost one around it that isn't closed. */
export function openLine(line: Line): Line {
  let at = line;
  while (at !== at.flow && (at.bits & CLOSED) !== 0) at = (at as HostedLine).host.line;
  return at;
}

/** Queues a new step as the last of a level. A name that is refused leaves the level as it is. */
export function append(
  owner: Owner,
  kind: number,
  work: unknown,
  onerror: ErrorHandler | null,
  name?: string,
): Step {
  if (name !== undefined && typeof name !== 'string') badArgument('name', 'a string', name);
  const step = new Step(kind | QUEUED, work, owner.count++);
  const { tail } = owner;
  if (tail === null) {
    step.link = step;
  } else {
    step.link = tail.link;
    tail.link = step;
  }
  owner.tail = step;
  if (onerror !== null) optionsOf(step).onerror = onerror;
  if (name) optionsOf(step).name = name;
  return step;
}

/** Drops what is queued on a level; a parallel among it takes no branches any more. */
export function drop(owner: Pick<Owner, 'tail'>): void {
  let step = owner.tail;
  owner.tail = null;
  while (step !== null && (step.bits & QUEUED) !== 0) {
    handleQueuedRejection(step);
    step.bits = CLOSED;
    step = step.link;
  }
}

/** Makes a step the innermost open one of its line. */
export function open(line: Line, step: Step, phase: number): void {
  step.line = line;
  step.link = line.top;
  step.bits = (step.bits & FOREVER) | phase;
  line.top = step;
}

/** Opens a step that has no body, and no use for results. */
export function openInner(line: Line, step: Step): void {
  clearResults(line);
  open(line, step, INNER);
}

export function clearResults(line: Line): void {
  if (line.results === 0) return;
  line.results = 0;
  line.value = undefined;
}

/** What closes steps of a line, and what arrives where it ends. */
export class Closing {
  /** The step inside of which all is closed; null: all of the line. */
  declare readonly stop: Step | null;
  /** What `stop` fails with; null: it goes on, or the flow ends as cancelled. */
  declare readonly failure: StepError | null;
  /** Nothing inside is sheltered or cleaned up. */
  declare readonly forced: boolean;
  /** It is a part of what its line's host waits for, whose closing says the rest. */
  declare readonly hosted: boolean;

  constructor(stop: Step | null, failure: StepError | null, forced = false, hosted = false) {
    this.stop = stop;
    this.failure = failure;
    this.forced = forced;
    this.hosted = hosted;
  }
}

/** The whole flow is closed. */
export const WHOLE_FLOW = /* @__PURE__ */ new Closing(null, null);

/** The whole branch is closed. */
export const HOSTED = /* @__PURE__ */ new Closing(null, null, false, true);

/** What the closing of a line is a part of. */
export function wholeOf(line: Line, closing: Closing): Closing {
  let whole = closing;
  for (let at = line; whole.hosted; at = (at as HostedLine).host.line) {
    whole = (kindOf((at as HostedLine).host) as Hosts).closing!;
  }
  return whole;
}
