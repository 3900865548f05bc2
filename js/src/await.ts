// Awaitables: of an `await` step, returned by a body, and the promises of an async iterable. The step is AWAITING meanwhile.
//
// A settlement arrives as a microtask, so after the tool callback in which it happened. It claims: what the body left is
// applied in the line's turn. One that comes when the step isn't AWAITING any more is late, and ignored.

import { latchThrown, leaveValues } from './latch.js';
import { receive } from './loop.js';
import {
  AWAITING,
  CLAIMED,
  FAIL,
  LOOP,
  OK,
  OK_TWICE,
  PHASES,
  WAIT,
  WAIT_EXTERNAL,
} from './phase.js';
import { report } from './report.js';
import type { Step } from './step.js';
import { disarmStep } from './timer.js';

export function isThenable(value: unknown): value is PromiseLike<unknown> {
  if (value === null || (typeof value !== 'object' && typeof value !== 'function')) return false;
  return typeof (value as { then?: unknown }).then === 'function';
}

/** Waits for the awaitable, which is all that the step does now; it is left alone until that has settled. */
export function watch(step: Step, awaitable: unknown): void {
  step.bits = (step.bits & ~PHASES) | AWAITING;
  if ((step.bits & LOOP) === 0) step.work = awaitable;
  adopt(awaitable).then(
    (value) => fulfilled(step, value),
    (reason) => rejected(step, reason),
  );
}

/** Whether `then` is the language's own: it starts nothing and calls nothing back before it has returned. */
export function isNative(awaitable: unknown): awaitable is Promise<unknown> {
  return awaitable instanceof Promise && awaitable.then === Promise.prototype.then;
}

/** A native promise as it is; anything else behind one, which tames what a thenable may do. */
function adopt(awaitable: unknown): Promise<unknown> {
  if (isNative(awaitable)) return awaitable;
  return new Promise((resolve, reject) => {
    if (isThenable(awaitable)) awaitable.then(resolve, reject);
    else resolve(awaitable);
  });
}

function fulfilled(step: Step, value: unknown): void {
  if ((step.bits & AWAITING) === 0) return;
  if ((step.bits & LOOP) !== 0) receive(step, value);
  else if (value !== undefined && (step.bits & (OK | FAIL)) === 0 && step.tail === null) {
    leaveValues(step, 1, value, undefined, undefined, undefined);
  }
  settled(step);
}

function rejected(step: Step, reason: unknown): void {
  if ((step.bits & AWAITING) === 0) return;
  latchThrown(step, reason);
  settled(step);
}

/** Timer and cancel handler stay if the step goes on: with sub-steps, or waiting for an external event. */
function settled(step: Step): void {
  const { bits, options, line } = step;
  if (options !== null) {
    const failed = (bits & (FAIL | OK_TWICE)) !== 0 || ((bits & OK) !== 0 && step.tail !== null);
    const goesOn = step.tail !== null || (bits & (OK | WAIT_EXTERNAL)) === WAIT_EXTERNAL;
    if (failed || !goesOn) disarmStep(step);
    if (!failed && !goesOn) options.cancel = null;
  }
  const left = (bits & WAIT_EXTERNAL) === 0 ? ~(PHASES | WAIT) : ~PHASES;
  step.bits = (bits & left) | CLAIMED;
  line.flow.settings.tool.resume(line);
}

/** The step is closed before: who can be told is told, and the settlement is for nobody. */
export function cancelAwaited(step: Step): void {
  if ((step.bits & LOOP) !== 0) return;
  try {
    const { work } = step;
    if (typeof work.cancel === 'function') watchRejection(step, work.cancel());
  } catch (thrown) {
    report(step, thrown);
  }
}

/** Nobody waits for it, but its failure is heard of, unless that is known. */
export function watchRejection(step: Step, returned: unknown, known?: unknown): boolean {
  if (!isThenable(returned)) return false;
  adopt(returned).then(undefined, (reason) => {
    if (!known || reason !== known) report(step, reason);
  });
  return true;
}
