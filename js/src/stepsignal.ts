// The signal of a step: made when it's asked for, and aborted when the step is left.

import { errors } from './codes.js';
import { reasonOfCancel } from './end.js';
import { exceptionOf, StepError } from './error.js';
import type { ISignal, Signal } from './iasyncsteps.js';
import { optionsOf, type Step } from './step.js';

/** The platform's, as far as it's used here. */
export interface Aborter {
  readonly signal: ISignal;
  abort(reason: unknown): void;
}

declare const AbortController: new () => Aborter;

export function signalOf(step: Step): Signal {
  return (optionsOf(step).aborter ??= new AbortController()).signal as Signal;
}

/** The step is left: with an error, its own or one further out, or because nobody wants it any more. */
export function abortSignal(step: Step, error: StepError | null): void {
  const options = step.options!;
  const aborter = options.aborter!;
  options.aborter = null;
  aborter.abort(
    error === null
      ? new StepError(errors.Canceled, reasonOfCancel(step.line.flow))
      : exceptionOf(error),
  );
}
