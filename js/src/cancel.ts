// Cancelling a whole flow: now, when its code has left the native stack, or when the closing has ended in
// whose cancel handler it was asked for. Those wait in their tool's `pending`, so that flows that cancel each other are a list, no recursion.

import type { AsyncSteps } from './asyncsteps.js';
import { closeInside } from './closing.js';
import { inNode } from './context.js';
import { endCancelled, finishCancelled, inContext, keepContext } from './end.js';
import { AGAIN, ENDED } from './kind.js';
import { BUSY, CANCELLING, IDLE, KEPT, LATCHED } from './phase.js';
import { Closing, drop } from './tree.js';

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
  const { leaving, pending } = flow.settings.tool;
  if (leaving !== 0) pending.push(flow);
  else cancelFlow(flow, pending.length);
}

/** Performs a latched cancel, and then those that waited for it: they stand behind `mark`. */
export function cancelFlow(flow: AsyncSteps, mark?: number): void {
  performCancel(flow);
  closingEnded(flow, mark);
}

function performCancel(flow: AsyncSteps): void {
  if (inNode && flow.bits & KEPT) return inContext(flow, performCancel, flow);
  flow.bits |= BUSY | CANCELLING;
  const came = closeInside(flow, new Closing(null, null));
  if (came === ENDED) return finishCancelled(flow);
  flow.bits &= ~(BUSY | LATCHED);
  if (came === AGAIN) flow.settings.tool.enqueue(flow);
}

/**
 * A closing has ended: performs the cancels that waited for it, and those that they ask for, flat and in order. A closing in a
 * line's turn has none around it; one that a handler asked for leaves alone what stood in `pending` before.
 */
export function closingEnded({ settings }: AsyncSteps, mark = 0): void {
  const { pending } = settings.tool;
  if (pending.length === mark) return;
  for (let at = mark; at < pending.length; at++) performCancel(pending[at] as AsyncSteps);
  pending.length = mark;
}

/** What was done outside of a turn is over. */
export function endPass(flow: AsyncSteps): void {
  flow.bits &= ~BUSY;
  if (flow.bits & LATCHED) cancelFlow(flow);
}
