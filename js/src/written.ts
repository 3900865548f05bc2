// Where the body of a step was written. Nothing is noted for it: who asks has a function that knows it of functions.

import { Awaited } from './awaiting.js';
import { Completion } from './completion.js';
import { checkFunction } from './error.js';
import type { Kind } from './kind.js';
import { isObject } from './portable.js';
import { kindIf, type Step } from './step.js';

/**
 * Where a function was written, as `file:line:column`; `undefined`: it isn't known. In Node that of a `Locator` of `steptree/locate`.
 * Guide: docs/hangs.md#where-it-was-written
 */
export type Locate = (body: AnyFunction) => string | undefined;

type AnyFunction = (...args: never) => unknown;

/** Where the body of a step was written. Undefined: nobody asks. */
export type SourceOf = ((step: Step) => string | undefined) | undefined;

export function sourceBy(call: string, locate: Locate | undefined): SourceOf {
  if (locate === undefined) return undefined;
  checkFunction(`${call}: locate`, locate);
  return (step) => {
    const body = bodyOf(step);
    return body && locate(body);
  };
}

/** Its own, or what its kind calls in it; undefined: it has none. What waits has put something else in the body's place. */
function bodyOf(step: Step): AnyFunction | undefined {
  let { work } = step;
  if (work instanceof Awaited) work = work.work;
  if (work instanceof Completion) work = work.work;
  for (const from of [work, kindIf(step)]) {
    if (typeof from === 'function') return from as AnyFunction;
    const body = isObject(from) ? (from as Kind).body : undefined;
    if (typeof body === 'function') return body as AnyFunction;
  }
  return undefined;
}
