// A completion is the step that it ends, seen from outside. All completions of a step share its phase, so they share one fate;
// one that was made in a handler finds no phase in which it counts.

import type { StepError } from './error.js';
import type { ICompletion } from './iasyncsteps.js';
import { leaveFailure, leaveValues, makeError, raise } from './latch.js';
import { AWAITING, BODY, FAIL, LATCHED, OK, WAITING } from './phase.js';
import { isSheltered } from './shelter.js';
import type { Step } from './step.js';

export class Completion implements ICompletion {
  declare private readonly step: Step;

  constructor(step: Step) {
    this.step = step;
  }

  success(a?: unknown, b?: unknown, c?: unknown, d?: unknown): boolean;
  success(...values: unknown[]): boolean;
  success(a?: unknown, b?: unknown, c?: unknown, d?: unknown): boolean {
    if (!this.valid()) return false;
    leaveValues(this.step, arguments.length, a, b, c, d);
    return true;
  }

  error(code: string, info?: string, cause?: unknown): boolean {
    if (!this.valid()) return false;
    leaveFailure(this.step, errorFrom(this.step, code, info, cause));
    return true;
  }

  valid(): boolean {
    const { bits, line } = this.step;
    if ((line.flow.bits & LATCHED) !== 0 && !isSheltered(line)) return false;
    return (
      (bits & WAITING) !== 0 || ((bits & (BODY | AWAITING)) !== 0 && (bits & (OK | FAIL)) === 0)
    );
  }
}

/** Never throws: a bad argument is the step's failure, the caller has no use for it. */
function errorFrom(step: Step, code: unknown, info: unknown, cause: unknown): StepError {
  try {
    return makeError(step, code, info, cause);
  } catch (mistake) {
    return raise(step, (mistake as StepError).info);
  }
}
