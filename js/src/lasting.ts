// Waits that last: flows of one kind that wait at one place for the same are one. Timers don't count, as their end is known.

import type { FlowEntry } from './flowentry.js';
import type { Lasting } from './imessages.js';

/** In milliseconds. */
const LASTS = 10_000;
const SHOWN = 20;

/** Those of one moment. */
export class LastingWaits {
  readonly #now: number;
  readonly #found = new Map<string, Lasting>();

  constructor(now: number) {
    this.#now = now;
  }

  add({ seen, run, place: { flow }, begun, isOlder }: FlowEntry): void {
    if (seen?.waits === undefined) return;
    const { for: what, kind, name } = seen.waits;
    if (what === 'timer' || what === 'turn' || what === 'code') return;
    const since = seen.since ?? (isOlder ? begun : this.#now);
    const ms = this.#now - since;
    if (ms < LASTS) return;
    const { where: path, alike } = seen;
    const known = this.#found.get(alike);
    if (known === undefined) {
      const waits = { for: what, ...(kind && { kind }), ...(name && { name }) };
      this.#found.set(alike, { flow, path, waits, count: 1, ms, run });
      return;
    }
    known.count++;
    if (ms > known.ms) Object.assign(known, { ms, run });
  }

  /** The longest first. */
  shown(): Lasting[] {
    return [...this.#found.values()].sort((a, b) => b.ms - a.ms).slice(0, SHOWN);
  }
}
