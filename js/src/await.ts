// A step that awaits what it was given.

import { watch } from './awaiting.js';
import { type Kind, PENDING } from './kind.js';
import { FREE, GIVEN, OPENS } from './phase.js';
import { ask } from './settle.js';
import type { Step } from './step.js';
import { thenOf } from './thenable.js';
import { type Line, openInner } from './tree.js';

export const AWAIT = OPENS | FREE | GIVEN;

export class Await implements Kind {
  declare readonly awaitable: unknown;

  constructor(awaitable: unknown) {
    this.awaitable = awaitable;
  }

  open(line: Line, step: Step): number {
    openInner(line, step);
    return ask(step, startAwait, step, this.awaitable);
  }
}

function startAwait(step: Step, awaitable: unknown): number {
  watch(step, awaitable, thenOf(awaitable));
  return PENDING;
}
