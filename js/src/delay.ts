// Steps that only wait: for some time, or for their line's next turn.

import type { Step as IStep } from './istep.js';
import { type Kind, PENDING, type Waits } from './kind.js';
import { leaveValues } from './latch.js';
import { FREE, OPENS, WAITING } from './phase.js';
import type { Step } from './step.js';
import { Definition } from './definition.js';
import { pushTimer, StepTimer } from './timer.js';
import { checkDelay } from './timers.js';
import { clearResults } from './results.js';
import { append, type Line, open, type Owner } from './tree.js';

export const DELAY = OPENS | FREE;

/** Its own timer, which ends the step. */
class Delay extends StepTimer implements Kind {
  declare private readonly ms: number;

  constructor(step: Step, ms: number) {
    super(step);
    this.ms = ms;
  }

  get kind(): string {
    return 'delay';
  }

  waits(): Waits {
    return { for: 'timer', due: this.place < 0 ? Infinity : this.due };
  }

  open(line: Line, step: Step): number {
    clearResults(line);
    open(line, step, WAITING);
    pushTimer(this);
    this.arm(this.ms);
    return PENDING;
  }

  /** With ok: so it's no deadline. */
  override ends(): number {
    return Infinity;
  }

  override fire(): void {
    leaveValues(this.step, 0);
  }
}

/** Queues a step that waits for so many whole milliseconds. */
export function appendDelay(owner: Owner, ms: number, place: number): Step {
  const step = append(owner, DELAY | place, null, null);
  step.work = new Delay(step, ms);
  return step;
}

/**
 * A step that waits so many milliseconds, rounded up, from when it begins. It drops the values that it finds, and has no result; `Infinity`
 * is for ever. Whatever closes it takes its timer away. Negative or NaN: `InternalError` at the call. Guide: docs/first-flow.md#waiting
 *
 *     const later = steps(delay(50), charge);
 *     flow.add(later);
 */
export function delay(ms: number): IStep<any, []>;
export function delay(ms: number): any {
  const whole = checkDelay('delay', ms);
  return new Definition(DELAY, (step) => new Delay(step, whole), true);
}

export const relinquish: Kind = {
  open(line) {
    clearResults(line);
    line.flow.settings.tool.enqueue(line);
    return PENDING;
  },
};
