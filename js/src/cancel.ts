// Cancel handlers, and cancelling a whole flow: now, when its code has left the native stack, or when the closing has ended in
// whose cancel handler it was asked for. Those wait in `pending`, so that flows that cancel each other are a list, no recursion.

import type { AsyncSteps } from './asyncsteps.js';
import { watchRejection } from './await.js';
import { Cancelled, finishCancelled } from './end.js';
import type { StepError } from './error.js';
import { BUSY, CANCEL, FOREVER, IDLE, LATCHED } from './phase.js';
import { report } from './report.js';
import { view } from './state.js';
import type { Step } from './step.js';
import { cancelInside } from './unwind.js';

let inCancelHandler = 0;
const pending: AsyncSteps[] = [];
let draining = false;

/** At most once; what it throws is not the closing's business. */
export function callCancelHandler(step: Step, passing: StepError | null): void {
  const options = step.options!;
  const handler = options.cancel!;
  options.cancel = null;
  step.bits = (step.bits & FOREVER) | CANCEL;
  const before = view(passing);
  inCancelHandler++;
  try {
    watchRejection(step, handler(step));
  } catch (thrown) {
    report(step, thrown);
  }
  inCancelHandler--;
  view(before);
}

/** `flow.cancel()`: performed now, or as soon as nothing of the flow is on the native stack. */
export function requestCancel(flow: AsyncSteps, reason: string | undefined): void {
  if ((flow.bits & IDLE) !== 0) {
    flow.tail = null;
    flow.count = 0;
    return;
  }
  if ((flow.bits & LATCHED) !== 0) return;
  flow.ending = new Cancelled(flow.ending, reason);
  flow.bits |= LATCHED;
  if ((flow.bits & BUSY) !== 0) return;
  if (inCancelHandler !== 0) pending.push(flow);
  else cancelFlow(flow);
}

/** Performs a latched cancel. */
export function cancelFlow(flow: AsyncSteps): void {
  flow.bits |= BUSY;
  flow.settings.tool.remove(flow);
  cancelInside(flow, null, null);
  finishCancelled(flow);
  closingEnded();
}

/** A closing has ended: performs the cancels that waited for it, and those that they ask for, flat and in order. */
export function closingEnded(): void {
  if (pending.length === 0 || draining) return;
  draining = true;
  for (let next = pending.shift(); next !== undefined; next = pending.shift()) cancelFlow(next);
  draining = false;
}
