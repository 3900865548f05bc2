// Closing: what goes outwards through open steps, an error, loop control, a timeout, a cancel.
//
// - All of it is loops over `line.top`, whatever the depth. Only frames of the line, then of its parent's line, are touched.
// - After every call of user code the flow's latch is looked at: once a cancel is latched, the closing becomes that cancel and
//   the error is dropped; but for a line that is sheltered, which doesn't hear of it.
// - What has to wait is noted where it waits, and `unwind` goes on from there when that is over. A line whose cleanup begins goes
//   on as one that has recovered does.
// - The order of the questions to a step is the law: it cleans up, it stops what it has begun, it's left, its kind, its handler, what
//   is due. The clearest account of it is `spec/model/closing.ts`.

import { closingEnded } from './cancel.js';
import { cleansUp, closeOwing, fault, overtake } from './cleanup.js';
import { closeInside, dropLatch } from './closing.js';
import { finishCancelled, finishError } from './end.js';
import { CANCELLED } from './enter.js';
import { type Failure, type LoopControl, StepError } from './error.js';
import { betweenRounds, close, closeAs, leave, popShelter } from './frame.js';
import { callHandler } from './handler.js';
import { AGAIN, ENDED, type HostedLine, type Hosts } from './kind.js';
import { takeFailure } from './latch.js';
import { DUE, FAILS, FOREVER, INNER, OK, SHELTERED } from './phase.js';
import { isCancelled, shelterIf, shelterOf } from './shelter.js';
import { kindOf, type Step } from './step.js';
import { stops } from './stopping.js';
import { clearResults } from './results.js';
import { type Closing, type Line, openLine } from './tree.js';

/**
 * Performs a closing of the line, or takes a failure outwards from its top. If a line goes on after that (it has recovered, or begins a
 * cleanup) it is enqueued; but `turning`, whose turn this is, isn't: then returns true, and the caller goes on with it.
 */
export function unwind(
  line: Line,
  failure: Failure | null,
  closing: Closing | null,
  turning: Line | null,
): boolean {
  const { flow } = line;
  const goesOn = closeOutwards(line, failure, closing);
  if (goesOn !== null && goesOn !== turning) flow.settings.tool.enqueue(goesOn);
  // A flow that is cancelled goes on closing: what waits is performed when that has ended.
  if (goesOn !== null || !isCancelled(openLine(line))) closingEnded(flow);
  return goesOn !== null && goesOn === turning && !isCancelled(goesOn);
}

/** Returns the line that goes on, if any. */
function closeOutwards(start: Line, first: Failure | null, noted: Closing | null): Line | null {
  const { flow } = start;
  let line = start;
  let failure = first;
  let closing = noted;
  let target = targetOf(first);
  for (;;) {
    if (closing !== null) {
      const inside = closeInside(line, closing);
      if (inside !== ENDED) return inside === AGAIN ? line : null;
      if (closing.whole !== null) {
        const { host } = line as HostedLine;
        const hosts = kindOf(host) as Hosts;
        if (hosts.branchLeft(line as HostedLine) !== 0) return null;
        line = host.line;
        ({ closing } = hosts);
        hosts.closing = null;
        continue;
      }
      ({ failure } = closing);
      if (closing.stop === null) {
        finishCancelled(flow);
        return null;
      }
      if (isCancelled(line)) return null;
      if (failure === null) return line;
      closing = target = null;
      dropLatch(line, failure as StepError);
    }
    const step = line.top;
    if (step === null) {
      if (line === flow) {
        finishError(flow, failure as StepError);
        return null;
      }
      const { host } = line as HostedLine;
      closing = (kindOf(host) as Hosts).branchFailed(line as HostedLine, failure as StepError);
      if (closing === null) return null;
      line = host.line; // the branch isn't counted off yet: closeInside finds it without steps, and does so
      continue;
    }
    if (step === target) {
      return arrive(line, step, failure as LoopControl) ? line : null;
    }
    // No loop control comes here: none is found beyond a deferred function.
    if (shelterIf(step)?.cleans) {
      fault(line, step, failure as StepError);
      return line;
    }
    if (stops(step, failure, null)) return null;
    let error = target === null ? (failure as StepError) : null;
    leave(step, error);
    if (isCancelled(line)) return null;
    if (error !== null && (step.bits & FAILS) !== 0) {
      const left = kindOf(step).failed!(step, error);
      if (left === CANCELLED) return null;
      if (left === null) return line;
      failure = error = left;
    }
    if (error !== null && step.options?.onerror) {
      const left = callHandler(step, error);
      if (left === CANCELLED) return null;
      if (left === null && (step.bits & OK) === 0) return line;
      failure = left;
      target = targetOf(failure);
    }
    if (step.bits & DUE) {
      if (cleansUp(line, step, failure, null)) return line;
      closing = closeOwing(line, step, failure);
      if (closing === null && isCancelled(line)) return null;
    } else {
      closeAs(line, step, failure, null);
      if (isCancelled(line)) return null;
    }
    if (failure === null && closing === null) return line;
  }
}

/** A step that is DUE has ended with ok, or its cleanup is over, in its line's turn. Returns whether that goes on. */
export function closeOk(line: Line, step: Step): boolean {
  if (cleansUp(line, step, null, null)) return true;
  const failure = shelterIf(step)?.failure ?? null;
  const closing = closeOwing(line, step, failure);
  if (closing !== null || (failure !== null && !isCancelled(line)))
    return unwind(line, failure, closing, line);
  return afterClosing(line);
}

/** A step has closed in its line's turn: performs the cancels that waited for that. Returns whether the line goes on. */
function afterClosing(line: Line): boolean {
  if (!isCancelled(line)) closingEnded(line.flow);
  return !isCancelled(line);
}

/** The loop that a `break` or `continue` goes to; an error has none. It's asked what errors are: to ask what they aren't is 10 % of `error_nothrow`. */
function targetOf(failure: Failure | null): Step | null {
  return failure === null || StepError.is(failure) ? null : failure.loop;
}

/** Whether the line goes on. */
function arrive(line: Line, loop: Step, control: LoopControl): boolean {
  clearResults(line);
  if (control.action === 'break') {
    if (stops(loop, null, null)) return false;
    close(line, loop);
  } else {
    betweenRounds(loop);
  }
  return true;
}

/** The step's failure goes outwards. Returns whether the line goes on in this turn. */
export function fail(line: Line, step: Step): boolean {
  return unwind(line, takeFailure(step), null, line);
}

/** Returns whether the line goes on in this turn. */
export function afterStop(line: Line, step: Step): boolean {
  const shelter = shelterOf(step);
  const { closing, failure } = shelter;
  shelter.stop = shelter.failure = null;
  step.bits = (step.bits & FOREVER) | INNER;
  if (shelter.stays()) return unwind(line, failure, null, line);
  popShelter(line, step);
  step.bits &= ~SHELTERED;
  if (closing !== null) overtake(line, closing, failure, false);
  if (closing !== null || failure !== null) return unwind(line, failure, closing, line);
  close(line, step);
  return afterClosing(line);
}
