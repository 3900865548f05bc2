/** An error on its way: what handlers see of it, and when it happened. */
import type { Step } from './shape.js';
import { StepError, codeOf, Foreign, type Refusal } from './thrown.js';
import { pathOf } from './path.js';

/** What an error was made of, or has replaced; and so on. */
export interface Cause {
  code: string;
  info: string;
  cause?: Cause | undefined;
}

export interface Failure extends Cause {
  /** [error-30] */
  path: string;
  cause: Cause | undefined;
  /** Come first in `also`: the errors of all branches of an `any`, what it has replaced. [flow-12] [error-17] */
  branches: readonly Failure[];
  /** [error-40] */
  also: Failure[];
  /** Its place in the order of all that happened. */
  at: number;
  /** Is it made of an exception that isn't ours ([error-21])? */
  foreign: boolean;
  refusal: Refusal;
}

/** [error-3] [error-28] [error-41] */
export function makeFailure(step: Step, code: string, info = ''): Failure {
  return {
    code,
    info,
    path: pathOf(step),
    cause: undefined,
    branches: [],
    also: [],
    at: step.flow.tool.events++,
    foreign: false,
    refusal: {},
  };
}

/** What an exception that left a body or handler of the step, or the reason of a rejection, is. [error-18] to [error-23] */
export function failureOf(step: Step, thrown: unknown): Failure {
  const failure = makeFailure(step, codeOf(thrown));
  if (thrown instanceof StepError) {
    failure.info = thrown.info;
    failure.refusal = thrown.refusal;
    return failure;
  }
  if (thrown instanceof Foreign) failure.info = thrown.message;
  else if (typeof thrown !== 'string') failure.info = `thrown: ${thrown}`; // [error-53]
  failure.cause = { code: failure.code, info: failure.info };
  failure.foreign = true;
  return failure;
}

/** [error-17] [flow-113]: what was before it is its cause, or the first in its `also`. */
export function replacing(failure: Failure, replaced: Failure): Failure {
  if (failure.cause === undefined) failure.cause = replaced;
  else failure.branches = [replaced, ...failure.branches];
  return failure;
}

/** [error-40]: what went wrong besides, in the order in which it happened. */
export function addAlso(failure: Failure, others: readonly Failure[]): void {
  failure.also.push(...others);
  failure.also.sort((a, b) => a.at - b.at);
}
