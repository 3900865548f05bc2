// What lines have of guards. It stands in a short list on the line itself, so that it's found again, and so that it is seen
// whether a line waits for its own enclosing lines.

import { Guard } from './guard.js';
import { hostOf } from './path.js';
import type { Line } from './tree.js';

/** A guard of which lines have something. */
export abstract class HeldGuard extends Guard {
  /** @internal Whether what is abandoned keeps it. */
  abstract readonly keeps: boolean;
  /** @internal Nobody has that of it, and nothing keeps it any more. */
  abstract free(held: Hold): void;

  /** @internal */
  leave(line: Line): void {
    freeHold(line, holdOf(line, this)!);
  }
}

/** What a line has of a guard, how often it has locked it, how many places, and how much of what was abandoned meanwhile goes on. */
export class Hold {
  declare readonly guard: HeldGuard;
  declare readonly places: number;
  times = 1;
  kept = 0;
  declare next: Hold | null;

  constructor(guard: HeldGuard, places: number, next: Hold | null) {
    this.guard = guard;
    this.places = places;
    this.next = next;
  }
}

/** A line that has nothing of the guard gets it. */
export function hold(line: Line, guard: HeldGuard, places = 1): void {
  line.holds = new Hold(guard, places, line.holds);
}

export function holdOf(line: Line, guard: Guard): Hold | null {
  let held = line.holds;
  while (held !== null && held.guard !== guard) held = held.next;
  return held;
}

/** The line has left it once. */
function freeHold(line: Line, held: Hold): void {
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

/** How many places of it the lines around that one have. */
export function heldAround(line: Line, guard: Guard): number {
  let count = 0;
  for (let host = hostOf(line); host !== null; host = hostOf(host.line)) {
    count += holdOf(host.line, guard)?.places ?? 0;
  }
  return count;
}
