// What happens when the timer of a step has fired: everything inside the step is closed before the step hears of it.

import { closingEnded, endPass } from './cancel.js';
import { reportError } from './cleanup.js';
import { closeInside } from './closing.js';
import { errors } from './codes.js';
import { inNode } from './context.js';
import { inContext } from './end.js';
import { raisedBy, type StepError } from './error.js';
import { BUSY, KEPT } from './phase.js';
import { isCancelled, Shelter } from './shelter.js';
import { stopsTooLate } from './stopping.js';
import type { Step } from './step.js';
import type { StepTimer } from './timer.js';
import { Closing } from './tree.js';
import { unwind } from './unwind.js';

/** Notes what was waited for in a step: a program that has no `snapshotText` stays small without it. */
let look: ((step: Step, error: StepError) => void) | undefined;

export function lookBy(notes: (step: Step, error: StepError) => void): void {
  look = notes;
}

/** The time of a step is over, or the grace. */
export function timeUp(timer: StepTimer): void {
  const { flow } = timer.step.line;
  if (inNode && flow.bits & KEPT) return inContext(flow, timeUp, timer);
  flow.bits |= BUSY;
  ring(timer);
  endPass(flow);
}

/** The grace is over: the deferred function that runs is closed as it is. */
function cleansTooLong(shelter: Shelter): void {
  const { step, running } = shelter;
  const { line } = step;
  const timeout = raisedBy(running, errors.Timeout);
  closeInside(line, new Closing(step, timeout, true));
  line.flow.settings.tool.enqueue(line);
  reportError(line, timeout);
  if (!isCancelled(line)) closingEnded(line.flow);
}

/** Inside first, without error handlers, then `Timeout` at the owner. */
function ring(timer: StepTimer): void {
  const { step } = timer;
  if (timer instanceof Shelter && timer.stop) return stopsTooLate(timer);
  if (timer instanceof Shelter && timer.cleans) return cleansTooLong(timer);
  step.options?.timer?.disarm(); // it may be another one: a shield has two, its limit and `setTimeout` in it
  const error = timer.error ?? raisedBy(step, timer.code ?? errors.Timeout);
  look?.(step, error);
  unwind(step.line, null, new Closing(step, error), null);
}
