// What a step says about its own end. In a body it is latched: bits on the step, values in the line's slot, a failure in the
// line's latch; the tree moves when the body has returned. On a waiting step it is claimed: the same, and the line goes to the
// tail of its queue, where the claim is performed.

import { errors } from './codes.js';
import {
  capture,
  checkLabel,
  type Failure,
  invalidUse,
  isCode,
  LoopControl,
  misuse,
  nextOrder,
  raisedBy,
  type StepError,
} from './error.js';
import { toRecord } from './foreign.js';
import {
  CLAIMED,
  DEFERRED,
  FAIL,
  FOREVER,
  INNER,
  LATCHING,
  LEFT,
  OBLIGES,
  OK,
  OK_TWICE,
  ROUND,
  ROUNDS,
  VALID,
  WAIT_EXTERNAL,
} from './phase.js';
import { describe, isObject } from './portable.js';
import { isValue } from './returned.js';
import { forgetUndo, kindOf, type Step } from './step.js';
import { disarmStep } from './timer.js';
import { clearResults, Results } from './results.js';
import { openInside, Queueable } from './tree.js';

export function requireValid(step: Step, call: string): void {
  const { bits } = step;
  if (bits & VALID) return;
  const why = bits & INNER ? ' while its steps run: use theirs' : '';
  throw invalidUse(`${call}: the accessor is not valid${why}`);
}

export function raise(step: Step, info: string, cause?: unknown): StepError {
  return raisedBy(step, errors.InternalError, info, cause);
}

/** `success(values)` of the accessor. */
export function succeed(
  step: Step,
  n: number,
  a: unknown,
  b: unknown,
  c: unknown,
  d: unknown,
): void {
  requireValid(step, 'success');
  if ((step.bits & OK) !== 0 && n <= 4) step.bits |= OK_TWICE;
  else leaveValues(step, n, a, b, c, d);
}

/** Latches or claims ok; more values than fit are a failure of the step. */
export function leaveValues(
  step: Step,
  n: number,
  a?: unknown,
  b?: unknown,
  c?: unknown,
  d?: unknown,
): void {
  if (n > 4)
    return void leaveFailure(step, raise(step, `success: expected at most 4 values, got ${n}`));
  const { line } = step;
  line.results = n;
  line.value = n > 1 ? new Results(a, b, c, d) : a;
  if (step.bits & LATCHING) step.bits |= OK;
  else claim(step, OK);
}

/** What a body has returned, or its awaitable has brought. Throws what becomes the step's error. */
export function leaveReturned(step: Step, returned: unknown): void {
  if (Queueable.is(returned)) return void openInside(step, returned, 0, step.count++);
  if (!isValue(returned)) return;
  const { bits, tail } = step;
  if (bits & (OK | FAIL | ROUND | DEFERRED | OBLIGES)) return;
  const also = tail !== null ? 'steps were added' : 'waitExternal was called';
  if (tail !== null || bits & WAIT_EXTERNAL) throw misuse(`a value was returned, and ${also}`);
  leaveValues(step, 1, returned);
}

/** A body or handler is over: if it said two things at once, and didn't fail, that is its failure. */
export function latchMistake(step: Step): void {
  const { bits } = step;
  const twice = (bits & OK_TWICE) !== 0;
  if ((bits & FAIL) !== 0 || (!twice && ((bits & OK) === 0 || step.tail === null))) return;
  step.line.latch = raise(step, `success was called ${twice ? 'twice' : 'and steps were added'}`);
  step.bits |= FAIL;
}

/** `error(code)` of the accessor: latches, or claims. Returns what is to be thrown, null for a claim. */
export function fail(
  step: Step,
  code: unknown,
  info: unknown,
  cause?: unknown,
  above?: unknown,
): Failure | null {
  requireValid(step, 'error');
  return leaveFailure(step, makeError(step, code, info, cause, above));
}

const objectOf = (given: unknown) => (isObject(given) ? given : undefined);

/** An object in the place of something else isn't lost: it may be an error. Frames are kept from the caller of `above`. */
export function makeError(
  step: Step,
  code: unknown,
  info: unknown,
  cause: unknown,
  above: unknown = makeError,
): StepError {
  if (!isCode(code)) {
    return raise(step, `error: expected a code, got ${describe(code)}`, objectOf(code));
  }
  if (info !== undefined && typeof info !== 'string') {
    throw misuse(`error: expected a string as info, got ${describe(info)}`, objectOf(info));
  }
  const error = raisedBy(step, code, info, cause);
  return step.line.flow.settings.captureStacks ? capture(error, above) : error;
}

/** `break` and `continue` of the accessor. Their loop is found now; none is an error at this very step. */
export function steer(
  step: Step,
  action: 'break' | 'continue',
  label: string | undefined,
): Failure | null {
  requireValid(step, action);
  const loop = findLoop(step, checkLabel(action, label));
  return leaveFailure(
    step,
    loop === null
      ? raise(step, `${action}: no loop '${label ?? ''}' around`)
      : new LoopControl(action, loop),
  );
}

/** Latches, or claims. Returns what is to be thrown, null for a claim. */
export function leaveFailure(step: Step, failure: Failure): Failure | null {
  const { line } = step;
  line.latch = failure;
  if (step.bits & LATCHING) {
    step.bits |= FAIL;
    return failure;
  }
  claim(step, FAIL);
  return null;
}

/** The outcome of a waiting step is known: nothing of its own can come in between, an outer closing still can. */
function claim(step: Step, left: number): void {
  const { options } = step;
  if (options !== null) {
    disarmStep(step);
    if (left === OK) forgetUndo(options);
  }
  step.bits = (step.bits & FOREVER) | CLAIMED | left;
  step.line.flow.settings.tool.enqueue(step.line);
}

/** Takes note of what user code threw, or a promise was rejected with, unless it is what the standing latch threw. */
export function latchThrown(step: Step, thrown: unknown, shared = false): void {
  const { line } = step;
  if (line.latch !== null && line.latch === thrown) return;
  step.bits |= FAIL;
  if (LoopControl.is(thrown) && isOpenAround(thrown.loop, step)) {
    line.latch = thrown;
    return;
  }
  line.latch = toRecord(thrown, step, nextOrder(), shared);
}

/** A control signal that was kept may come from anywhere; it counts only where its loop is. */
function isOpenAround(loop: Step, step: Step): boolean {
  let at: Step | null = step;
  while ((at.bits & DEFERRED) === 0 && (at = at.link) !== null) if (at === loop) return true;
  return false;
}

/** Takes the latched failure and forgets whatever else was left. */
export function takeFailure(step: Step): Failure {
  const { line } = step;
  const failure = line.latch!;
  line.latch = null;
  step.bits &= ~LEFT;
  clearResults(line);
  return failure;
}

/** The same for what can't leave a loop. */
export function takeError(step: Step): StepError {
  const failure = takeFailure(step);
  return LoopControl.is(failure) ? toRecord(failure, step, nextOrder()) : failure;
}

/** The innermost loop around the step, or the nearest with the label; null if the line, or its cleanup, has none. */
function findLoop(step: Step, label: string): Step | null {
  let at: Step | null = step;
  while ((at.bits & DEFERRED) === 0 && (at = at.link) !== null) {
    const found = at.bits & ROUNDS ? kindOf(at).label : undefined;
    if (found !== undefined && (label === '' || label === found)) return at;
  }
  return null;
}
