// Loops and maps over channels: a value is taken when it's due; if there is none, a step that nobody sees waits for one.
//
// What that step has got is a round, or an item, in the turn in which it ends. So a value is the channel's until a body has it.

import { ENDED, type Kind, PENDING, READY } from './kind.js';
import type { Loop } from './loop.js';
import { FOREVER, FREE, HIDDEN, OPENS, WAITING } from './phase.js';
import { clearResults, firstOf, type Slot } from './results.js';
import type { Step } from './step.js';
import { append, type Line, open, type Owner } from './tree.js';

/** What one run takes; the kind of the step that waits, too. */
export class Taking implements Kind {
  /** The next value. Undefined: there is none yet; null: there will be none. */
  declare private readonly take: () => { readonly value: unknown } | null | undefined;
  /** The step, which waits, ends with the next value; with no result if there will be none. */
  declare private readonly wait: (step: Step) => void;
  /** A step has waited for the next value: what the line has got is that. */
  private waited = false;
  ended = false;

  constructor(take: Taking['take'], wait: Taking['wait']) {
    this.take = take;
    this.wait = wait;
  }

  /** A round is due: whether it has a value. Else the loop is at its end, or a step inside waits. [channel-39] [channel-40] */
  isDue(line: Line, step: Step, loop: Loop): boolean {
    if (this.waited) this.came(line, loop);
    clearResults(line);
    const given = this.give(loop);
    this.ended = given === ENDED;
    this.waited = given === PENDING;
    if (this.waited) this.queue(step);
    return given === READY;
  }

  /** PENDING: there is none yet. */
  give(loop: Loop): number {
    if (loop.ready) return READY;
    const taken = this.take();
    if (!taken) return taken === null ? ENDED : PENDING;
    loop.value = taken.value;
    loop.ready = true;
    return READY;
  }

  /** What a step has waited for. */
  came(slot: Slot, loop: Loop): void {
    loop.ready = slot.results > 0;
    if (loop.ready) loop.value = firstOf(slot);
  }

  /** The step that waits is queued. What is added to the owner isn't counted by it. */
  queue(owner: Owner): void {
    append(owner, OPENS | FREE | HIDDEN, this, null);
    owner.count--;
  }

  /** It calls no body, so it costs no budget. */
  open(line: Line, step: Step): number {
    clearResults(line);
    open(line, step, WAITING);
    this.wait(step);
    step.bits = (step.bits & FOREVER) | WAITING;
    return PENDING;
  }
}
