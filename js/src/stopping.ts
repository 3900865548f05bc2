// What a step has begun takes time to stop: the closing that has asked for that waits.
//
// - The step stays the top of its line, sheltered as one whose cleanup runs is. What goes through it is kept in its shelter.
// - When it's over, by a settlement or by the grace, the line's turn goes on from the step, with the widest closing that has come.

import { reportError } from './cleanup.js';
import { errors } from './codes.js';
import { type Failure, raisedBy } from './error.js';
import { stopBegun } from './frame.js';
import { CLAIMED, FOREVER } from './phase.js';
import { report } from './report.js';
import { type Shelter, shelterOf, shelterStep } from './shelter.js';
import type { Step } from './step.js';
import { follow, thenOf } from './thenable.js';
import type { Closing } from './tree.js';

type Stop = NonNullable<Shelter['stop']>;

/** Lets the step stop what it has begun. Whether that takes time: then what goes through the step, or closes it, waits. */
export function stops(step: Step, failure: Failure | null, closing: Closing | null): boolean {
  const answer = stopBegun(step);
  if (answer === undefined) return false;
  const stop: Stop = { step };
  const shelter = shelterStep(step, failure, closing);
  shelter.stop = stop;
  shelter.grant();
  const failed = (reason: unknown) => {
    if (stop.step !== null) report(stop.step, reason);
    over(stop);
  };
  try {
    follow(answer, thenOf(answer), () => over(stop), failed);
  } catch (thrown) {
    failed(thrown);
  }
  return true;
}

function over(stop: Stop): void {
  const { step } = stop;
  if (step === null) return;
  end(stop, step);
  step.line.flow.settings.tool.resume(step.line);
}

function end(stop: Stop, step: Step): void {
  stop.step = null;
  step.bits = (step.bits & FOREVER) | CLAIMED;
  shelterOf(step).disarm();
}

/** The grace is over. */
export function stopsTooLate({ stop, step }: Shelter): void {
  const { line } = step;
  end(stop!, step);
  line.flow.settings.tool.enqueue(line);
  reportError(line, raisedBy(step, errors.Timeout, 'what it has begun does not stop'));
}
