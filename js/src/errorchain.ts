// How errors stand to each other, and to what the program has thrown: beside, before, or in the place of.

import { exceptionOf, factsOf, placed, records, StepError } from './error.js';
import { copyOf } from './errortext.js';

/** Whose `also` such an exception shows. */
const shown = /* @__PURE__ */ new WeakMap<object, StepError>();

/** It stands for something that user code threw, which may have been through an unwinding before; or through those of others. */
export function carry(error: StepError, thrown: object, shared = false): StepError {
  const facts = factsOf(error);
  facts.foreign = thrown;
  const before = shown.get(thrown);
  if (before && !shared) facts.later = [...factsOf(before).later!];
  return error;
}

/** A flow has failed with it: what it stands for is found again. */
export function keepRecord(error: StepError): unknown {
  const { foreign } = factsOf(error);
  if (foreign) records.set(foreign, placed(error));
  return exceptionOf(error);
}

/** It is the same as that one for another unwinding. */
export function repeat(error: StepError, source: StepError): StepError {
  const facts = factsOf(error);
  const { later } = factsOf(source);
  facts.source = source;
  facts.later = later && [...later];
  return error;
}

/** Joins a later error to the `also` of the first. */
export function join(first: StepError, later: StepError): void {
  const facts = factsOf(first);
  (facts.later ??= []).push(placed(later));
  const { foreign } = facts;
  const before = foreign && shown.get(foreign);
  if (foreign && !(before && factsOf(before).later === facts.later))
    facts.foreign = showing(first, foreign);
}

/** The program has thrown the earlier one once more: they are one error to it. */
export function isAgain(error: StepError, earlier: StepError): boolean {
  const { source } = factsOf(error);
  const exception = exceptionOf(earlier);
  return source === exception || source === earlier || exceptionOf(error) === exception;
}

/**
 * The one was raised in the place of the other, or after it: that is its cause, or stands in its `also`. If they are the same for the
 * program, so is their `also`.
 */
export function replace(error: StepError, by: StepError): void {
  const exception = exceptionOf(error);
  const facts = factsOf(by);
  if (isAgain(by, error)) {
    if (by !== exception) facts.foreign = exception;
    facts.later = factsOf(error).later;
    return;
  }
  const shown = facts.foreign ?? by;
  try {
    if (StepError.is(shown) && (shown.cause ??= exception) === exception) return;
  } catch {
    // Frozen by the program.
  }
  join(by, error);
}

/**
 * A foreign exception shows the errors that came after it as ours do. One that shows those of another flow already is two from now on: each
 * flow has its own.
 */
function showing(first: StepError, foreign: object): object {
  try {
    const target = shown.has(foreign) ? copyOf(foreign) : foreign;
    Object.defineProperty(target, 'also', { configurable: true, get: () => first.also });
    shown.set(target, first);
    records.set(target, first);
    return target;
  } catch {
    return foreign; // Frozen, or hostile: then only our own record has them.
  }
}
