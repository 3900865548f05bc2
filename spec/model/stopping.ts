/** What a step has begun is stopped when the step is left; what takes time to stop is waited for. */
import { abandon } from './abandoned.js';
import { whenSettled } from './awaitable.js';
import { closeInside, closing, type Why } from './closing.js';
import { enqueue } from './line.js';
import type { Step } from './shape.js';
import { absorb } from './shelter.js';
import { StepError } from './thrown.js';
import { disarm, startTimer } from './timeout.js';
import { callUser, cancelled } from './usercode.js';

/** The way of a closing that waits in its step for the end of what it has stopped. */
export interface Stopping {
  why: Why;
  /** Closes the rest of the frame. */
  rest: () => void;
}

/** [promise-16] [promise-17] [cleanup-100]: then `rest`, at once or when it has ended. */
export function stopAwaited(step: Step, why: Why, rest: () => void): void {
  const { awaited } = step;
  step.awaited = undefined;
  if (awaited === undefined || why.how === 'ok') return rest();
  awaited.awaiters--;
  const stops = awaited.settled === undefined && awaited.awaiters === 0;
  if (stops && awaited.cancel !== undefined) {
    callUser(step, undefined, true, () => awaited.cancel!());
    const abandons = why.how === 'silent' && why.abandons; // [cleanup-105]
    abandon(step, awaited, awaited.lasts);
    if (awaited.lasts && !abandons) return wait(step, why, rest);
  } else {
    abandon(step, awaited, false);
  }
  rest();

  function wait(left: Step, because: Why, goesOn: () => void): void {
    left.phase = 'stopping';
    left.stopping = { why: because, rest: goesOn };
    startTimer(left, left.flow.grace, () => tooLate(left)); // [cleanup-104]
    whenSettled(awaited!, () => over(left));
  }

  function tooLate(left: Step): void {
    closing(left.flow, () => {
      left.flow.hooks.report(new StepError('Timeout'));
      cancelled(left.flow.root);
    });
    over(left);
  }
}

function over(step: Step): void {
  if (step.phase !== 'stopping') return;
  step.phase = 'stopped';
  disarm(step, step.kind !== 'deferred'); // [cleanup-60]
  enqueue(step.line!);
}

/** [cleanup-101] [cleanup-102]: the widest closing that has come goes on; a shield holds it up for longer. */
export function afterStop(step: Step): void {
  const { line, kind, stopping } = step;
  const { why, rest } = stopping!;
  step.phase = 'closing';
  step.stopping = undefined;
  const waiting = line!.putOff.find(({ shelter }) => shelter === step);
  if (waiting === undefined || kind === 'shield') return rest();
  line!.putOff = line!.putOff.filter((other) => other !== waiting);
  absorb(waiting.why, why);
  closeInside(line!, waiting.owner, waiting.why, waiting.then);
}
