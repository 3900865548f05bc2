// Steps that only wait: for some time, or for one more turn.

import { type Opens, PENDING } from './kind.js';
import { leaveValues } from './latch.js';
import { FREE, OPENS, WAITING } from './phase.js';
import { optionsOf, type Step } from './step.js';
import { pushTimer, StepTimer } from './timer.js';
import { append, clearResults, type Line, open, type Owner } from './tree.js';

/** Its time is over: that is no timeout. */
class DelayTimer extends StepTimer {
  override fire(): void {
    leaveValues(this.step, 0, undefined, undefined, undefined, undefined);
  }
}

class Delay implements Opens {
  declare private readonly ms: number;

  constructor(ms: number) {
    this.ms = ms;
  }

  open(line: Line, step: Step): number {
    clearResults(line);
    open(line, step, WAITING);
    const timer = new DelayTimer(step);
    optionsOf(step).timer = timer;
    pushTimer(timer);
    timer.arm(this.ms);
    return PENDING;
  }
}

/** Queues a step that waits for so many whole milliseconds. */
export function appendDelay(owner: Owner, ms: number): void {
  append(owner, OPENS | FREE, new Delay(ms), null);
}

/** It has ended when its line has its next turn. */
export const relinquish: Opens = {
  open(line) {
    clearResults(line);
    line.flow.settings.tool.enqueue(line);
    return PENDING;
  },
};
