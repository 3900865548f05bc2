/** Deadlines of steps. */
import { closeInside, closing, silent } from './closing.js';
import { makeFailure, addAlso } from './failure.js';
import { leave } from './leave.js';
import { standing } from './latch.js';
import type { Step, StepTimer } from './shape.js';
import { misuse } from './thrown.js';
import { cancelEntry, deferred } from './tool.js';
import { cancelled } from './usercode.js';
import { waitingIn } from './waiting.js';

/** [timeout-13] [timeout-19] to [timeout-24]: the step's one timer, counted from this call. */
export function arm(step: Step, delay: number, code = 'Timeout'): void {
  if (!(delay >= 0)) throw misuse('a delay is a number from 0 up');
  if (code === '') throw misuse('a code is a text');
  cancelTimer(step, step.timer);
  step.timer = timerOf(step, delay, () => fire(step, code)); // [timeout-31]
}

/** [timeout-14] */
export function disarm(step: Step, limit = true): void {
  cancelTimer(step, step.timer);
  step.timer = undefined;
  if (!limit) return;
  cancelTimer(step, step.limit);
  step.limit = undefined;
}

export function timerOf(step: Step, delay: number, fires: () => void): StepTimer {
  if (delay === Number.POSITIVE_INFINITY) return { entry: undefined };
  return { entry: deferred(step.flow.tool, delay, fires) };
}

function cancelTimer(step: Step, timer: StepTimer | undefined): void {
  if (timer?.entry !== undefined) cancelEntry(step.flow.tool, timer.entry);
}

/** A timer that is no deadline. */
export function startTimer(step: Step, delay: number, fires: () => void): void {
  step.timer = timerOf(step, delay, () => {
    step.timer = undefined;
    fires();
  });
}

/** A limit that the step can't move: a shield's, a deferred function's. */
export function armLimit(step: Step, delay: number, fires: () => void): void {
  cancelTimer(step, step.limit);
  step.limit = timerOf(step, delay, fires);
}

/** [cleanup-80] to [cleanup-84]: to the nearest deadline outwards; beyond what shields the step none counts. */
export function remaining(step: Step): number {
  let due = Number.POSITIVE_INFINITY;
  for (let frame: Step | undefined = step; frame !== undefined; frame = frame.parent) {
    due = Math.min(due, frame.timer?.entry?.due ?? due, frame.limit?.entry?.due ?? due);
    if (frame.kind === 'shield' || frame.kind === 'deferred') break;
  }
  return Math.max(0, due - step.flow.tool.now);
}

/** [timeout-1] to [timeout-10], [timeout-26] [cleanup-38]: the inside is closed in silence, then the owner fails. */
export function fire(step: Step, code = 'Timeout'): void {
  const failure = makeFailure(step, code); // [error-35]
  failure.refusal = { waits: waitingIn(step) };
  const why = silent(failure);
  closing(step.flow, () => {
    disarm(step, step.kind !== 'deferred');
    closeInside(step.line!, step, why, () => {
      const own = ['awaiting', 'claimed'].includes(step.phase)
        ? (step.claim ?? standing(step))
        : undefined;
      if (own?.what === 'error') why.overtaken.push(own.failure); // [timeout-12] [timeout-30]
      addAlso(failure, why.overtaken);
      leave(step, { how: 'error', failure });
    });
  });
  closing(step.flow, () => cancelled(step.flow.root)); // [cancel-41]: after those that waited for this one
}
