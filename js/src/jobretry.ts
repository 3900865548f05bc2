// Whether a job is tried again, and when: the options of `retry`, over processes.

import { errors, finals } from './codes.js';
import { type Backoff, retry, type RetryOptions, StepError } from './index.js';
import { checkNames, expected } from './redisoptions.js';

/** Those of `retry`, without a budget. */
export type JobRetry = Omit<RetryOptions, 'budget'>;

/** They are checked as those of `retry` are. */
export function jobRetryOf(options: JobRetry): JobRetry {
  const { max, backoff, on } = checkNames('worker: retry', options, 'max backoff on');
  retry({ max, backoff, on }, () => undefined);
  return {
    max,
    backoff: { ...backoff },
    on: typeof on === 'function' || on === undefined ? on : [...on],
  };
}

/** How long the job waits after its attempt of that number has failed, in milliseconds; -1: there is no other. `chance`: from 0 to 1. */
export function waitAfter(
  { max, backoff = {}, on }: JobRetry,
  attempt: number,
  code: string,
  error: unknown,
  chance: number,
): number {
  if (attempt >= max) return -1;
  const answer = asked(on, code, error);
  if (answer === false || answer === undefined) return -1;
  if (answer !== true) return Math.ceil(answer);
  const grown = base(backoff) * (backoff.factor ?? 2) ** (attempt - 1);
  const wait = Math.min(backoff.cap ?? 20_000, grown) * (1 - (backoff.jitter ?? 1) * chance);
  return Math.ceil(Math.max(wait, refusal(error)));
}

const base = (backoff: Backoff): number => backoff.base ?? 100;

function asked(on: JobRetry['on'], code: string, error: unknown): boolean | number | undefined {
  // What a library throws has no code of its own, and may be mended by waiting.
  if (on === undefined) return code === errors.InternalError || !finals.includes(code);
  if (typeof on !== 'function') return on.includes(code as never);
  const answer: unknown = on(code as never, error);
  const isTime = typeof answer === 'number' && answer >= 0 && answer < Infinity;
  if (answer === undefined || typeof answer === 'boolean' || isTime)
    return answer as boolean | number;
  throw expected('worker: retry: on', 'true, false or a time', answer);
}

/** How long a guard lets nobody in. */
function refusal(error: unknown): number {
  try {
    const after = StepError.of(error)?.retry_after ?? 0;
    return after > 0 && after < Infinity ? after : 0;
  } catch {
    return 0;
  }
}
