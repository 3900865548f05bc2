// Steps that only wait: for some time, or for their line's next turn.

import { type Kind, PENDING } from './kind.js';
import { leaveValues } from './latch.js';
import { FREE, OPENS, WAITING } from './phase.js';
import type { Step } from './step.js';
import { pushTimer, StepTimer } from './timer.js';
import { append, clearResults, type Line, open, type Owner } from './tree.js';

export const DELAY = OPENS | FREE;

/** Its own timer, which ends the step. */
class Delay extends StepTimer implements Kind {
  declare private readonly ms: number;

  constructor(step: Step, ms: number) {
    super(step);
    this.ms = ms;
  }

  open(line: Line, step: Step): number {
    clearResults(line);
    open(line, step, WAITING);
    pushTimer(this);
    this.arm(this.ms);
    return PENDING;
  }

  override fire(): void {
    leaveValues(this.step, 0);
  }
}

/** Queues a step that waits for so many whole milliseconds. */
export function appendDelay(owner: Owner, ms: number): void {
  const step = append(owner, DELAY, null, null);
  step.work = new Delay(step, ms);
}

export const relinquish: Kind = {
  open(line) {
    clearResults(line);
    line.flow.settings.tool.enqueue(line);
    return PENDING;
  },
};
