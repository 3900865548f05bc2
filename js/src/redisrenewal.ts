// A session is renewed, and asked what it has. What Redis has and we don't is given back; what we have and Redis hasn't is lost. So an answer that
// never came, and a message that nobody heard, are made good by the next renewal.

import type { Timers } from './redisconnection.js';
import type { RedisLease } from './redislease.js';
import type { RedisLook } from './redislook.js';
import type { RedisSession } from './redissession.js';
import type { Ticket, Tickets } from './redisticket.js';

/** Whom it tells. */
export interface Renewed {
  readonly session: RedisSession;
  readonly tickets: Tickets;
  readonly lease: RedisLease;
  lose(ticket: Ticket, why: string): void;
  grant(ticket: Ticket, token: string): void;
  askAgain(ticket: Ticket): void;
}

export class RedisRenewal {
  readonly #of: Renewed;
  readonly #looking: RedisLook;
  readonly #timers: Timers;
  readonly #every: number;
  #isRunning = false;
  #again = false;
  /** The largest token of an entry that a renewal has told. */
  #told = 0;

  constructor(of: Renewed, looking: RedisLook, timers: Timers, lease: number) {
    this.#of = of;
    this.#looking = looking;
    this.#timers = timers;
    this.#every = lease / 3;
  }

  /** One at a time: an answer that is late says nothing of what came since. */
  async renew(): Promise<void> {
    const { lease, session, tickets } = this.#of;
    lease.renews();
    if (tickets.size === 0) return;
    this.#again = this.#isRunning;
    if (this.#isRunning) return;
    this.#isRunning = true;
    const sent = this.#timers.clock();
    let ends = -1;
    try {
      const answer = await session.send('renew', this.#told || '');
      ends = answer[2];
      if (session !== this.#of.session || lease.isLate(sent)) this.#again = true;
      else this.#hear(answer, sent);
    } catch {
      // The lease ends if that goes on.
    } finally {
      this.#isRunning = false;
    }
    if (tickets.size === 0) return;
    if (this.#again) return this.renew();
    lease.renewIn(ends < 0 ? this.#every : Math.min(this.#every, ends + 1));
  }

  #hear([isKnown, looks, , waiting, ...list]: any[], sent: number): void {
    const { tickets, session } = this.#of;
    if (isKnown === 1 && tickets.size > 0) this.#of.lease.extend(sent);
    this.#looking.after(looks);
    const has = new Map<string, string>();
    for (let i = 0; i < list.length; i += 2) has.set(list[i], list[i + 1]);
    const { lost, granted, unsure, strays } = tickets.compare(waiting, has, sent);
    for (const ticket of lost) this.#of.lose(ticket, 'Redis does not know the place any more');
    for (const ticket of granted) this.#of.grant(ticket, has.get(ticket.id)!);
    for (const ticket of unsure) this.#of.askAgain(ticket);
    for (const [id, token] of has)
      if (id.endsWith('.0')) this.#told = Math.max(this.#told, Number(token));
    session.giveBack(strays);
  }
}
