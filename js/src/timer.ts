// The timeout of a step: a timer of its tool's. When it fires, everything inside the step is closed before the step hears of it.
//
// - Only a line's top can arm or disarm, so its timers form a chain: `line.deadline` -> the timer around it -> ... A branch begins
//   with the chain of its host's line. Each one knows the nearest deadline that can end it.
// - A timer that has fired, or that has no say any more, stays in the chain till its step is left.

import { errors } from './codes.js';
import { inNode } from './context.js';
import { inContext } from './end.js';
import { raisedBy } from './error.js';
import { leaveValues } from './latch.js';
import { BUSY, DELAY, KEPT, LATCHED, SHELTERED } from './phase.js';
import type { Step } from './step.js';
import { optionsOf } from './tree.js';
import { cancelFlow } from './cancel.js';
import { Closing } from './closing.js';
import { checkDelay, type Timer } from './timers.js';
import { unwind } from './unwind.js';

export class StepTimer implements Timer {
  declare due: number;
  declare order: number;
  declare place: number;
  /** The timer around it. */
  declare outer: StepTimer | null;
  /** When the first of it and those around it is due. */
  declare nearest: number;
  declare readonly step: Step;

  constructor(step: Step) {
    this.due = 0;
    this.order = 0;
    this.place = -1;
    this.outer = null;
    this.nearest = 0;
    this.step = step;
  }

  fire(): void {
    if (this.step.bits & DELAY) endDelay(this.step);
    else inPass(this);
  }

  /** Its time is over. */
  ring(): void {
    timeOut(this.step);
  }

  /** Lets it fire after so many milliseconds. */
  arm(ms: number): void {
    const { outer } = this;
    const due = this.start(ms);
    this.nearest = outer === null || due < outer.nearest ? due : outer.nearest;
  }

  disarm(): void {
    this.step.line.flow.settings.tool.disarm(this);
  }

  /** Counts from now on. Returns when it is due. */
  start(ms: number): number {
    const { tool } = this.step.line.flow.settings;
    tool.disarm(this);
    tool.arm(this, ms);
    return ms === Infinity ? ms : this.due;
  }
}

/** Arms the step's timer in place of the one before. */
export function armStep(step: Step, ms: number): void {
  const delay = checkDelay('setTimeout', ms);
  const options = optionsOf(step);
  if (options.timer === null) pushTimer((options.timer = new StepTimer(step)));
  options.timer.arm(delay);
}

/** How much time its line's top has. */
export function remainingOf({ line }: Step): number {
  const { deadline, flow } = line;
  if (deadline === null) return Infinity;
  const left = deadline.nearest - flow.settings.tool.now(Math.ceil);
  return left > 0 ? left : 0;
}

export function pushTimer(timer: StepTimer): void {
  const { line } = timer.step;
  timer.outer = line.deadline;
  line.deadline = timer;
}

/** The step has options. A shelter stays till its step closes. */
export function disarmStep(step: Step): void {
  const options = step.options!;
  const { timer } = options;
  if (timer === null) return;
  timer.disarm();
  if (step.bits & SHELTERED) return;
  options.timer = null;
  step.line.deadline = timer.outer;
}

/** Its line goes on in its turn. */
function endDelay(step: Step): void {
  leaveValues(step, 0, undefined, undefined, undefined, undefined);
}

/** What a timer does it does in the timer pass. */
function inPass(timer: StepTimer): void {
  const { flow } = timer.step.line;
  if (inNode && flow.bits & KEPT) return inContext(flow, inPass, timer);
  flow.bits |= BUSY;
  timer.ring();
  endPass(flow);
}

/** Inside first, without error handlers, then `Timeout` at the owner. */
function timeOut(step: Step): void {
  step.options!.timer!.disarm(); // a shield has two
  const timeout = raisedBy(step, errors.Timeout);
  unwind(step.line, null, new Closing(step, timeout), null);
}

/** What was done outside of a turn is over. */
export function endPass(flow: Step['line']['flow']): void {
  flow.bits &= ~BUSY;
  if (flow.bits & LATCHED) cancelFlow(flow);
}
