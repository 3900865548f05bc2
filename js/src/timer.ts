// The timeout of a step: a timer of its tool's. What happens when it has fired is in `timeout`.
//
// - Only a line's top can arm or disarm, so its timers form a chain: `line.deadline` -> the timer around it -> ... A branch begins
//   with the chain of its host's line. Each one knows the nearest deadline that can end it.
// - A timer that has fired, or that has no say any more, stays in the chain till its step is left.

import type { StepError } from './error.js';
import { SHELTERED } from './phase.js';
import { optionsOf, type Step } from './step.js';
import type { Timer } from './timers.js';

export class StepTimer implements Timer {
  declare due: number;
  declare order: number;
  declare place: number;
  /** The timer around it. */
  declare outer: StepTimer | null;
  /** When the first of it and those around it is due. */
  declare nearest: number;
  /** What it raises, if that isn't `Timeout`. */
  declare code?: string | undefined;
  /** What it has raised, if that says more than a code. */
  declare error?: StepError;
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
    this.step.line.flow.timeUp(this);
  }

  /** Lets it fire after so many milliseconds. */
  arm(ms: number, code?: string): void {
    const { outer } = this;
    this.name(code);
    const due = this.start(ms);
    this.nearest = outer === null || due < outer.nearest ? due : outer.nearest;
  }

  name(code: string | undefined): void {
    if (code !== this.code) this.code = code;
  }

  /** When it ends its step, if nothing else does. */
  ends(): number {
    return this.place < 0 ? Infinity : this.due;
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
export function armStep(step: Step, ms: number, code?: string): void {
  const options = optionsOf(step);
  if (options.timer === null) pushTimer(new StepTimer(step));
  options.timer!.arm(ms, code);
}

/** How much time its line's top has. */
export function remainingOf({ line }: Step): number {
  const { deadline, flow } = line;
  if (deadline === null) return Infinity;
  const left = deadline.nearest - flow.settings.tool.now(Math.ceil);
  return left > 0 ? left : 0;
}

/** From now on it is its step's. */
export function pushTimer(timer: StepTimer): void {
  const { step } = timer;
  const { line } = step;
  optionsOf(step).timer = timer;
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
