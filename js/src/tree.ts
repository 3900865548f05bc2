// The structures: a Flow is its own root Line; a Line holds a chain of open steps; a step holds a level of queued ones.
//
// - All open steps of a line form the chain top -> parent -> ... -> null; only `top` may be in a phase other than INNER.
// - A level is a ring: `tail` is its last step, `tail.link` its first. A level's owner is a step, or a line (its root level).
// - The results slot is filled by success() and emptied by the next body, or by whatever has no use for it.

import type { AsyncSteps } from './asyncsteps.js';
import { badArgument, type Failure, type StepError } from './error.js';
import type { Hold } from './holds.js';
import type { ErrorHandler, IOutcome } from './iasyncsteps.js';
import type { HostedLine } from './kind.js';
import { CLOSED, INNER, OPENED, QUEUED, SHARED } from './phase.js';
import { clearResults, type Slot } from './results.js';
import { optionsOf, Step } from './step.js';
import { handleQueuedRejection } from './thenable.js';
import type { StepTimer } from './timer.js';

/** Whatever steps can be added to. */
export interface Owner {
  bits: number;
  tail: Step | null;
  count: number;
}

/** A line of execution; stands in its tool's queue iff it has something to do. */
export interface Line extends Slot {
  bits: number;
  tail: Step | null;
  flow: AsyncSteps;
  top: Step | null;
  /** Its place in the run queue; -1 when it isn't there. */
  slot: number;
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

/** Who tells observers of a tool what its flows do. */
export interface Watcher {
  begun(flow: AsyncSteps): void;
  turn(line: Line): void;
  /** The line's turn is over. */
  turned(line: Line): void;
  /** The step's body is next. */
  body(step: Step): void;
  returned(step: Step): void;
  handler(step: Step, error: StepError): void;
  cancel(step: Step): void;
  /** It's TOLD. */
  closed(step: Step, failure: Failure | null, closing: Closing | null): void;
  /** Nobody is told of the outcome: ok, or cancelled. */
  ended(flow: AsyncSteps, outcome: IOutcome | undefined): void;
  /** When the line began to wait, and when the flow has begun, in the tool's time. Undefined: it's not known. */
  waitsSince?(line: Line): number | undefined;
  begunAt?(flow: AsyncSteps): number | undefined;
  readonly within: Within;
}

/** Calls code of the program's that runs in the step: something may be put around. */
export type Within = <A, B, C, D, R>(
  step: Step,
  call: (a: A, b: B, c: C, d: D) => R,
  a?: A,
  b?: B,
  c?: C,
  d?: D,
) => R;

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
    const last = tail.bits & SHARED ? copyOf(tail) : tail;
    step.link = last.link;
    last.link = step;
  }
  owner.tail = step;
  if (onerror !== null) optionsOf(step).onerror = onerror;
  if (name) optionsOf(step).name = name;
  return step;
}

/** One that may be linked to others. */
function copyOf({ bits, work, index }: Step): Step {
  const copy = new Step(bits ^ SHARED, work, index);
  copy.link = copy;
  return copy;
}

/** What describes a step, which can be queued any number of times. `place` are bits that say how its path shows it. */
export abstract class Queueable {
  readonly #isOne: undefined;

  /** Asked for each value that is added: that is 5 % of `defined_simple` by `instanceof`. */
  static is(value: unknown): value is Queueable {
    return typeof value === 'object' && value !== null && #isOne in value;
  }

  /** What paths show in the place of its index. */
  abstract readonly name: string | undefined;
  abstract queue(owner: Owner, place: number): Step;
  abstract onError(handler: ErrorHandler): Queueable;
  abstract named(name: string): Queueable;
}

/**
 * Queues what was given as a body, or as a step value in its place, as a step with that number. What is added to the owner isn't counted
 * by it.
 */
export function openInside(owner: Owner, part: unknown, place: number, index: number): Step {
  const { count } = owner;
  owner.count = index;
  const step = Queueable.is(part) ? part.queue(owner, place) : append(owner, place, part, null);
  owner.count = count;
  return step;
}

/** Drops what is queued on a level; a parallel among it takes no branches any more. */
export function drop(owner: Pick<Owner, 'tail'>): void {
  let step = owner.tail;
  owner.tail = null;
  while (step !== null && (step.bits & (QUEUED | SHARED)) === QUEUED) {
    handleQueuedRejection(step);
    step.bits = CLOSED;
    step = step.link;
  }
}

/** Makes a step the innermost open one of its line. */
export function open(line: Line, step: Step, phase: number): void {
  step.line = line;
  step.link = line.top;
  step.bits = (step.bits & OPENED) | phase;
  line.top = step;
}

/** Opens a step that has no body, and no use for results. */
export function openInner(line: Line, step: Step): void {
  clearResults(line);
  open(line, step, INNER);
}

/** What closes steps of a line, and what arrives where it ends. */
export class Closing {
  /** The step inside of which all is closed; null: all of the line. */
  declare readonly stop: Step | null;
  /** What `stop` fails with; null: it goes on, or the flow ends as cancelled. */
  declare readonly failure: StepError | null;
  /** Nothing inside is sheltered or cleaned up. */
  declare readonly forced: boolean;
  /** What closes the line around, if it is no more than a part of that; a wider one takes its place. */
  declare whole: Closing | null;
  /** What it is on the lines inside. */
  private part: Closing | null = null;

  constructor(
    stop: Step | null,
    failure: StepError | null,
    forced = false,
    whole: Closing | null = null,
  ) {
    this.stop = stop;
    this.failure = failure;
    this.forced = forced;
    this.whole = whole;
  }

  /** All of a line inside is closed, as a part of what its host's line waits for. */
  inside(): Closing {
    if (this.whole !== null) return this;
    return (this.part ??= new Closing(null, null, false, this));
  }

  /** It gives way to a wider one, where it was noted; that may give way, too. */
  giveWay(wider: Closing): void {
    const { part } = this;
    if (part !== null && part !== wider.inside()) part.whole = wider.inside();
  }
}

/** What the closing of a line is a part of. */
export function wholeOf(closing: Closing): Closing {
  let at = closing;
  while (at.whole !== null) at = at.whole;
  return at;
}
