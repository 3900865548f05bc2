// The places that a process has in a guard over Redis, or waits for, and the entries that it waits for: how they are asked for, and what comes of
// that.
//
// - What is told of a ticket that was asked for more than once may be older than the last time: then Redis is asked. So it is if replicas have to
//   know what is let in.
// - The session lives on while it has tickets; without any it has no timer.

import { errors } from './index.js';
import type { RedisConnection, Timers } from './redisconnection.js';
import { RedisLease } from './redislease.js';
import { LocalShare, type Share } from './redislocal.js';
import { RedisLook } from './redislook.js';
import { type Renewed, RedisRenewal } from './redisrenewal.js';
import { saidByRedis, RedisSession } from './redissession.js';
import { Ticket, Tickets } from './redisticket.js';
import type { Place, Places } from './remoteguard.js';

/** As in the scripts: `fixed`, `sliding` or `bucket`, how many, in how many ms, and what a bucket holds. */
export type RateArguments = readonly [string, number, number, number];

export interface PlacesOptions {
  max: number;
  maxQueue: number;
  rate: RateArguments | null;
  lease: number;
  patience: number;
  /** That have to know what is let in. */
  replicas: number;
  /** While Redis is down. */
  whenDown: 'fail' | 'wait' | Share;
}

export class RedisPlaces implements Places, Renewed {
  readonly max: number;
  readonly rated: boolean;
  readonly tickets = new Tickets();
  readonly lease: RedisLease;
  session: RedisSession;
  readonly #connection: RedisConnection;
  readonly #timers: Timers;
  readonly #key: string;
  readonly #options: PlacesOptions;
  /** As scripts get them. */
  readonly #limits: readonly (string | number)[];
  readonly #newSession: () => RedisSession;
  readonly #renewal: RedisRenewal;
  readonly #share: LocalShare<Ticket> | null;
  readonly #looking: RedisLook;

