// The door to user code: whoever calls some for a step is told whether it came back, and can't overlook that it didn't.
// Only a body is called without it, and asked for its arguments, in `run`: for the bench row `simple`.

import { watch } from './awaiting.js';
import { latchThrown } from './latch.js';
import { OBSERVED } from './phase.js';
import { report } from './report.js';
import { isCancelled } from './shelter.js';
import { type Step, within } from './step.js';
import { thenOf } from './thenable.js';

/** The flow was cancelled meanwhile, so nothing of the step is to be touched. */
export const CANCELLED: unique symbol = /* @__PURE__ */ Symbol();
/** What was thrown is latched. */
export const THREW: unique symbol = /* @__PURE__ */ Symbol();

export type Cancellable<R> = R | typeof CANCELLED;
export type Entered<R> = Cancellable<R> | typeof THREW;

/** Calls `call(a, b)`. */
export function enter<A, B, R>(step: Step, call: (a: A, b: B) => R, a: A, b: B): Entered<R> {
  let returned: R | typeof THREW;
  try {
    returned = step.line.flow.bits & OBSERVED ? within(step, call, a, b) : call(a, b);
  } catch (thrown) {
    latchThrown(step, thrown);
    returned = THREW;
  }
  if (!isCancelled(step.line)) return returned;
  watchCancelled(step, returned);
  return CANCELLED;
}

/** The flow was cancelled in the code that returned this: it is cancelled with it. */
export function watchCancelled(step: Step, returned: unknown): void {
  try {
    const then = thenOf(returned);
    if (then !== undefined) watch(step, returned, then);
  } catch (thrown) {
    report(step, thrown);
  }
}
