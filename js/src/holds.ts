// What lines have of guards. It stands in a short list on the line itself, so that it's found again, and so that it is seen
// whether a line waits for its own enclosing lines.

import type { ISync } from './iasyncsteps.js';
import { hostOf, type Line } from './tree.js';

/** A guard of which lines have something. */
export interface Lender extends ISync {
  /** @internal The line has unlocked it once. */
  release(line: Line, held: Hold): void;
}

/** What a line has of a guard, and how often it has locked it. */
export class Hold {
  declare readonly guard: Lender;
  declare times: number;
  declare next: Hold | null;

  constructor(guard: Lender, next: Hold | null) {
    this.guard = guard;
    this.times = 1;
    this.next = next;
  }
}

/** A line that has nothing of the guard gets it. */
export function hold(line: Line, guard: Lender): void {
  line.holds = new Hold(guard, line.holds);
}

export function holdOf(line: Line, guard: ISync): Hold | null {
  let held = line.holds;
  while (held !== null && held.guard !== guard) held = held.next;
  return held;
}

/** One unlock less is owed; whether that was the last. */
export function letGo(line: Line, held: Hold): boolean {
  if (--held.times > 0) return false;
  if (line.holds === held) {
    line.holds = held.next;
    return true;
  }
  let before = line.holds!;
  while (before.next !== held) before = before.next!;
  before.next = held.next;
  return true;
}

/** How many of the lines around that one have it. */
export function heldAround(line: Line, guard: ISync): number {
  let count = 0;
  for (let host = hostOf(line); host !== null; host = hostOf(host.line)) {
    if (holdOf(host.line, guard) !== null) count++;
  }
  return count;
}

/** The line has ended: what it still has goes back. */
export function giveBack(line: Line): void {
  for (let held = line.holds; held !== null; held = line.holds) {
    held.times = 1;
    held.guard.release(line, held);
  }
}
