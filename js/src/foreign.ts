// What becomes of a value that user code threw: codes are kept where they are portable, messages never become codes.

import { errors } from './codes.js';
import { inNode } from './context.js';
import { StepError, errorPath, factsOf, isCode, newError, placed, raiseAt } from './error.js';
import { carry, repeat } from './errorchain.js';
import { describe, isError, portableCode } from './portable.js';
import type { Step } from './step.js';

/** The record for something that was thrown there, in a step or at a path, or rejected there: then others may hear of it too. Who threw it may keep it. */
export function toRecord(
  thrown: unknown,
  where: Step | string,
  order = 0,
  shared = false,
): StepError {
  return placed(raiseAt(translate(thrown, shared), where, order));
}

/** The error for something that was thrown by code that isn't ours. */
export function translate(thrown: unknown, shared = false): StepError {
  if (isCode(thrown)) return newError(thrown);
  try {
    if (StepError.is(thrown)) return again(thrown, shared);
    if (isError(thrown)) return fromForeign(thrown, shared);
  } catch {
    return carry(newError(errors.InternalError, 'unreadable', thrown), thrown as object);
  }
  return newError(errors.InternalError, `thrown: ${describe(thrown)}`, thrown);
}

/** One that has been through an unwinding, or that others may have too, is one for each: with a path and an `also` of its own. */
function again(error: StepError, shared: boolean): StepError {
  const { code, info, cause } = error;
  const text = typeof info === 'string' ? info : '';
  if (!isCode(code)) return carry(newError(errors.InternalError, text, cause), error);
  // One of another runtime is of one step.
  const isOwn = !shared || (inNode && factsOf(error).from);
  if (isOwn && errorPath(error) === '' && text === info) return error;
  const copy = repeat(newError(code, text, cause), error);
  const { getOwnPropertyDescriptors: fieldsOf } = Object;
  Object.defineProperties(copy, { ...fieldsOf(error), ...fieldsOf(copy) });
  return Object.setPrototypeOf(copy, Object.getPrototypeOf(error));
}

function fromForeign(thrown: Error, shared: boolean): StepError {
  const code = portableCode(thrown) ?? errors.InternalError;
  return carry(newError(code, String(thrown.message), thrown), thrown, shared);
}
