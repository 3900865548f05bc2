// Guarded sections: a step that is locked before its body runs, and unlocked when it closes.
//
//     queued -> open, its lock runs in an inner step -> locked: unlock is owed -> its body runs, it is a step like others -> closed
//
// - A guard of the runtime that is free lets it in at once, without an inner step.
// - The inner step ends with ok, or is completed so from outside: that is the lock. Every other end of it goes outwards.
// - What is owed is paid in `close`, which every outcome of a step goes through.

import { outcomeOf } from './outcome.js';
import { CANCELLED, enter, THREW } from './enter.js';
import { badArgument, type Failure } from './error.js';
import { Guard } from './guard.js';
import type { ErrorHandler, IOutcome, ISync } from './iasyncsteps.js';
import type { Part, ResultOf, Step as IStep, Values } from './istep.js';
import { AGAIN, type Kind, PENDING, READY, type Waits } from './kind.js';
import { BODY, FOREVER, HIDDEN, OBLIGES, OPENS, OWED, ROUNDS } from './phase.js';
import { settle } from './settle.js';
import { giveBody, optionsOf, Step } from './step.js';
import { Definition } from './definition.js';
import { isObject } from './portable.js';
import { checkPart, partName } from './steps.js';
import { enterLeaving, watchRejection } from './thenable.js';
import { copyResults, type Slot } from './results.js';
import { openInside, type Closing, type Line, open, openInner } from './tree.js';

export const SECTION = OPENS | ROUNDS;

export class Section implements Kind, Slot {
  declare readonly guard: ISync | Guard;
  declare readonly body: unknown;
  /** It hears of no error of the lock's. */
  declare readonly onerror: ErrorHandler | null;
  /** For its body, while the lock runs. */
  results = 0;
  value: unknown = undefined;

  constructor(guard: ISync | Guard, body: unknown, onerror: ErrorHandler | null) {
    this.guard = guard;
    this.body = body;
    this.onerror = onerror;
  }

  get kind(): string {
    return 'sync';
  }

  /** For the lock, whatever that is made of. */
  waits({ bits }: Step): Waits | null {
    const { guard } = this;
    if (bits & OWED) return null;
    return guard instanceof Guard ? { for: 'guard', on: guard.shown() } : { for: 'guard' };
  }

  /** A guard of the runtime may let it in at once. */
  open(line: Line, step: Step): number {
    const { guard } = this;
    copyResults(this, line);
    openInner(line, step);
    if (!(guard instanceof Guard && guard.admit(line))) return lock(line, guard);
    step.bits |= OWED;
    return AGAIN;
  }

  /** The section is locked. */
  next(line: Line, step: Step): number {
    const { body } = this;
    if (typeof body === 'function') return READY;
    step.bits &= ~ROUNDS;
    optionsOf(step).onerror = this.onerror;
    openInside(step, body, HIDDEN, 0);
    copyResults(line, this);
    return AGAIN;
  }

  /** From now on it is a step with a body. */
  round(line: Line, step: Step): Step {
    step.bits = (step.bits & FOREVER & ~ROUNDS) | BODY;
    giveBody(step, this.body).onerror = this.onerror;
    copyResults(line, this);
    return step;
  }

  closed(step: Step, failure: Failure | null, closing: Closing | null): void {
    const { guard } = this;
    const { line } = step;
    if (guard instanceof Guard) guard.leave(line, step, failure, closing);
    else unlock(step, guard, outcomeOf(line, failure, closing, line));
  }
}

/**
 * A guarded section: its body runs once the guard is locked, with the values that the step finds; its result is the step's. The guard is
 * unlocked when the step closes, in whatever way, before anything outside hears of it. A timeout, a cancel or a failed sibling outside takes
 * a line that waits out of the guard's queue, or cancels the body. A guard of the runtime may fail the step with `Deadlock` or
 * `DefenseRejected`; `.onError` stands around the section, and hears of these, too. What is no guard: `InternalError` at the call.
 * Guide: docs/limits.md
 *
 *     const mutex = new Mutex();
 *     const query = sync(mutex, (_asi, sql: string) => connection.query(sql));
 */
export function sync<R, In extends Values = readonly unknown[]>(
  guard: ISync | Guard,
  body: Part<In, R>,
): IStep<In, ResultOf<R>>;
export function sync(guard: ISync | Guard, body: unknown): any {
  checkGuard(guard);
  const part = checkPart('sync', body);
  return new Definition(SECTION, () => new Section(guard, part, null), false, partName(part));
}

export function checkGuard(guard: unknown): void {
  if (!isGuard(guard)) badArgument('sync', 'a guard, or an object with lock and unlock', guard);
}

function isGuard(guard: any): guard is ISync | Guard {
  if (guard instanceof Guard) return true;
  return isObject(guard) && typeof guard.lock === 'function' && typeof guard.unlock === 'function';
}

/** Locks a section, in a step of its own. */
function lock(line: Line, guard: ISync | Guard): number {
  const step = new Step(HIDDEN | OBLIGES, null, 0);
  open(line, step, BODY);
  const returned = enter(step, callLock, step, guard);
  if (returned === CANCELLED) return PENDING;
  return settle(line, step, returned === THREW ? undefined : returned) ? AGAIN : PENDING;
}

function unlock(step: Step, guard: ISync, outcome: IOutcome): void {
  enterLeaving(step, () => watchRejection(step, guard.unlock(step, outcome)));
}

function callLock(step: Step, guard: ISync | Guard): unknown {
  return guard instanceof Guard ? guard.queue(step) : guard.lock(step);
}
