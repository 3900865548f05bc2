// When a session has to look: one that waits does it for all, when the next may enter; and who has found more to do than one script does goes on.

import type { PlatformTimer } from './clock.js';
import type { Timers } from './redisconnection.js';
import type { RedisLease } from './redislease.js';
import type { RedisSession } from './redissession.js';
import type { Tickets } from './redisticket.js';

/** A longer timer would come at once. */
const longest = 2 ** 31 - 1;

/** Who looks. */
interface Looker {
  readonly session: RedisSession;
  readonly tickets: Tickets;
  readonly lease: RedisLease;
}

export class RedisLook {
  readonly #of: Looker;
  readonly #timers: Timers;
  readonly #soon: number;
  #timer: PlatformTimer | undefined;

  constructor(of: Looker, timers: Timers, lease: number) {
    this.#of = of;
    this.#timers = timers;
    this.#soon = lease / 10;
  }

  /** As a script has answered: negative is never. */
  after(ms: number): void {
    if (ms < 0) return;
    this.stop();
    this.#timer = this.#timers.start(() => this.#look(), Math.min(ms, longest));
  }

  stop(): void {
    if (this.#timer !== undefined) this.#timers.stop(this.#timer);
    this.#timer = undefined;
  }

  async #look(): Promise<void> {
    const { session, tickets, lease } = this.#of;
    this.#timer = undefined;
    try {
      this.after(await session.send('look'));
    } catch {
      if (tickets.size > 0) lease.renewIn(this.#soon);
    }
  }
}
