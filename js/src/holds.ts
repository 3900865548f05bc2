// What lines have of guards. It stands in a short list on the line itself, so that it's found again, and so that it is seen
// whether a line waits for its own enclosing lines.

import type { ISync } from './iasyncsteps.js';
import { hostOf } from './path.js';
import type { Line } from './tree.js';

/** A guard of which lines have something. */
export interface Lender extends ISync {
  /** @internal Whether what is abandoned keeps it. */
  readonly keeps: boolean;
  /** @internal Nobody has it, and nothing keeps it any more. */
  free(held: Hold): void;
}

/** What a line has of a guard, how often it has locked it, and how much of what was abandoned meanwhile goes on. */
export class Hold {
  declare readonly guard: Lender;
  declare times: number;
  declare kept: number;
  declare next: Hold | null;

  constructor(guard: Lender, next: Hold | null) {
    this.guard = guard;
    this.times = 1;
    this.kept = 0;
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

/** The line has unlocked it once: one unlock less is owed. */
export function release(line: Line, held: Hold): void {
  if (--held.times > 0) return;
  if (line.holds === held) {
    line.holds = held.next;
  } else {
    let before = line.holds!;
    while (before.next !== held) before = before.next!;
    before.next = held.next;
  }
  if (held.kept === 0) held.guard.free(held);
}

/** What the line and those around it have now stays taken, whoever unlocks it, till `letGo`. Null: they have nothing. */
export function keep(line: Line): Hold[] | null {
  let kept: Hold[] | null = null;
  for (let at: Line | undefined = line; at !== undefined; at = hostOf(at)?.line) {
    for (let { holds } = at; holds !== null; holds = holds.next) {
      if (!holds.guard.keeps) continue;
      holds.kept++;
      (kept ??= []).push(holds);
    }
  }
  return kept;
}

export function letGo(kept: readonly Hold[]): void {
  for (const held of kept) {
    if (--held.kept === 0 && held.times === 0) held.guard.free(held);
  }
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
    release(line, held);
  }
}
