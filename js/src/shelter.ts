// What shelters a step from all that is outside: the timer of a shield, of a step that stops what it has begun, or whose cleanup runs.
//
// - Shelters stand in the line's chain of timers, so the outermost one inside of a step is found there.
// - Nothing outside of a shelter can end its step: for what remains it is the end of the chain.

import type { Failure } from './error.js';
import { DEFERRED, FOREVER, INNER, LATCHED, SHELTERED } from './phase.js';
import type { Step } from './step.js';
import { pushTimer, StepTimer } from './timer.js';
import type { Closing, Line } from './tree.js';

export class Shelter extends StepTimer {
  /** What waits for the step to close. */
  declare closing: Closing | null;
  /** Of a cleanup: the step of the deferred function that runs, or ran last. */
  declare running: Step | null;
  /** With what the step would have closed; or what goes through it when that has stopped. */
  declare failure: Failure | null;
  declare results: number;
  declare value: unknown;
  /** The failure is one of a deferred function. */
  declare faulty: boolean;
  declare cleans: boolean;
  /** It stops what it has begun. What the promise of that knows of it: no step if it's over. */
  declare stop: { step: Step | null } | null;
  /** The step was left, or its cleanup has failed: it has not ended with ok. */
  declare left: boolean;
  /** Of a shield: that of its body. */
  declare own?: StepTimer | null;

  constructor(step: Step) {
    super(step);
    this.closing = null;
    this.running = null;
    this.failure = null;
    this.results = 0;
    this.value = undefined;
    this.faulty = false;
    this.cleans = false;
    this.stop = null;
    this.left = false;
  }

  /** The step's handler begins. */
  begin(): void {}

  /** It lasts till the step closes, also when that has stopped what it had begun. */
  stays(): boolean {
    return false;
  }

  /** What it has begun is asked to stop, or a deferred function begins: the grace counts from now on. */
  grant(): void {
    this.nearest = this.start(this.step.line.flow.settings.grace);
  }
}

/** Shelters a step: what goes through it, and what closes it, waits in its shelter. */
export function shelterStep(step: Step, failure: Failure | null, closing: Closing | null): Shelter {
  if ((step.bits & SHELTERED) === 0) pushTimer(new Shelter(step));
  step.bits = (step.bits & FOREVER) | INNER | SHELTERED;
  const shelter = shelterOf(step);
  shelter.failure = failure;
  shelter.closing ??= closing;
  return shelter;
}

/** The shelter of a sheltered step. */
export function shelterOf(step: Step): Shelter {
  return step.options!.timer as Shelter;
}

/** The same of any step; null if it isn't sheltered. */
export function shelterIf(step: Step): Shelter | null {
  return step.bits & SHELTERED ? shelterOf(step) : null;
}

/**
 * Whether the line has to stop, as its flow's cancel was asked for and is about to be performed; or will have to, when a shelter has
 * closed and `innermost`, which is around that, is its innermost timer.
 */
export function isCancelled(line: Line, innermost = line.deadline): boolean {
  if ((line.flow.bits & LATCHED) === 0) return false;
  let timer = innermost;
  while (timer !== null && !(timer instanceof Shelter)) timer = timer.outer;
  return timer === null;
}

/** The outermost shelter inside of `stop` (null: the whole line). */
export function shelterInside(line: Line, end: StepTimer | null): Shelter | null {
  let shelter: Shelter | null = null;
  for (let timer = line.deadline; timer !== end; timer = timer!.outer) {
    if (timer instanceof Shelter) shelter = timer;
  }
  return shelter;
}

/** Steps that a closing waits to close have no deadlines any more. */
export function disarmTimers(from: StepTimer | null, end: StepTimer | null): void {
  for (let timer = from; timer !== end; timer = timer!.outer) {
    timer!.disarm();
  }
}

/** The limit that the step has set itself: a shield has that of its body beside its own. */
export function limitOf({ options }: Step): StepTimer | null {
  const timer = options?.timer ?? null;
  return timer instanceof Shelter ? (timer.own ?? null) : timer;
}

/**
 * When the first of the line's own deadlines ends it: nothing outside of a shelter can, nor what a closing has disarmed. The cleanup of a
 * deferred function that waits for its turn has the grace of that function.
 */
export function dueIn(line: Line): number {
  let due = Infinity;
  for (let timer = line.deadline; timer?.step.line === line; timer = timer.outer) {
    due = Math.min(due, timer.ends());
    if (timer instanceof Shelter && (timer.place >= 0 || (timer.step.bits & DEFERRED) === 0)) break;
  }
  return due;
}
