// A completion is the step that it ends, seen from outside. A step has only one, which is its work from then on, and knows the step till
// it has ended it or that closes: it may be kept for ever. One that was made in a handler finds no phase in which it counts, and knows
// none.

import type { StepError } from './error.js';
import type { ICompletion } from './iasyncsteps.js';
import { leaveFailure, leaveValues, makeError, raise } from './latch.js';
import type { Awaited } from './awaiting.js';
import { keepBody } from './bodies.js';
import {
  AWAITING,
  BODY,
  FAIL,
  HANDLER,
  KNOWN,
  LATCHING,
  OK,
  WAIT,
  WAIT_EXTERNAL,
  WAITING,
} from './phase.js';
import { isCancelled } from './shelter.js';
import type { Step } from './step.js';

export class Completion implements ICompletion {
  /** @internal */
  declare step: Step | null;

  constructor(step: Step | null) {
    this.step = step;
  }

  /** @internal */
  get 'steptree.returned'(): string {
    return 'a completion';
  }

  success(a?: unknown, b?: unknown, c?: unknown, d?: unknown): boolean;
  success(...values: unknown[]): boolean;
  success(a?: unknown, b?: unknown, c?: unknown, d?: unknown): boolean {
    if (!this.valid()) return false;
    leaveValues(cut(this), arguments.length, a, b, c, d);
    return true;
  }

  error(code: string, info?: string, cause?: unknown): boolean {
    if (!this.valid()) return false;
    const step = cut(this);
    leaveFailure(step, errorFrom(step, code, info, cause));
    return true;
  }

  valid(): boolean {
    const { step } = this;
    if (step === null || isCancelled(step.line)) return false;
    const { bits } = step;
    return (
      (bits & WAITING) !== 0 || ((bits & (BODY | AWAITING)) !== 0 && (bits & (OK | FAIL)) === 0)
    );
  }
}

/** It counts once: the step that it ends has nothing to take from it when it closes. That is 4 % of `external`. */
function cut(completion: Completion): Step {
  const step = completion.step!;
  completion.step = null;
  step.bits &= ~KNOWN;
  return step;
}

/** The completion of a step, which has begun: its body or handler waits for it. */
export function completionOf(step: Step): Completion {
  const { bits } = step;
  const waits = bits & LATCHING ? bits | WAIT | WAIT_EXTERNAL : bits;
  const worker: { work: any } = bits & AWAITING ? (step.work as Awaited) : step;
  if (bits & (HANDLER | KNOWN)) {
    step.bits = waits;
    return bits & HANDLER ? new Completion(null) : worker.work;
  }
  step.bits = waits | KNOWN;
  keepBody?.(step);
  return (worker.work = new Completion(step));
}

/** Never throws: a bad argument is the step's failure, the caller has no use for it. */
function errorFrom(step: Step, code: unknown, info: unknown, cause: unknown): StepError {
  try {
    return makeError(step, code, info, cause);
  } catch (mistake) {
    return raise(step, (mistake as StepError).info, info);
  }
}
