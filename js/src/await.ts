// Awaitables: of an `await` step, returned by a body, and the promises of an async iterable. The step is AWAITING meanwhile.
//
// A settlement arrives as a microtask, so after the tool callback in which it happened. It claims: what the body left is
// applied in the line's turn. One that comes when the step isn't AWAITING any more is late, and ignored.

import { type Abandoned, abandon } from './abandoned.js';
import { Ended } from './child.js';
import type { Completion } from './completion.js';
import { latchThrown, leaveValues } from './latch.js';
import { type Loop, receive, refuse } from './loop.js';
import {
  AWAIT,
  AWAITING,
  BUSY,
  CLAIMED,
  FAIL,
  KNOWN,
  LEFT,
  LOOP,
  OK,
  OK_TWICE,
  PHASES,
  WAIT,
  WAIT_EXTERNAL,
  WAITING,
} from './phase.js';
import { misuse, placed, StepError } from './error.js';
import { translate } from './foreign.js';
import { placeOf, report, reportAt } from './report.js';
import type { Step } from './step.js';
import { disarmStep, endPass } from './timer.js';
import { forgetUndo } from './tree.js';

/**
 * What a promise knows of a step that awaits it. A promise may live as long as the process and be awaited a million times, and keeps
 * whom it has to tell: it's cut from the step that is left before.
 */
export class Awaited {
  declare step: Step | null;
  declare readonly awaitable: unknown;
  /** What is the work of a step that doesn't wait for a promise. */
  declare completion: Completion | null;
  /** What is left to do for it when its step is closed. Before: whether it can be cancelled, and counts in `awaiters`. */
  declare abandoned: Abandoned | boolean | null;

  constructor(step: Step, awaitable: unknown, cancels = false) {
    this.step = step;
    this.awaitable = awaitable;
    this.completion = (step.bits & KNOWN) === 0 ? null : step.work;
    this.abandoned = cancels;
    if (cancels) awaiters.set(awaitable as object, 1 + (awaiters.get(awaitable as object) ?? 0));
  }

  /** The step awaits it no more: whether it can be cancelled, and no other step awaits it. */
  isLast(): boolean {
    if (this.abandoned !== true) return false;
    const others = awaiters.get(this.awaitable as object)! - 1;
    awaiters.set(this.awaitable as object, others);
    return others === 0;
  }
}

/** How many steps await what can be cancelled. */
const awaiters = /* @__PURE__ */ new WeakMap<object, number>();

type Then = PromiseLike<unknown>['then'];

/** The `then` of an awaitable, read once; undefined if it is none. Throws what reading it throws. */
export function thenOf(value: unknown): Then | undefined {
  if (value === null || (typeof value !== 'object' && typeof value !== 'function')) return;
  const { then } = value as PromiseLike<unknown>;
  return typeof then === 'function' ? then : undefined;
}

/** Waits for the awaitable, which is all that the step does now; it is left alone until that has settled. */
export function watch(step: Step, awaitable: unknown, then: Then | undefined): void {
  const cancels = (step.bits & LOOP) === 0 && then !== undefined && isCancellable(awaitable);
  const awaited = new Awaited(step, awaitable, cancels);
  step.bits = (step.bits & ~PHASES) | AWAITING;
  if (step.bits & LOOP) (step.work as Loop).awaited = awaited;
  else step.work = awaited;
  if (step.tail !== null) hushQueued(step.tail.link!);
  follow(
    awaitable,
    then,
    (value) => fulfilled(awaited, value),
    (reason) => rejected(awaited, reason),
  );
}

function isCancellable(awaitable: unknown): boolean {
  return typeof (awaitable as { cancel?: unknown }).cancel === 'function';
}

/** Whether `then` is the language's own: it starts nothing and calls nothing back before it has returned. */
function isNative(awaitable: unknown, then: Then | undefined): then is Then {
  return then === Promise.prototype.then && awaitable instanceof Promise;
}

/** Whether it is a native promise; undefined if it can't be awaited at all. */
export function isPromise(awaitable: unknown): boolean | undefined {
  try {
    const then = thenOf(awaitable);
    return then && isNative(awaitable, then);
  } catch (thrown) {
    throw translate(thrown);
  }
}

function ignore(): void {}

/** Promises of which a rejection has been taken care of: once is enough, however many flows await them. */
const hushed = /* @__PURE__ */ new WeakSet<object>();

/**
 * A rejection that comes before the step opens belongs to the flow that awaits it, not to the process; also if it never opens. One of
 * another realm or class is handled too, though its own `then` is only asked when the step opens.
 */
export function hush(awaitable: unknown): void {
  try {
    if (hushed.has(awaitable as object)) return;
    void Promise.prototype.then.call(awaitable as Promise<unknown>, undefined, ignore);
    hushed.add(awaitable as object);
  } catch {
    // It is no promise.
  }
}

