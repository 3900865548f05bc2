// What guards tell snapshots: each is asked once, and its queue is walked through once, whoever has it or waits for it.

import { idOf } from './ids.js';
import type { GuardSnapshot } from './isnapshot.js';
import type { WaitedFor } from './kind.js';
import type { Line } from './tree.js';
import type { Waiter } from './waiters.js';

export class GuardLook {
  private readonly seen = new Map<WaitedFor, GuardSnapshot>();
  /** In their queues. */
  private readonly places = new Map<Waiter, number>();

  /** Those that were asked, in the order in which they were. */
  guards(): GuardSnapshot[] {
    return [...this.seen.values()];
  }

  /** Who waits for one side of it waits for all who are in. */
  at(asked: WaitedFor): GuardSnapshot {
    const guard = asked.whole ?? asked;
    const known = this.seen.get(guard);
    if (known !== undefined) return known;
    const { kind, name, waiting, active, available } = guard;
    const shown: GuardSnapshot = {
      id: idOf(guard),
      kind: kind!,
      name,
      waiting: waiting!,
      holders: [],
    };
    if (active !== undefined) shown.active = active;
    if (available! < Infinity) shown.available = available!;
    this.seen.set(guard, shown);
    return shown;
  }

  /** Those of which the line has something, the outermost section's first. */
  heldBy(line: Line): Set<GuardSnapshot> {
    const held: WaitedFor[] = [];
    for (let { holds } = line; holds !== null; holds = holds.next) held.push(holds.guard.shown());
    return new Set(held.reverse().map((guard) => this.at(guard)));
  }

  /** Its place in the queue, from 1 on. */
  placeOf(waiter: Waiter): number {
    const { places } = this;
    const unseen: Waiter[] = [];
    let at: Waiter | null = waiter;
    for (; at !== null && !places.has(at); at = at.previous) unseen.push(at);
    let place = places.get(at!) ?? 0;
    for (at of unseen.reverse()) places.set(at, ++place);
    return place;
  }
}
