// When the lease of a session ends, by our clock: counted from when we asked for it, so it's over here before it is there.

import type { PlatformTimer } from './clock.js';
import { lifeOf } from './leaselife.js';
import type { Timers } from './redisconnection.js';

export class RedisLease {
  readonly #timers: Timers;
  readonly #lease: number;
  readonly #over: () => void;
  readonly #renew: () => void;
  #ends = Infinity;
  #deadline: PlatformTimer | undefined;
  #renewal: PlatformTimer | undefined;

  constructor(timers: Timers, lease: number, over: () => void, renew: () => void) {
    this.#timers = timers;
    this.#lease = lease;
    this.#over = over;
    this.#renew = renew;
  }

  /** What was asked for then is over here, whether or not it is there. */
  isLate(sent: number): boolean {
    return this.#timers.clock() >= this.#endOf(sent);
  }

  /** It was given when we had asked at that time. */
  extend(sent: number): void {
    const ends = this.#endOf(sent);
    if (this.#ends !== Infinity && ends < this.#ends) return;
    this.#ends = ends;
    this.#stop(this.#deadline);
    const left = ends - this.#timers.clock();
    this.#deadline = this.#timers.start(() => this.check(), left + 1); // timers may be early
    if (this.#renewal === undefined) this.renewIn(this.#lease / 3);
  }

  /** All that we have is lost when the lease is over, whatever the reason. */
  check(): void {
    if (this.#timers.clock() < this.#ends) return;
    this.#ends = Infinity;
    this.#over();
  }

  renewIn(ms: number): void {
    this.#stop(this.#renewal);
    this.#renewal = this.#timers.start(() => {
      this.#renewal = undefined;
      this.#renew();
    }, ms);
  }

  /** Somebody renews now. */
  renews(): void {
    this.#stop(this.#renewal);
    this.#renewal = undefined;
  }

  /** There is nothing that could be lost. */
  rest(): void {
    this.renews();
    this.#stop(this.#deadline);
    this.#ends = Infinity;
  }

  #endOf(sent: number): number {
    return sent + lifeOf(this.#lease);
  }

  #stop(timer: PlatformTimer | undefined): void {
    if (timer !== undefined) this.#timers.stop(timer);
  }
}
