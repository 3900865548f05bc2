// Why jobs fail, as what is kept of it in Redis: codes, texts and paths, of a few errors and of bounded length.

import { StepError } from './index.js';

/** An error of an attempt, or one that it was caused by. */
export interface JobFailure {
  /** Of which attempt, from 1. */
  readonly attempt: number;
  /** Of the error. */
  readonly code: string;
  /** Of the error, or its message: 2000 characters at most. */
  readonly info: string;
  /** Of the step that has raised it: `''` if it's not known. */
  readonly path: string;
}

const mostFailures = 16;
const mostOfOne = 4;
const mostCode = 200;
const mostInfo = 2000;
const mostPath = 500;

/** The error of an attempt, then what has caused it. The program may have made it unreadable. */
export function failuresOf(error: unknown, code: string, attempt: number): JobFailure[] {
  const found: JobFailure[] = [];
  for (let at: unknown = error; at !== undefined && found.length < mostOfOne;) {
    try {
      const known = StepError.of(at) as StepError | undefined;
      const { message = String(at), cause } = Object(at) as Error;
      const own = found.length === 0 ? code : String((at as { code?: unknown }).code ?? '');
      found.push(failure(attempt, own, known?.info ?? message, known?.path ?? ''));
      at = cause;
    } catch {
      break;
    }
  }
  return found.length > 0 ? found : [failure(attempt, code, '', '')];
}

export function failure(attempt: number, code: string, info: string, path = ''): JobFailure {
  const cut = (text: unknown, most: number) => String(text).slice(0, most);
  return {
    attempt,
    code: cut(code, mostCode),
    info: cut(info, mostInfo),
    path: cut(path, mostPath),
  };
}

/** The first attempt's and the last ones'. */
export function together(before: readonly JobFailure[], more: readonly JobFailure[]): JobFailure[] {
  const all = [...before, ...more];
  if (all.length > mostFailures) all.splice(1, all.length - mostFailures);
  return all;
}

/** As they are kept; what isn't readable is none. */
export function failuresIn(text: string): JobFailure[] {
  try {
    const found: unknown = JSON.parse(text);
    if (!Array.isArray(found)) return [];
    return found
      .filter((one) => typeof one === 'object' && one !== null)
      .map(({ attempt, code, info, path }) =>
        failure(Number(attempt), String(code ?? ''), info ?? '', path ?? ''),
      );
  } catch {
    return [];
  }
}
