// What a step awaits: what its body returned, what an `await` was given, the next item of an async iterable. It is AWAITING meanwhile.
//
// A settlement arrives as a microtask, so after the tool callback in which it happened. It claims: what the body left is
// applied in the line's turn. One that comes when the step isn't AWAITING any more is late, and ignored.

import { abandon, type Abandoned } from './abandoned.js';
import { keepBody } from './bodies.js';
import { Ended } from './child.js';
import type { Completion } from './completion.js';
import { latchMistake, latchThrown, leaveReturned, leaveValues } from './latch.js';
import {
  AWAITING,
  BUSY,
  CLAIMED,
  FAIL,
  GIVEN,
  KNOWN,
  LEFT,
  OBSERVED,
  OK,
  PHASES,
  WAIT,
  WAIT_EXTERNAL,
  WAITING,
} from './phase.js';
import { forgetUndo, type Step, within } from './step.js';
import { enterLeaving, follow, handleQueuedRejection, type Then, thenOf } from './thenable.js';
import { disarmStep } from './timer.js';

/**
 * What a promise knows of a step that awaits it. A promise may live as long as the process and be awaited a million times, and keeps
 * whom it has to tell: it's cut from the step that is left before.
 */
export class Awaited {
  declare step: Step | null;
  declare readonly awaitable: unknown;
  /** What is the work of a step that doesn't wait for a promise, if that is its completion. */
  declare work: Completion | null;
  /** What is left to do for it when its step is closed. Before: whether it can be cancelled, and counts in `awaiters`. */
  declare abandoned: Abandoned | boolean | null;

  constructor(step: Step, awaitable: unknown, cancels: boolean) {
    this.step = step;
    this.awaitable = awaitable;
    keepBody?.(step);
    this.work = (step.bits & KNOWN) === 0 ? null : step.work;
    this.abandoned = cancels;
    if (cancels) awaiters.set(awaitable as object, 1 + (awaiters.get(awaitable as object) ?? 0));
  }

  /** The step awaits it no more: whether it can be cancelled, and no other step awaits it. */
  isLast(): boolean {
    if (this.abandoned !== true) return false;
    this.abandoned = false;
    const others = awaiters.get(this.awaitable as object)! - 1;
    awaiters.set(this.awaitable as object, others);
    return others === 0;
  }

  /** It has settled with that, while the step awaits it. */
  fulfilled(step: Step, value: unknown): void {
    if (value === undefined) return;
    if (value instanceof Ended) leaveAll(step, value.values);
    else if ((step.bits & GIVEN) === 0) leaveReturned(step, value);
    else leaveValues(step, 1, value);
  }

  /** It is rejected, while the step awaits it. */
  rejected(_step: Step): void {}

  /** Its step is left before. Gives what says when it has stopped, if that takes time. */
  exit(step: Step): unknown {
    this.step = null;
    step.work = this.work;
    this.work = null;
    const answer = enterLeaving(step, () => {
      const given = this.isLast() && (this.awaitable as { cancel(): unknown }).cancel();
      return thenOf(given) && given;
    });
    this.abandoned = abandon(step, answer !== undefined);
    return answer;
  }
}

/** How many steps await what can be cancelled. */
const awaiters = /* @__PURE__ */ new WeakMap<object, number>();

/** Waits for the awaitable. */
export function watch(step: Step, awaitable: unknown, then: Then | undefined): void {
  const cancels = then !== undefined && typeof (awaitable as any).cancel === 'function';
  listen(step, (step.work = new Awaited(step, awaitable, cancels)), then);
}

/** To wait is all that the step does now; it is left alone until what it awaits has settled. */
export function listen(step: Step, awaited: Awaited, then: Then | undefined): void {
  step.bits = (step.bits & ~PHASES) | AWAITING;
  if (step.tail !== null) handleQueuedRejection(step.tail.link!);
  if (step.line.flow.bits & OBSERVED) within(step, hear, awaited, then);
  else hear(awaited, then);
}

function hear(awaited: Awaited, then: Then | undefined): void {
  follow(
    awaited.awaitable,
    then,
    (value) => fulfilled(awaited, value),
    (reason) => rejected(awaited, reason),
  );
}

function leaveAll(step: Step, values: readonly unknown[]): void {
  const [a, b, c, d] = values;
  if (values.length > 0) leaveValues(step, values.length, a, b, c, d);
}

function left({ abandoned }: Awaited): Abandoned | null {
  return typeof abandoned === 'boolean' ? null : abandoned;
}

function fulfilled(awaited: Awaited, value: unknown): void {
  const { step } = awaited;
  if (step === null) return left(awaited)?.over();
  if ((step.bits & AWAITING) === 0) return;
  awaited.isLast();
  const isObject = typeof value === 'object' || typeof value === 'function';
  if (isObject) step.line.flow.bits |= BUSY;
  try {
    awaited.fulfilled(step, value);
  } catch (mistake) {
    latchThrown(step, mistake);
  }
  if (isObject) leaveSettled(step);
  else settled(step);
}

function rejected(awaited: Awaited, reason: unknown): void {
  const { step } = awaited;
  if (step === null) return left(awaited)?.failed(awaited.awaitable as object, reason);
  if ((step.bits & AWAITING) === 0) return;
  awaited.isLast();
  const { flow } = step.line;
  flow.bits |= BUSY;
  awaited.rejected(step);
  latchThrown(step, reason, true);
  leaveSettled(step);
}

/** To look at what has come was to call code of the user's, which may have cancelled the flow. */
function leaveSettled(step: Step): void {
  step.line.flow.endPass();
  if (step.bits & AWAITING) settled(step);
}

/** A step that only waits for an external event now does so at once. Timer and cancel handler stay if the step goes on. */
function settled(step: Step): void {
  latchMistake(step); // what comes from outside before the line's turn finds it
  const { bits, options, line, tail } = step;
  if (bits & KNOWN) step.work = (step.work as Awaited).work;
  if (tail === null && (bits & (OK | FAIL | WAIT_EXTERNAL)) === WAIT_EXTERNAL) {
    step.bits = (bits & ~(PHASES | LEFT)) | WAITING;
    return;
  }
  if (options !== null) {
    const failed = (bits & FAIL) !== 0;
    if (failed || tail === null) disarmStep(step);
    if (!failed && tail === null) forgetUndo(options);
  }
  step.bits = (bits & ~(PHASES | WAIT)) | CLAIMED;
  line.flow.settings.tool.resume(line);
}
