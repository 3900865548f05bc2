// The signal of a step: made when it's asked for, and aborted when the step is left.

import { errors } from './codes.js';
import { cancelOf } from './end.js';
import { exceptionOf, StepError } from './error.js';
import type { ISignal, Signal } from './iasyncsteps.js';
import { requireValid } from './latch.js';
import { CANCEL, CLOSED, VALID } from './phase.js';
import { optionsOf, type Step } from './step.js';
import type { Closing } from './tree.js';

/** The platform's, as far as it's used here. */
export interface Aborter {
  readonly signal: ISignal;
  abort(reason: unknown): void;
}

declare const AbortController: new () => Aborter;

/** [signal-13, signal-22] */
export function signalOf(step: Step): Signal {
  const options = optionsOf(step);
  const isLeft = (step.bits & (CANCEL | CLOSED)) !== 0;
  if (!options.aborts && (!options.aborter || step.bits & VALID)) {
    if (!isLeft) requireValid(step, 'signal');
    options.aborter = new AbortController();
    options.aborts = true;
    if (isLeft) abortSignal(step, null, null);
  }
  return options.aborter!.signal as Signal;
}

/** The step is left: with an error, its own or one further out, or because nobody wants it any more. */
export function abortSignal(step: Step, passing: StepError | null, whole: Closing | null): void {
  const error = whole ? whole.failure : passing;
  const options = step.options!;
  const cancel = whole && cancelOf(step.line.flow, whole);
  options.aborts = false;
  options.aborter!.abort(
    error ? exceptionOf(error) : new StepError(errors.Canceled, cancel?.reason),
  );
}
