// Where the body of a step was written. Who asks has a function that knows it of functions.

import { keepBodiesBy } from './bodies.js';
import { checkFunction } from './error.js';
import type { Kind } from './kind.js';
import { isObject } from './portable.js';
import { kindIf, type Step } from './step.js';

/**
 * Where a function was written, as `file:line:column`; `undefined`: it isn't known. In Node that of a `Locator` of `steptree/locate`.
 * Bodies of steps are known that began to wait after the first question, or after `locator()`.
 * Guide: docs/hangs.md#where-it-was-written
 */
export type Locate = (body: AnyFunction) => string | undefined;

type AnyFunction = (...args: never) => unknown;

/** Where the body of a step was written. Undefined: nobody asks. */
export type SourceOf = ((step: Step) => string | undefined) | undefined;

/** Of steps that wait. */
const bodies = /* @__PURE__ */ new WeakMap<Step, unknown>();

/** What it waits for already, which knows the step, is no body. */
function keep(step: Step): void {
  const { work } = step;
  if (work?.step === undefined) bodies.set(step, work);
}

export function sourceBy(call: string, locate: Locate | undefined): SourceOf {
  if (locate === undefined) return undefined;
  checkFunction(`${call}: locate`, locate);
  keepBodiesBy(keep);
  return (step) => {
    const body = bodyOf(step);
    try {
      const source = body && locate(body);
      return typeof source === 'string' ? source : undefined;
    } catch {
      return undefined;
    }
  };
}

/** Its own, or what its kind calls in it; undefined: it has none, or it waited before somebody asked first. */
function bodyOf(step: Step): AnyFunction | undefined {
  for (const from of [step.work, bodies.get(step), kindIf(step)]) {
    if (typeof from === 'function') return from as AnyFunction;
    const body = isObject(from) ? (from as Kind).body : undefined;
    if (typeof body === 'function') return body as AnyFunction;
  }
  return undefined;
}
