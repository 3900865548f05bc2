// Closing: what goes outwards through open steps, an error, loop control, a timeout, a cancel.
//
// - All of it is loops over `line.top`, whatever the depth. Only frames of the line, then of its parent's line, are touched.
// - After every call of user code the flow's latch is looked at: once a cancel is latched, the closing becomes that cancel and
//   the error is dropped.

import { closingEnded, leave } from './cancel.js';
import { finishError } from './end.js';
import { type Failure, LoopControl, StepError } from './error.js';
import { callHandler } from './handler.js';
import { betweenIterations, exitLoop } from './loop.js';
import { ANY } from './loopmode.js';
import { type Branches, closeBranch, failBranch, nextOpenBranch } from './parallel.js';
import { type Mapping, stopMap } from './map.js';
import { LATCHED, MAP, PARALLEL } from './phase.js';
import { isLocked } from './sync.js';
import type { Step } from './step.js';
import { type Branch, clearResults, close, drop, type Line } from './tree.js';

/** Takes a failure outwards from the line's top. Returns the line that goes on: recovered there, or null. */
export function unwind(line: Line, failure: Failure): Line | null {
  const goesOn = closeOutwards(line, failure);
  if ((line.flow.bits & LATCHED) === 0) closingEnded();
  return goesOn;
}

function closeOutwards(start: Line, first: Failure): Line | null {
  const { flow } = start;
  let line = start;
  let failure = first;
  let target = targetOf(first);
  while ((flow.bits & LATCHED) === 0) {
    const step = line.top;
    if (step === null) {
      if (line === flow) {
        finishError(flow, failure as StepError);
        return null;
      }
      const { host } = line as Branch;
      if ((host.work as Branches).mode === ANY) {
        const all = failBranch(line as Branch, failure as StepError);
        if (all === null) return null;
        failure = all;
      } else {
        leaveBranch(line as Branch, failure as StepError);
      }
      line = host.line;
      continue;
    }
    if (step === target) {
      arrive(line, step, failure as LoopControl);
      return line;
    }
    const error = target === null ? (failure as StepError) : null;
    leave(step, error);
    const onerror = step.options?.onerror;
    if (error !== null && onerror && (flow.bits & LATCHED) === 0) {
      const outcome = callHandler(line, step, onerror, error);
      if (outcome === null) return line;
      failure = outcome;
      target = targetOf(outcome);
    }
    if ((flow.bits & LATCHED) === 0) close(line, step);
  }
  return null;
}

/** The loop that a `break` or `continue` goes to; an error has none. */
function targetOf(failure: Failure): Step | null {
  return LoopControl.is(failure) ? failure.loop : null;
}

/** The first branch has failed: its siblings are cancelled before anybody hears of it. */
function leaveBranch(line: Branch, error: StepError): void {
  const { host } = line;
  closeBranch(line);
  cancelInside(host.line, host, error);
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
      drop(top.work);
      if (top.bits & MAP) stopMap(top.work as Mapping, into);
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
    if (!isLocked(top)) leave(top, null);
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
