// Closing: what goes outwards through open steps, an error, loop control, a timeout, a cancel.
//
// - All of it is loops over `line.top`, whatever the depth. Only frames of the line, then of its parent's line, are touched.
// - After every call of user code the flow's latch is looked at: once a cancel is latched, the closing becomes that cancel and
//   the error is dropped.
// - A cancel that is asked for in another flow's cancel handler waits in `pending` until the closing that is under way has ended.

import type { AsyncSteps } from './asyncsteps.js';
import { cancelAwaited, isThenable, watchRejection } from './await.js';
import { type Failure, LoopControl, StepError } from './error.js';
import { Cancelled, finishCancelled, finishError } from './finish.js';
import { latchThrown, raise, takeFailure } from './latch.js';
import { betweenIterations, exitLoop } from './loop.js';
import { closeBranch, nextOpenBranch } from './parallel.js';
import {
  AWAITING,
  BUSY,
  CANCEL,
  FOREVER,
  HANDLED,
  HANDLER,
  IDLE,
  INNER,
  LATCHED,
  LEFT,
  LOOP,
  OK,
  OK_TWICE,
  PARALLEL,
  PHASES,
} from './phase.js';
import { report } from './report.js';
import { view } from './state.js';
import type { Step } from './step.js';
import { disarmStep } from './timer.js';
import { type Branch, clearResults, close, type Line } from './tree.js';

let inCancelHandler = 0;
const pending: AsyncSteps[] = [];
let draining = false;

/** Takes a failure outwards from the line's top. Returns the line that goes on: recovered there, or null. */
export function unwind(line: Line, failure: Failure): Line | null {
  const goesOn = closeOutwards(line, failure);
  if (pending.length !== 0 && (line.flow.bits & LATCHED) === 0) drain();
  return goesOn;
}

function closeOutwards(start: Line, first: Failure): Line | null {
  const { flow } = start;
  let line = start;
  let failure = first;
  for (;;) {
    if ((flow.bits & LATCHED) !== 0) return null;
    const step = line.top;
    if (step === null) {
      if (line === flow) {
        finishError(flow, failure as StepError);
        return null;
      }
      line = leaveBranch(line as Branch, failure as StepError);
      continue;
    }
    if (LoopControl.is(failure)) {
      if (step === failure.loop) {
        arrive(line, step, failure);
        return line;
      }
      leave(step, null);
    } else {
      leave(step, failure);
      if ((flow.bits & LATCHED) !== 0) return null;
      if (step.onerror !== null && (step.bits & HANDLED) === 0) {
        const outcome = handle(line, step, failure);
        if (outcome === null) return line;
        failure = outcome;
      }
    }
    if ((flow.bits & LATCHED) !== 0) return null;
    close(line, step);
  }
}

/** The first branch has failed: its siblings are cancelled before anybody hears of it. */
function leaveBranch(line: Branch, error: StepError): Line {
  const { host } = line;
  closeBranch(line);
  cancelInside(host.line, host, error);
  return host.line;
}

function arrive(line: Line, loop: Step, control: LoopControl): void {
  clearResults(line);
  if (control.action === 'break') {
    exitLoop(loop);
    close(line, loop);
  } else {
    betweenIterations(loop);
  }
}

/** One frame: everything that it holds is let go, but it stays the top. */
function leave(step: Step, passing: StepError | null): void {
  step.tail = null;
  const { options } = step;
  if (options !== null) disarmStep(step);
  if ((step.bits & AWAITING) !== 0) cancelAwaited(step);
  if (options !== null && options.cancel !== null) callCancel(step, passing);
  if ((step.bits & LOOP) !== 0) exitLoop(step);
}

function callCancel(step: Step, passing: StepError | null): void {
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

/**
 * Calls the error handler. A timer or cancel handler that it set is for the steps that it added, also if a cancel then takes
 * them; without any it has no effect. Returns what goes on to the parent, null if the step has recovered.
 */
function handle(line: Line, step: Step, error: StepError): Failure | null {
  step.bits = (step.bits & FOREVER) | HANDLER | HANDLED;
  const before = view(error);
  let returned: unknown;
  try {
    returned = step.onerror!(step, error.code);
  } catch (thrown) {
    latchThrown(step, thrown);
  }
  view(before);
  const failure = verdict(line, step, error, returned);
  if (failure === null) return null;
  if ((line.flow.bits & LATCHED) !== 0 && step.tail !== null) return error;
  step.tail = null;
  if (step.options !== null) {
    disarmStep(step);
    step.options.cancel = null;
  }
  if (failure !== error && StepError.is(failure)) chain(failure, error);
  return failure;
}

function verdict(line: Line, step: Step, error: StepError, returned: unknown): Failure | null {
  const { bits } = step;
  const asynchronous = returned !== undefined && isAsynchronous(step, returned);
  if ((line.flow.bits & LATCHED) !== 0) return error;
  if (line.latch !== null) return takeFailure(step);
  if ((bits & OK_TWICE) !== 0) return mistake(line, step, 'success was called twice');
  if (step.tail !== null) {
    if ((bits & OK) !== 0) return mistake(line, step, 'success was called, and steps were added');
    step.bits = (bits & ~(PHASES | LEFT)) | INNER;
    return null;
  }
  if ((bits & OK) !== 0) {
    close(line, step);
    return null;
  }
  if (asynchronous)
    return mistake(line, step, 'a handler returned a promise: add an async step instead');
  return error;
}

function isAsynchronous(step: Step, returned: unknown): boolean {
  try {
    if (!isThenable(returned)) return false;
    watchRejection(step, returned);
    return true;
  } catch (thrown) {
    latchThrown(step, thrown);
    return false;
  }
}

function mistake(line: Line, step: Step, info: string): StepError {
  clearResults(line);
  return raise(step, info);
}

/** What a handler raises tells what it replaced; exceptions of others are left as they are. */
function chain(failure: StepError, replaced: StepError): void {
  if (failure.exception === failure && failure.cause === undefined) {
    failure.cause = replaced.exception;
  }
}

/**
 * Cancels everything inside `stop` (an open step of the line; null: the whole line), innermost first, branches in add order.
 * No error handler runs. Errors that were claimed inside join `into`.
 */
export function cancelInside(line: Line, stop: Step | null, into: StepError | null): void {
  const { tool } = line.flow.settings;
  let at = line;
  for (;;) {
    const { top } = at;
    if (top !== null && (top.bits & PARALLEL) !== 0) {
      const branch = nextOpenBranch(top);
      if (branch !== null) {
        tool.remove(branch);
        at = branch;
        continue;
      }
    }
    if (at === line && top === stop) return;
    if (top === null) {
      closeBranch(at as Branch);
      at = (at as Branch).host.line;
      continue;
    }
    dropLatch(at, into);
    leave(top, null);
    close(at, top);
  }
}

/** What was latched or claimed on the line is overtaken; an error is not lost. */
export function dropLatch(line: Line, into: StepError | null): void {
  const { latch } = line;
  line.latch = null;
  clearResults(line);
  if (into !== null && StepError.is(latch)) into.join(latch);
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
  if (pending.length !== 0) drain();
}

/** One after another, and those that they ask for after them: flat, whatever the length of the chain. */
function drain(): void {
  if (draining) return;
  draining = true;
  for (let next = pending.shift(); next !== undefined; next = pending.shift()) cancelFlow(next);
  draining = false;
}
