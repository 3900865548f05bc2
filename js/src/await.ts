// A step that awaits what it was given.

import { watch } from './awaiting.js';
import { AGAIN, type Given, type Opens, PENDING } from './kind.js';
import { latchThrown } from './latch.js';
import { isCancelled } from './shelter.js';
import type { Step } from './step.js';
import { thenOf } from './thenable.js';
import { type Line, openInner } from './tree.js';
import { fail } from './unwind.js';

export class Await implements Opens, Given {
  declare readonly awaitable: unknown;

  constructor(awaitable: unknown) {
    this.awaitable = awaitable;
  }

  open(line: Line, step: Step): number {
    const { awaitable } = this;
    openInner(line, step);
    try {
      watch(step, awaitable, thenOf(awaitable));
      return PENDING;
    } catch (thrown) {
      latchThrown(step, thrown);
    }
    return !isCancelled(line) && fail(line, step) ? AGAIN : PENDING;
  }
}
