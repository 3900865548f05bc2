// Error handlers: called at most once for each run of a step, with the error in view.

import { CANCELLED, type Cancellable, enter } from './enter.js';
import { type Failure, StepError } from './error.js';
import { replace } from './errorchain.js';
import { leave } from './frame.js';
import { latchMistake, raise, takeFailure } from './latch.js';
import { FAIL, FOREVER, HANDLER, INNER, LEFT, OK, OK_TWICE, PHASES, SHELTERED } from './phase.js';
import { isCancelled, shelterOf } from './shelter.js';
import { type Step, watcherOf } from './step.js';
import { watchRejection } from './thenable.js';
import { disarmStep } from './timer.js';
import { drop, openInside, Queueable } from './tree.js';
import { endView, view } from './view.js';

/**
 * Calls the error handler. A timer or cancel handler that it set is for the steps that it added, also if a cancel then takes
 * them; without any it has no effect. Returns what goes on to the parent, null if the step has recovered: with OK it is to be closed.
 */
export function callHandler(step: Step, error: StepError): Cancellable<Failure | null> {
  step.bits = (step.bits & FOREVER) | HANDLER;
  if (step.bits & SHELTERED) shelterOf(step).begin();
  watcherOf(step)?.handler(step, error);
  const returned = enter(step, callUser, step, error);
  if (returned === CANCELLED) return CANCELLED;
  const said = (step.bits & (OK | OK_TWICE | FAIL)) !== 0;
  const failure = verdict(step, error, returned === true);
  if (failure === null) return null;
  drop(step);
  disarmStep(step);
  if (failure !== error && StepError.is(failure)) replace(error, failure);
  // It goes on outwards: what the handler has begun is undone, but for a cancel handler if it has left nothing.
  if (!said && failure === error) step.options!.cancel = null;
  leave(step, StepError.is(failure) ? failure : null);
  return isCancelled(step.line) ? CANCELLED : failure;
}

/** Returns whether it has returned a promise. */
function callUser(step: Step, error: StepError): boolean {
  const options = step.options!;
  const onerror = options.onerror!;
  let returned: unknown;
  options.onerror = null;
  view(step.line.flow, error);
  try {
    returned = onerror(step, error.code);
  } finally {
    endView();
  }
  if (returned === undefined || returned === step) return false;
  if (!Queueable.is(returned)) return watchRejection(step, returned, step.line.latch);
  openInside(step, returned, 0, step.count++);
  return false;
}

/** What the handler left decides; the order of these questions is the law. */
function verdict(step: Step, error: StepError, isAsynchronous: boolean): Failure | null {
  latchMistake(step);
  const { bits, line } = step;
  if (line.latch !== null) return takeFailure(step);
  if (bits & OK) return null;
  if (step.tail !== null) {
    step.bits = (bits & ~(PHASES | LEFT)) | INNER;
    return null;
  }
  return isAsynchronous ? raise(step, 'handler: add an async step instead') : error;
}
