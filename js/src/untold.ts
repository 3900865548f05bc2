// What has been asked of Redis and isn't answered yet, or couldn't be said yet: who closes the connection waits for it, so that what was given back
// is heard before the program ends.

import { macrotask } from './clock.js';
import type { Timers } from './redisconnection.js';

export class Untold {
  /** And how many milliseconds each may take. */
  readonly #all = new Map<Promise<unknown>, number>();

  add(asked: Promise<unknown>, patience: number): void {
    this.#all.set(asked, patience);
    const over = (): void => void this.#all.delete(asked);
    asked.then(over, over);
  }

  /** Settles when there is none, and none has come of the last one; after the longest patience at the latest. */
  async told({ start, stop }: Timers): Promise<void> {
    if (this.#all.size === 0) return;
    let isLate = false;
    let tell = (): void => {};
    const late = new Promise<void>((resolve) => (tell = resolve));
    const limit = (): void => {
      isLate = true;
      tell();
    };
    let longest = 0;
    for (const patience of this.#all.values()) longest = Math.max(longest, patience);
    const timer = start(limit, longest);
    while (this.#all.size > 0 && !isLate) {
      await Promise.race([late, Promise.allSettled(this.#all.keys())]);
      await new Promise<void>(macrotask);
    }
    stop(timer);
  }
}
