// An open step, as something that is left and closed: what it holds is let go here, and nowhere else.
//
// - To leave it is to stop what it has begun, to call its cancel handler and to abort its signal. It stays the top of its line.
// - To close it takes it from the line, and pays what it owes, whatever it closes for.

import type { Completion } from './completion.js';
import type { Failure, StepError } from './error.js';
import type { Kind } from './kind.js';
import {
  AWAITING,
  CANCEL,
  CLOSED,
  CLOSES,
  DEFERRED,
  EXITS,
  FOREVER,
  INNER,
  KNOWN,
  OBLIGES,
  OWED,
  ROUND,
  SHELTERED,
  TOLD,
} from './phase.js';
import { shelterOf } from './shelter.js';
import { kindOf, type Step, watcherOf } from './step.js';
import { abortSignal } from './stepsignal.js';
import { enterLeaving, watchRejection } from './thenable.js';
import { disarmStep } from './timer.js';
import { clearResults } from './results.js';
import { type Closing, drop, type Line } from './tree.js';
import { endView, view } from './view.js';

/**
 * The first part of leaving a frame: what is queued in it is dropped, it leaves the queues that it waits in, and what it has begun is
 * asked to stop. Gives what says when that has stopped; undefined if that takes no time.
 */
export function stopBegun(step: Step): unknown {
  if (step.tail !== null) drop(step);
  const { bits, options } = step;
  if (options !== null) disarmStep(step);
  if ((bits & (AWAITING | EXITS)) === 0) return undefined;
  const answer = bits & AWAITING ? (step.work as Kind).exit!(step) : undefined;
  if (bits & AWAITING) step.bits = (step.bits & FOREVER) | CANCEL;
  const own = bits & EXITS ? kindOf(step).exit!(step) : undefined;
  return answer && own ? Promise.all([answer, own]) : (answer ?? own);
}

/**
 * The second part: who asked for it hears that the frame is left, which stays the top.
 * `passing` goes through the frame, `whole` closes it from outside.
 */
export function leave(step: Step, passing: StepError | null, whole: Closing | null = null): void {
  const { bits, options } = step;
  const aborts = options?.aborts;
  const handler = options?.cancel;
  if (!aborts && !handler && (bits & (OBLIGES | EXITS)) === 0) return;
  step.bits = (bits & FOREVER) | CANCEL;
  if (aborts) enterLeaving(step, () => abortSignal(step, passing, whole));
  if (!handler) return;
  options.cancel = null; // it's called once
  watcherOf(step)?.cancel(step);
  if (passing !== null) view(step.line.flow, passing);
  enterLeaving(step, () => watchRejection(step, handler(step)));
  if (passing !== null) endView();
}

/** The step is left for good; its parent is the innermost open one now. */
export function close(line: Line, step: Step): void {
  closeAs(line, step, null, null);
}

/** The same; it has failed, or is closed from outside. */
export function closeAs(
  line: Line,
  step: Step,
  failure: Failure | null,
  closing: Closing | null,
): void {
  if (step.options !== null) disarmStep(step);
  if (step.bits & ROUND) clearResults(line);
  if (step.bits & CLOSES) closeSpecial(line, step, failure, closing);
  step.bits = (step.bits & FOREVER) | CLOSED;
  line.top = step.link;
}

/** What is left for another reason than ok is in the phase CANCEL. */
function closeSpecial(
  line: Line,
  step: Step,
  failure: Failure | null,
  closing: Closing | null,
): void {
  const { bits } = step;
  if (bits & KNOWN) (step.work as Completion).step = null;
  if (bits & SHELTERED) popShelter(line, step);
  if (bits & OWED) {
    step.bits = (bits & FOREVER) | CANCEL;
    kindOf(step).closed!(step, failure, closing);
  }
  if (bits & (OBLIGES | DEFERRED)) {
    clearResults(line);
    if (bits & DEFERRED) line.flow.settings.tool.disarm(shelterOf(step.link!));
    else if ((bits & CANCEL) === 0) step.link!.bits |= OWED;
  }
  if (bits & TOLD) {
    step.bits = (bits & FOREVER) | CLOSED;
    watcherOf(step)?.closed(step, failure, closing);
  }
}

export function popShelter(line: Line, step: Step): void {
  const options = step.options!;
  const { stop } = shelterOf(step);
  if (stop !== null) stop.step = null;
  line.deadline = options.timer!.outer;
  options.timer = null;
}

/** Between two rounds the step itself is the innermost open one, and runs nothing. */
export function betweenRounds(step: Step): void {
  step.bits = (step.bits & FOREVER) | INNER;
}
