// Leaving a frame, and cancelling a whole flow: now, when its code has left the native stack, or when the closing has ended in
// whose cancel handler it was asked for. Those wait in `pending`, so that flows that cancel each other are a list, no recursion.

import type { AsyncSteps } from './asyncsteps.js';
import { cancelAwaited, watchRejection } from './await.js';
import { BEGINS, CANCELLED, CLOSED, closeInside } from './closing.js';
import { inNode } from './context.js';
import { endCancelled, finishCancelled, inContext, keepContext } from './end.js';
import type { StepError } from './error.js';
import type { ISync } from './iasyncsteps.js';
import { exitLoop } from './loop.js';
import {
  AWAITING,
  BUSY,
  CANCEL,
  CANCELLING,
  FOREVER,
  IDLE,
  KEPT,
  LATCHED,
  LOCK,
  LOOP,
  MAP,
  WAITER,
} from './phase.js';
import { report } from './report.js';
import { abortSignal } from './signal.js';
import type { Step } from './step.js';
import { disarmStep } from './timer.js';
import { drop } from './tree.js';
import { endView, view } from './view.js';
import type { Waiter } from './waiters.js';

/** How many frames are being left: their owners' code is on the stack. */
let leaving = 0;
const pending: AsyncSteps[] = [];

/**
 * The first part of leaving a frame: what is queued in it is dropped, it leaves the queues that it waits in, and what it has begun is
 * asked to stop. Gives what says when that has stopped; undefined if that takes no time. Does nothing the second time.
 */
export function stopBegun(step: Step): unknown {
  if (step.tail !== null) drop(step);
  const { bits, options } = step;
  if (options !== null) disarmStep(step);
  if ((bits & (AWAITING | LOOP | WAITER | MAP)) === 0) return undefined;
  let answer: unknown;
  leaving++;
  if (bits & WAITER) (options as Waiter).leave();
  if (bits & LOOP) answer = exitLoop(step, step.work, (bits & AWAITING) === 0);
  else if (bits & MAP) answer = exitLoop(step, step.work.loop, !step.work.pending);
  else if (bits & AWAITING) answer = cancelAwaited(step);
  if (bits & AWAITING) step.bits = (step.bits & FOREVER) | CANCEL;
  leaving--;
  return answer;
}

/**
 * One frame: everything that it holds is let go, but it stays the top. Cancels of other flows that this asks for wait. `passing` goes
 * through the frame, `wider` is what will be raised further out.
 */
export function leave(
  step: Step,
  passing: StepError | null,
  wider: StepError | null = passing,
): void {
  const answer = stopBegun(step);
  if (answer !== undefined) watchRejection(step, answer);
  const { bits, options } = step;
  const aborts = options !== null && options.aborter !== null;
  const handles = options !== null && options.cancel !== null;
  if (!aborts && !handles && (bits & (LOCK | WAITER)) === 0) return;
  step.bits = (bits & FOREVER) | CANCEL;
  leaving++;
  if (aborts) abortSignal(step, wider);
  if (handles) callCancelHandler(step, passing);
  leaving--;
}

/** Calls what a step owes in closing, with nothing of an error in view; the closing goes on whatever comes of it. */
export function pay(step: Step, guard: ISync): void {
  step.bits = (step.bits & FOREVER) | CANCEL;
  leaving++;
  try {
    watchRejection(step, guard.unlock(step));
  } catch (thrown) {
    report(step, thrown);
  }
  leaving--;
}

/** At most once; what it throws is not the closing's business. */
function callCancelHandler(step: Step, passing: StepError | null): void {
  const options = step.options!;
  const handler = options.cancel!;
  options.cancel = null;
  if (passing !== null) view(step.line.flow, passing);
  try {
    watchRejection(step, handler(step));
  } catch (thrown) {
    report(step, thrown);
  }
  if (passing !== null) endView();
}

/** `flow.cancel()`: performed now, or as soon as nothing of the flow is on the native stack. */
export function requestCancel(flow: AsyncSteps, reason: string | undefined, cause?: unknown): void {
  if (flow.bits & IDLE) {
    drop(flow);
    flow.count = 0;
    return;
  }
  if (flow.bits & (LATCHED | CANCELLING)) return;
  endCancelled(flow, reason, cause);
  flow.bits |= LATCHED;
  if (flow.bits & BUSY) return;
  if (inNode && (flow.bits & KEPT) === 0) keepContext(flow, false);
  if (leaving !== 0) pending.push(flow);
  else cancelFlow(flow, pending.length);
}

/** Performs a latched cancel, and then those that waited for it: they stand behind `mark`. */
export function cancelFlow(flow: AsyncSteps, mark?: number): void {
  perform(flow);
  closingEnded(mark);
}

function perform(flow: AsyncSteps): void {
  if (inNode && flow.bits & KEPT) return inContext(flow, perform, flow);
  flow.bits |= BUSY | CANCELLING;
  const came = closeInside(flow, CANCELLED);
  if (came === CLOSED) return finishCancelled(flow);
  flow.bits &= ~(BUSY | LATCHED);
  if (came === BEGINS) flow.settings.tool.enqueue(flow);
}

/**
 * A closing has ended: performs the cancels that waited for it, and those that they ask for, flat and in order. A closing in a
 * line's turn has none around it; one that a handler asked for leaves alone what stood in `pending` before.
 */
export function closingEnded(mark = 0): void {
  if (pending.length === mark) return;
  for (let at = mark; at < pending.length; at++) perform(pending[at]!);
  pending.length = mark;
}
