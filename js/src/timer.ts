// The timeout of a step: a timer of its tool's. When it fires, everything inside the step is closed before the step hears of it.

import { errors } from './codes.js';
import { nextOrder, StepError } from './error.js';
import { leaveValues } from './latch.js';
import { BUSY, DELAY, LATCHED } from './phase.js';
import type { Step } from './step.js';
import { optionsOf } from './tree.js';
import { cancelFlow } from './cancel.js';
import { checkDelay, type Timer } from './timers.js';
import { cancelInside, dropLatch, unwind } from './unwind.js';

export class StepTimer implements Timer {
  declare due: number;
  declare order: number;
  declare place: number;
  declare private readonly step: Step;

  constructor(step: Step) {
    this.due = 0;
    this.order = 0;
    this.place = -1;
    this.step = step;
  }

  fire(): void {
    const { step } = this;
    if (step.bits & DELAY) endDelay(step);
    else fireTimeout(step);
  }
}

/** Arms the step's timer in place of the one before. */
export function armStep(step: Step, ms: number): void {
  const delay = checkDelay('setTimeout', ms);
  disarmStep(step);
  const timer = new StepTimer(step);
  optionsOf(step).timer = timer;
  step.line.flow.settings.tool.arm(timer, delay);
}

/** The step has options. */
export function disarmStep(step: Step): void {
  const options = step.options!;
  if (options === null || options.timer === null) return;
  step.line.flow.settings.tool.disarm(options.timer);
  options.timer = null;
}

/** Its line goes on in its turn. */
function endDelay(step: Step): void {
  leaveValues(step, 0, undefined, undefined, undefined, undefined);
}

/** The closing happens here, in the timer pass: inside first, without error handlers, then `Timeout` at the owner. */
function fireTimeout(step: Step): void {
  const { line } = step;
  const { flow } = line;
  step.options!.timer = null;
  flow.bits |= BUSY;
  flow.settings.tool.remove(line);
  const timeout = new StepError(errors.Timeout).raisedBy(step, nextOrder());
  cancelInside(line, step, timeout);
  dropLatch(line, timeout);
  const recovered = unwind(line, timeout);
  flow.bits &= ~BUSY;
  if (flow.bits & LATCHED) cancelFlow(flow);
  else if (recovered !== null) flow.settings.tool.enqueue(recovered);
}
