/** Completions: the right to end a waiting step, from anywhere. */
import { claim } from './claim.js';
import { makeFailure } from './failure.js';
import { latchError } from './latch.js';
import { sheltered } from './shelter.js';
import type { Step, Values } from './shape.js';
import type { Refusal } from './thrown.js';

export interface Completion {
  step: Step;
  /** Made in an error handler: never valid ([external-10]). */
  dead: boolean;
}

/** [external-1] */
export function waitExternal(step: Step): Completion {
  step.external = true;
  return { step, dead: step.phase === 'handler' };
}

/** [external-2] [external-5] to [external-11], [cancel-22] [cancel-25] [cleanup-42] */
export function completionValid({ step, dead }: Completion): boolean {
  if (dead || (step.flow.cancel !== undefined && !sheltered(step))) return false;
  if (step.phase === 'body' || step.phase === 'awaiting') return step.said.length === 0;
  return step.phase === 'waiting';
}

/** [external-2] [external-12] [external-16] */
export function completeOk(completion: Completion, values: Values): boolean {
  if (!completionValid(completion)) return false;
  sayOk(completion.step, values);
  return true;
}

/** [external-2] [external-12] [error-35] */
export function completeError(
  completion: Completion,
  code: string,
  info?: string,
  refusal?: Refusal,
): boolean {
  if (!completionValid(completion)) return false;
  sayError(completion.step, code, info, undefined, refusal);
  return true;
}

/** [external-7] [external-13] [results-8]: a running body latches, a waiting step is claimed. */
export function sayOk(step: Step, values: Values): void {
  if (values.length > 4) sayError(step, 'InternalError', 'more than 4 values');
  else if (step.phase === 'waiting') claim(step, { what: 'ok', values });
  else step.said.push({ what: 'success', values });
}

/** [error-1] [error-2] [external-13] */
export function sayError(
  step: Step,
  code: string,
  info = '',
  signal?: unknown,
  refusal: Refusal = {},
): void {
  const failure =
    code === ''
      ? makeFailure(step, 'InternalError', 'an error has a code')
      : makeFailure(step, code, info);
  failure.refusal = refusal;
  if (step.phase === 'waiting') claim(step, { what: 'error', failure });
  else latchError(step, failure, signal);
}
