// Why jobs fail, as what is kept of it in Redis: the errors of a few attempts.

import {
  type Failure,
  failureIn,
  makeFailure,
  failuresOf as errorsOf,
  listIn,
} from './failures.js';

/** An error of an attempt, or one that it was caused by. */
export interface JobFailure extends Pick<Failure, 'code' | 'info' | 'path'> {
  /** Of which attempt, from 1. */
  readonly attempt: number;
}

const mostFailures = 16;

/** The error of an attempt, then what has caused it. */
export function failuresOf(error: unknown, code: string, attempt: number): JobFailure[] {
  return errorsOf(error, code).map((one) => of(attempt, one));
}

export function failure(attempt: number, code: string, info: string): JobFailure {
  return of(attempt, makeFailure(code, info));
}

/** The first attempt's and the last ones'. */
export function together(before: readonly JobFailure[], more: readonly JobFailure[]): JobFailure[] {
  const all = [...before, ...more];
  if (all.length > mostFailures) all.splice(1, all.length - mostFailures);
  return all;
}

/** As they are kept; what isn't readable is none. */
export function failuresIn(text: string): JobFailure[] {
  return listIn(text).map((one) => {
    const { attempt } = one;
    return of(typeof attempt === 'number' ? attempt : 0, failureIn(one));
  });
}

function of(attempt: number, { code, info, path }: Failure): JobFailure {
  return { attempt, code, info, path };
}
