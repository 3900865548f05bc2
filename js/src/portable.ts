// The codes of exceptions that aren't ours. Needs nothing of the runtime: who hands work to other threads uses it too.

import { errors } from './codes.js';

const portable = /^[A-Za-z_][A-Za-z0-9_]*$/;
/** How many causes of an exception are asked for a code: a chain may be a circle. */
const MOST_CAUSES = 7;

/** Also one of another realm. */
export function isError(thrown: unknown): thrown is Error {
  return thrown instanceof Error || {}.toString.call(thrown) === '[object Error]';
}

/** The same in all realms, for what the language makes. */
export function tagOf(value: unknown): string {
  return {}.toString.call(value);
}

/** The first portable code of an error and its causes. A cause that can't be read has none. [error-18, error-57, error-70] */
export function portableCode(thrown: Error): string | undefined {
  let code = codeIn(thrown);
  try {
    let at: unknown = thrown;
    for (let more = MOST_CAUSES; code === undefined && more > 0; more--) {
      at = (at as Error).cause;
      if (!isError(at)) break;
      code = codeIn(at);
    }
  } catch {
    // Hostile: the exception itself is what counts.
  }
  return code;
}

function codeIn(thrown: object): string | undefined {
  const own = Object.hasOwn(thrown, 'code') ? (thrown as { code?: unknown }).code : undefined;
  if (typeof own === 'string' && portable.test(own)) return own;
  const { name } = thrown as Error;
  if (name === 'TimeoutError') return errors.Timeout;
  return name === 'AbortError' ? errors.Canceled : undefined;
}

/** Or a function. `Object(value) === value` would make an object of each number. */
export function isObject(value: unknown): boolean {
  return typeof value === 'object' ? value !== null : typeof value === 'function';
}

export function describe(value: unknown): string {
  if (typeof value === 'string') return `'${value}'`;
  return isObject(value) ? typeof value : String(value);
}
