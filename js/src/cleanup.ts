// What closes behind a shelter: shields, and steps whose deferred functions run, which nothing outside can end.
//
// - A step is sheltered while it is an open shield, while its cleanup runs, and while it stops what it has begun. Its timer is a
//   `Shelter` then: the limit, or the grace.
// - A closing that comes to a line with a shelter inside its stop is noted on the outermost of them, the line goes on, and when that
//   shelter's step closes, the closing goes on from there.
// - In a cleanup the step is INNER and its deferred functions are its level. The outcome that it had is kept in the shelter.
// - Their errors join the one that was kept, else the one that was noted; where none was noted they are the outcome, and where that
//   has none they are reported.

import { type Failure, StepError } from './error.js';
import { join } from './errorchain.js';
import { closeAs } from './frame.js';
import { CANCEL, FOREVER, SHELTERED } from './phase.js';
import { callHook } from './report.js';
import { isCancelled, shelterOf, shelterStep } from './shelter.js';
import { forgetUndo, type Step } from './step.js';
import { disarmStep } from './timer.js';
import { clearResults, copyResults } from './results.js';
import { type Closing, type Line, wholeOf } from './tree.js';

/**
 * A step that is DUE has its outcome: a failure, or ok with the values in the line's slot, or the closing says it. Begins the
 * cleanup if there is one to begin; then the step is the line's open top again, and has sub-steps.
 */
export function cleansUp(
  line: Line,
  step: Step,
  failure: Failure | null,
  closing: Closing | null,
): boolean {
  const { options } = step;
  if (options === null || options.deferred === null) return false;
  step.tail = options.deferred;
  options.deferred = options.onerror = null;
  forgetUndo(options);
  disarmStep(step);
  const left = failure !== null || (step.bits & CANCEL) !== 0;
  const shelter = shelterStep(step, failure, closing);
  shelter.cleans = true;
  shelter.left = left;
  copyResults(shelter, line);
  clearResults(line);
  return true;
}

/** A deferred function of the step has failed. */
export function fault(line: Line, step: Step, error: StepError): void {
  const shelter = shelterOf(step);
  const { closing } = shelter;
  shelter.left = true;
  const noted = closing === null ? error : wholeOf(closing).failure;
  if (noted === null || isCancelled(line, shelter.outer)) {
    reportError(line, error);
  } else if (StepError.is(shelter.failure)) {
    join(shelter.failure, error);
  } else if (noted !== error) {
    join(noted, error);
  } else {
    shelter.failure = error;
    shelter.faulty = true;
  }
}

/** What a step ended with gives way to a closing that reaches further out: cancels and winners of races have no error. */
export function overtake(
  line: Line,
  closing: Closing,
  failure: Failure | null,
  faulty: boolean,
): void {
  if (!StepError.is(failure)) return;
  const { failure: wider } = wholeOf(closing);
  if (wider !== null) join(wider, failure);
  else if (faulty) reportError(line, failure);
}

export function reportError(line: Line, error: StepError): void {
  callHook(line.flow.settings.report, error);
}

/** Closes a step that is DUE. Returns the closing that was noted on it, whose error the failure has joined; null: that is the caller's. */
export function closeOwing(line: Line, step: Step, failure: Failure | null): Closing | null {
  if ((step.bits & SHELTERED) === 0) {
    closeAs(line, step, failure, null);
    return null;
  }
  const shelter = shelterOf(step);
  const { closing, faulty } = shelter;
  if (shelter.cleans) {
    copyResults(line, shelter);
    if (shelter.left) step.bits = (step.bits & FOREVER) | CANCEL;
  }
  if (closing !== null || failure !== null) clearResults(line);
  if (closing !== null) overtake(line, closing, failure, faulty);
  else if (faulty && isCancelled(line, shelter.outer)) reportError(line, failure as StepError);
  closeAs(line, step, failure, closing);
  return closing;
}
