// What is awaitable: any object or function with a `then`. Here is how one is asked, heard, and kept from being an unhandled rejection.
//
// - A `then` is read once. One that isn't the language's own is called from within a promise of ours, which tames it.

import { misuse, placed, StepError } from './error.js';
import { translate } from './foreign.js';
import type { Kind } from './kind.js';
import { GIVEN } from './phase.js';
import { isObject } from './portable.js';
import { placeOf, report, reportAt } from './report.js';
import { type Step, within } from './step.js';

export type Then = PromiseLike<unknown>['then'];

/** The `then` of an awaitable, read once; undefined if it is none. Throws what reading it throws. */
export function thenOf(value: unknown): Then | undefined {
  if (!isObject(value)) return;
  const { then } = value as PromiseLike<unknown>;
  return typeof then === 'function' ? then : undefined;
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
const handled = /* @__PURE__ */ new WeakSet<object>();

/**
 * A rejection that comes before the step opens belongs to the flow that awaits it, not to the process; also if it never opens. One of
 * another realm or class is handled too, though its own `then` is only asked when the step opens.
 */
export function handleRejection(awaitable: unknown): void {
  try {
    if (handled.has(awaitable as object)) return;
    void Promise.prototype.then.call(awaitable as Promise<unknown>, undefined, ignore);
    handled.add(awaitable as object);
  } catch {
    // It is no promise.
  }
}

/** A step that would have opened when its body returned is dropped, or has to wait for more. */
export function handleQueuedRejection({ bits, work }: Step): void {
  if (bits & GIVEN) handleRejection((work as Kind).awaitable);
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
    if (then === Promise.prototype.then) return void then.call(awaitable, onValue, onReason);
  } catch {
    // No promise, a subclass that can't be derived from, or a proxy: tamed as the rest.
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

/**
 * Calls user code of a step that is left or closes. Cancels of other flows that this asks for wait; what it throws is not the closing's
 * business.
 */
export function enterLeaving<R>(step: Step, call: () => R): R | undefined {
  const { tool } = step.line.flow.settings;
  tool.leaving++;
  try {
    return within(step, call);
  } catch (thrown) {
    report(step, thrown);
    return undefined;
  } finally {
    tool.leaving--;
  }
}

/** Of what has to answer at once. */
export function refusePromise(step: Step, call: string, returned: unknown): void {
  if (watchRejection(step, returned)) throw misuse(`${call}: expected no promise`);
}
