// The codes of exceptions that aren't ours. Needs nothing of the runtime: who hands work to other threads uses it too.

import { errors } from './codes.js';

const portable = /^[A-Za-z_]\w*$/;
/** How many are asked for a code, an exception and its causes: a chain may be a circle. */
const MOST_ASKED = 8;

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
  let at: unknown = thrown;
  try {
    for (let left = MOST_ASKED; isError(at); at = at.cause) {
      const code = codeIn(at);
      if (code || --left === 0) return code;
    }
  } catch {
    // Hostile: the exception itself is what counts.
  }
  return undefined;
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
