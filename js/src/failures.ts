// Errors as texts that go through Redis: codes, infos and paths, of a few errors and of bounded length.

import { StepError } from './index.js';

/** An error of another process, or one that it was caused by. */
export interface Failure {
  /** Of the error. */
  readonly code: string;
  /** Of the error, or its message: 2000 characters at most. */
  readonly info: string;
  /** Of the step that has raised it: `''` if it's not known. */
  readonly path: string;
  /** In how many milliseconds the guard that has refused lets the next one in; `undefined`: it doesn't say, or none has. */
  readonly retry_after?: number | undefined;
}

const mostOfOne = 4;
const mostCode = 200;
const mostInfo = 2000;
const mostPath = 500;

/** The error, then what has caused it. The program may have made it unreadable. */
export function failuresOf(error: unknown, code: string): Failure[] {
  const found: Failure[] = [];
  for (let at: unknown = error; at !== undefined && found.length < mostOfOne;) {
    try {
      const known = StepError.of(at) as StepError | undefined;
      const { message = String(at), cause } = Object(at) as Error;
      const own = found.length === 0 ? code : String((at as { code?: unknown }).code ?? '');
      const info = known?.info ?? message;
      found.push(makeFailure(own, info, known?.path ?? '', known?.retry_after));
      at = cause;
    } catch {
      break;
    }
  }
  return found.length > 0 ? found : [makeFailure(code, '')];
}

export function makeFailure(code: string, info: string, path = '', retryAfter?: unknown): Failure {
  const cut = (text: unknown, most: number) => String(text).slice(0, most);
  const isTime = typeof retryAfter === 'number' && retryAfter >= 0 && retryAfter < Infinity;
  return {
    code: cut(code, mostCode),
    info: cut(info, mostInfo),
    path: cut(path, mostPath),
    ...(isTime && { retry_after: retryAfter }),
  };
}

/** What a text says that may be anybody's: each thing in the list that may be one, and nothing of what isn't readable. */
export function listIn(text: string): Record<string, unknown>[] {
  try {
    const found: unknown = JSON.parse(text);
    if (!Array.isArray(found)) return [];
    return found.filter((one) => typeof one === 'object' && one !== null);
  } catch {
    return [];
  }
}

export function failureIn({ code, info, path, retry_after }: Record<string, unknown>): Failure {
  return makeFailure(textIn(code), textIn(info), textIn(path), retry_after);
}

/** What is no text may not even be one for `String`. */
function textIn(given: unknown): string {
  return typeof given === 'string' ? given : '';
}

/** As a reply has them: the error, then what has caused it. */
export function failuresIn(text: string): Failure[] {
  return listIn(text).slice(0, mostOfOne).map(failureIn);
}