/** A step that would have opened when its body returned is dropped, or has to wait for more. */
export function hushQueued({ bits, work }: Step): void {
  if (bits & AWAIT) hush(work);
}

/**
 * Tells a settlement, as a microtask. A promise of our own tames what any other `then` may do, but for one that settles with its own
 * object: that would be asked for ever, without anybody else getting a turn.
 */
export function follow(
  awaitable: unknown,
  then: Then | undefined,
  onValue: ((value: unknown) => void) | undefined,
  onReason: (reason: unknown) => void,
): void {
  try {
    if (isNative(awaitable, then)) return void then.call(awaitable, onValue, onReason);
  } catch {
    // A subclass that can't be derived from, or a proxy: tamed as the rest.
  }
  const own = new Promise((resolve, reject) => {
    if (then === undefined) resolve(awaitable);
    else
      then.call(
        awaitable,
        (value) =>
          value === awaitable ? reject(misuse('a thenable settles with itself')) : resolve(value),
        reject,
      );
  });
  own.then(onValue, onReason);
}

function left({ abandoned }: Awaited): Abandoned | null {
  return typeof abandoned === 'boolean' ? null : abandoned;
}

function fulfilled(awaited: Awaited, value: unknown): void {
  const { step } = awaited;
  if (step === null) return left(awaited)?.over();
  if ((step.bits & AWAITING) === 0) return;
  awaited.isLast();
  if (step.bits & LOOP) receive(step, value);
  else if (value !== undefined && (step.bits & (OK | FAIL)) === 0 && step.tail === null) {
    if (value instanceof Ended) leaveAll(step, value);
    else leaveValues(step, 1, value, undefined, undefined, undefined);
  }
  settled(step);
}

function leaveAll(step: Step, { values: [a, b, c, d], values: { length } }: Ended): void {
  if (length > 0) leaveValues(step, length, a, b, c, d);
}

/** To look at the reason is to call code of the user's, which may cancel the flow. */
function rejected(awaited: Awaited, reason: unknown): void {
  const { step } = awaited;
  if (step === null) return left(awaited)?.failed(awaited.awaitable as object, reason);
  if ((step.bits & AWAITING) === 0) return;
  awaited.isLast();
  const { flow } = step.line;
  flow.bits |= BUSY;
  if (step.bits & LOOP) refuse(step);
  latchThrown(step, reason, true);
  endPass(flow);
  if (step.bits & AWAITING) settled(step);
}

/** A step that only waits for an external event now does so at once. Timer and cancel handler stay if the step goes on. */
function settled(step: Step): void {
  const { bits, options, line, tail } = step;
  if (bits & KNOWN) step.work = (step.work as Awaited).completion;
  if (tail === null && (bits & (OK | FAIL | WAIT_EXTERNAL)) === WAIT_EXTERNAL) {
    step.bits = (bits & ~(PHASES | LEFT)) | WAITING;
    return;
  }
  if (options !== null) {
    const failed = (bits & (FAIL | OK_TWICE)) !== 0 || ((bits & OK) !== 0 && tail !== null);
    if (failed || tail === null) disarmStep(step);
    if (!failed && tail === null) forgetUndo(options);
  }
  step.bits = (bits & ~(PHASES | WAIT)) | CLAIMED;
  line.flow.settings.tool.resume(line);
}

/** The step is closed before. Gives what says when it has stopped, if that takes time. */
export function cancelAwaited(step: Step): unknown {
  const awaited: Awaited = step.work;
  awaited.step = null;
  step.work = awaited.completion;
  awaited.completion = null;
  let answer: unknown;
  let takesTime = false;
  try {
    if (awaited.isLast()) {
      answer = (awaited.awaitable as { cancel(): unknown }).cancel();
      takesTime = thenOf(answer) !== undefined;
    }
  } catch (thrown) {
    report(step, thrown);
  }
  awaited.abandoned = abandon(step, takesTime);
  return takesTime ? answer : undefined;
}

/** Nobody waits for the next item of an async source any more. */
export function cut(loop: Loop): void {
  if (loop.awaited !== null) loop.awaited.step = null;
}

/** Nobody waits for it, but its failure is heard of, unless that is known. It keeps nothing of the flow: it may never settle. */
export function watchRejection(step: Step, returned: unknown, known?: unknown): boolean {
  const then = thenOf(returned);
  if (then === undefined) return false;
  const place = placeOf(step);
  if (StepError.is(known)) placed(known);
  follow(returned, then, undefined, (reason) => {
    if (!known || reason !== known) reportAt(place, reason);
  });
  return true;
}

/** Of what has to answer at once. */
export function refusePromise(step: Step, call: string, returned: unknown): void {
  if (watchRejection(step, returned)) throw misuse(`${call}: expected no promise`);
}