  constructor(connection: RedisConnection, key: string, options: PlacesOptions) {
    const { max, rate, lease, patience, replicas, whenDown } = options;
    const { timers } = connection;
    this.max = max;
    this.rated = rate !== null;
    this.#connection = connection;
    this.#timers = timers;
    this.#key = key;
    this.#options = options;
    const limits = (this.#limits = [max === Infinity ? '' : max, ...(rate ?? ['', '', '', ''])]);
    // Who comes behind a wait that is in vain has the other half of his patience.
    const needed = replicas > 0 ? { count: replicas, patience: patience / 2 } : null;
    const looking = (this.#looking = new RedisLook(this, timers, lease));
    this.#newSession = () => new RedisSession(connection, key, options, limits, needed, looking);
    this.session = this.#newSession();
    this.#renewal = new RedisRenewal(this, looking, timers, lease);
    this.lease = new RedisLease(
      timers,
      lease,
      () => this.#leaseIsOver(),
      () => this.again(),
    );
    this.#share =
      typeof whenDown === 'string'
        ? null
        : new LocalShare(whenDown, timers, (ticket) => this.#letInHere(ticket));
  }

  /** Of all processes: places taken, lines that wait, and entries left, or -1. */
  counts(): Promise<[number, number, number]> {
    const args = ['', this.#options.lease, ...this.#limits];
    return this.#connection.script('guard/counts', this.#key, args);
  }

  ask(place: Place): void {
    const { whyClosed } = this.#connection;
    if (whyClosed !== '') return place.refuse(errors.Closed, whyClosed);
    this.lease.check();
    const { session, tickets } = this;
    const ticket = new Ticket(place, session);
    if (tickets.size === 0) this.#connection.channel.open(session.name, this);
    tickets.add(ticket);
    this.askAgain(ticket);
  }

  left(place: Place): void {
    this.#drop(this.tickets.of(place)!);
  }

  free(place: Place): void {
    const ticket = this.tickets.of(place);
    const lost = this.tickets.takeLost(place);
    if (lost !== undefined) lost.session.giveBack([lost.id]);
    else if (ticket !== undefined) this.#drop(ticket);
  }

  // ---- asking

  /** Also for one that waited, when whether it still does isn't known. */
  askAgain(ticket: Ticket): void {
    const { maxQueue, patience } = this.#options;
    const { clock, start } = this.#timers;
    ticket.state = 'asked';
    ticket.asks++;
    ticket.flying++;
    const sent = clock();
    const isHeard = this.#connection.channel.hears;
    ticket.timer ??= start(() => this.#failed(ticket, 'no answer in time'), patience);
    const most = maxQueue === Infinity ? '' : maxQueue;
    const inside = ticket.place.isInside ? 1 : '';
    ticket.session.send('acquire', ticket.id, most, inside).then(
      (answer) => {
        ticket.flying--;
        this.#answered(ticket, answer, sent, isHeard);
      },
      (error) => {
        ticket.flying--;
        ticket.isDoubtful ||= !saidByRedis(error);
        this.#failed(ticket, String(error?.message ?? error));
      },
    );
  }

  #answered(
    ticket: Ticket,
    [how, looks, token]: [number, number, string?],
    sent: number,
    isHeard: boolean,
  ): void {
    const isKept = how === 0 || (how === 1 && ticket.place.count > 0);
    const isLate = isKept && this.lease.isLate(sent);
    ticket.isDoubtful = isKept;
    if (how >= 0) this.#looking.after(looks);
    if (ticket.isOver) return this.#clear(ticket);
    if (isKept && !isLate) this.lease.extend(sent);
    if (ticket.state === 'in' || (ticket.state === 'waits' && how !== 1)) return; // it was asked for twice
    this.#stopTimer(ticket);
    if (isLate) return this.askAgain(ticket);
    ticket.since = this.#timers.clock();
    if (how < 0) {
      const retryAfter = looks < 0 ? undefined : looks;
      return this.#refuse(ticket, errors.DefenseRejected, 'the queue is full', retryAfter);
    }
    if (how === 1) return this.grant(ticket, token);
    ticket.state = 'waits';
    this.#share?.leave(ticket);
    if (ticket.isTold) this.#isTold(ticket);
    if (isHeard) return;
    if (this.#connection.channel.hears) this.again();
    else this.#connection.channel.listen();
  }

  grant(ticket: Ticket, token: string | undefined): void {
    ticket.state = 'in';
    ticket.since = this.#timers.clock();
    this.#share?.leave(ticket);
    this.#letIn(ticket, token);
  }

  #letInHere(ticket: Ticket): void {
    this.#stopTimer(ticket);
    ticket.state = 'local';
    this.#clear(ticket);
    this.#letIn(ticket, undefined);
  }

  #letIn(ticket: Ticket, token: string | undefined): void {
    const isSpent = ticket.place.count === 0;
    if (isSpent) this.#forget(ticket);
    if (!ticket.place.grant(token) && !isSpent) this.#drop(ticket);
  }

  #refuse(ticket: Ticket, code: string, why: string, retryAfter?: number): void {
    this.#forget(ticket);
    this.#share?.leave(ticket);
    this.#clear(ticket);
    ticket.place.refuse(code, why, retryAfter);
  }

  /** Redis is down, or says no. */
  #failed(ticket: Ticket, why: string): void {
    const { whenDown } = this.#options;
    if (ticket.isOver) return this.#clear(ticket);
    if (ticket.state !== 'asked') return;
    this.#stopTimer(ticket);
    if (whenDown === 'fail') return this.#refuse(ticket, errors.RedisFailed, why);
    const pause = Math.min(50 * 2 ** ticket.tries++, 2000);
    ticket.timer = this.#timers.start(() => {
      ticket.timer = undefined;
      this.askAgain(ticket);
    }, pause);
    this.#share?.enter(ticket, ticket.place.count);
  }

  // ---- giving back

  #drop(ticket: Ticket): void {
    ticket.isDoubtful ||= ticket.state === 'in' || ticket.state === 'waits';
    this.#forget(ticket);
    this.#share?.leave(ticket);
    this.#clear(ticket);
  }

  /** What Redis may know of it is given back once nothing more can come of it. */
  #clear(ticket: Ticket): void {
    if (!ticket.isDoubtful || ticket.flying > 0) return;
    ticket.isDoubtful = false;
    ticket.session.giveBack([ticket.id]);
  }

  #forget(ticket: Ticket): void {
    this.#stopTimer(ticket);
    this.tickets.remove(ticket);
    if (this.tickets.size === 0) this.#rest();
  }

  /** Nothing is asked for. */
  #rest(): void {
    this.lease.rest();
    this.#looking.stop();
    this.#connection.channel.close(this.session.name);
    if (this.session.isDoubtful) this.session = this.#newSession();
  }

  #leaseIsOver(): void {
    for (const ticket of this.tickets.all()) {
      if (ticket.state === 'in')
        this.lose(ticket, 'Redis has not been heard of for the time of the lease');
      else if (ticket.state === 'waits') this.askAgain(ticket);
    }
  }

  lose(ticket: Ticket, why: string): void {
    this.#forget(ticket);
    this.tickets.lose(ticket);
    ticket.place.lose(why);
  }

  #stopTimer(ticket: Ticket): void {
    if (ticket.timer !== undefined) this.#timers.stop(ticket.timer);
    ticket.timer = undefined;
  }

  // ---- what is told

  told(what: string, more: string): void {
    if (what === '!') return this.#looking.after(Number(more));
    this.lease.check(); // a process that was paused hears before its timers fire
    const ticket = this.tickets.get(what);
    if (ticket?.state === 'asked') ticket.isTold = true;
    if (ticket?.state !== 'waits') return;
    if (ticket.asks > 1 || this.#options.replicas > 0) this.#isTold(ticket);
    else this.grant(ticket, more);
  }

  #isTold(ticket: Ticket): void {
    ticket.isTold = false;
    this.askAgain(ticket);
  }

  again(): void {
    this.#renewal.renew();
  }

  /** The last one first: so who leaves lets nobody in here who waits behind him. */
  closed(why: string): void {
    for (const ticket of this.tickets.all().reverse())
      if (ticket.state === 'asked' || ticket.state === 'waits')
        this.#refuse(ticket, errors.Closed, why);
  }
}
