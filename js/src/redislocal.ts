// What a process lets in by itself while Redis is down: so many at a time, so many in a time, first come, first served.

import type { PlatformTimer } from './clock.js';
import type { Timers } from './redisconnection.js';

/** As that of a throttle. */
export interface Rate {
  admit(now: number): boolean;
  tick(now: number): void;
  delay(now: number): number;
}

export interface Share {
  /** Places. */
  readonly max: number;
  readonly rate: Rate | null;
}

export class LocalShare<T> {
  readonly #share: Share;
  readonly #timers: Timers;
  readonly #letIn: (one: T) => void;
  readonly #in = new Map<T, number>();
  readonly #waits = new Map<T, number>();
  #used = 0;
  #timer: PlatformTimer | undefined;

  constructor(share: Share, timers: Timers, letIn: (one: T) => void) {
    this.#share = share;
    this.#timers = timers;
    this.#letIn = letIn;
  }

  /** It waits for so many places, and for an entry, until it's let in or leaves. */
  enter(one: T, places: number): void {
    if (this.#in.has(one)) return;
    this.#waits.set(one, Math.min(places, this.#share.max));
    this.#serve();
  }

  /** It has gone, or is let in elsewhere. */
  leave(one: T): void {
    const had = this.#in.get(one);
    if (!this.#waits.delete(one) && had === undefined) return;
    this.#in.delete(one);
    this.#used -= had ?? 0;
    this.#serve();
  }

  #serve(): void {
    const { max, rate } = this.#share;
    if (this.#timer !== undefined) this.#timers.stop(this.#timer);
    this.#timer = undefined;
    for (const [one, places] of this.#waits) {
      if (places > 0 && this.#used + places > max) return;
      const now = Math.floor(this.#timers.clock());
      if (rate !== null && !rate.admit(now)) return this.#later(rate, now);
      this.#waits.delete(one);
      this.#used += places;
      if (places > 0) this.#in.set(one, places);
      this.#letIn(one);
    }
  }

  #later(rate: Rate, now: number): void {
    this.#timer = this.#timers.start(
      () => {
        rate.tick(Math.floor(this.#timers.clock()));
        this.#serve();
      },
      Math.max(1, rate.delay(now)),
    );
  }
}
