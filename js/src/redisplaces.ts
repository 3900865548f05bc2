// The places that a process has in a guard over Redis, or waits for, and the entries that it waits for: its session.
//
// - A ticket without a place is over when it's let in. One that has waited Redis keeps until a renewal has told of it.
// - A ticket stands for each; Redis knows tickets by the session. What Redis has and we don't is given back when it's heard of; what we have and
//   Redis hasn't is lost. So an answer that never came, and a message that nobody heard, are made good by the next renewal.
// - We count our lease from when we asked for it, so it's over here before it is there.
// - The session lives on while it has tickets; without any it has no timer.

import type { PlatformTimer } from './clock.js';
import { errors } from './index.js';
import type { RedisConnection, Timers } from './redisconnection.js';
import { LocalShare, type Share } from './redislocal.js';
import type { Place, Places } from './remoteguard.js';

/** As in the scripts: `fixed`, `sliding` or `bucket`, how many, in how many ms, and what a bucket holds. */
export type RateArguments = readonly [string, number, number, number];

export interface PlacesOptions {
  max: number;
  maxQueue: number;
  rate: RateArguments | null;
  lease: number;
  patience: number;
  /** While Redis is down. */
  whenDown: 'fail' | 'wait' | Share;
}

/** asked: no answer has come yet. in: it has a place. local: one of this process alone. */
type State = 'asked' | 'waits' | 'in' | 'local' | 'gone';

class Ticket {
  static next = 0;
  readonly id: string;
  readonly place: Place;
  state: State = 'asked';
  /** It has asked so often without an answer. */
  tries = 0;
  /** When it was asked for. */
  sent = 0;
  /** When its state was heard: the answer to what was asked before may be older than that. */
  since = 0;
  timer: PlatformTimer | undefined;

  constructor(place: Place) {
    this.id = `${Ticket.next++}.${place.count}`;
    this.place = place;
  }
}

/** Part of the lease in which nothing is done any more: for timers that are late, and clocks that go at different rates. */
const margin = 0.1;

/** A longer timer would come at once. */
const longest = 2 ** 31 - 1;

/** So many are given back by one script. */
const atOnce = 500;

export class RedisPlaces implements Places {
  readonly max: number;
  readonly rated: boolean;
  readonly #connection: RedisConnection;
  readonly #timers: Timers;
  readonly #key: string;
  readonly #options: PlacesOptions;
  readonly #session: string;
  readonly #arguments: readonly (string | number)[];
  readonly #tickets = new Map<string, Ticket>();
  readonly #ofPlace = new Map<Place, Ticket>();
  /** Whose sections aren't closed yet. */
  readonly #lost = new Map<Place, Ticket>();
  readonly #share: LocalShare<Ticket> | null;
  #renewing = false;
  #again = false;
  /** The largest token of an entry that a renewal has told. */
  #told = 0;
  #timer: PlatformTimer | undefined;
  #deadline: PlatformTimer | undefined;
  #looking: PlatformTimer | undefined;
  /** By our clock. */
  #ends = Infinity;

  constructor(connection: RedisConnection, key: string, options: PlacesOptions) {
    const { max, rate, lease, whenDown } = options;
    this.max = max;
    this.rated = rate !== null;
    this.#connection = connection;
    this.#timers = connection.timers;
    this.#key = key;
    this.#options = options;
    this.#session = connection.channel.session();
    const limit = max === Infinity ? '' : max;
    this.#arguments = [this.#session, lease, limit, ...(rate ?? ['', '', '', ''])];
    this.#share =
      typeof whenDown === 'string'
        ? null
        : new LocalShare(whenDown, this.#timers, (ticket) => this.#letInHere(ticket));
  }

  ask(place: Place): void {
    this.#checkLease();
    const ticket = new Ticket(place);
    if (this.#tickets.size === 0) this.#connection.channel.open(this.#session, this);
    this.#tickets.set(ticket.id, ticket);
    this.#ofPlace.set(place, ticket);
    this.#acquire(ticket);
  }

  left(place: Place): void {
    this.#drop(this.#ofPlace.get(place)!);
  }

  free(place: Place): void {
    const lost = this.#lost.get(place);
    const ticket = this.#ofPlace.get(place);
    this.#lost.delete(place);
    if (lost !== undefined) this.#giveBack([lost.id]);
    else if (ticket !== undefined) this.#drop(ticket);
  }

  // ---- asking

  async #acquire(ticket: Ticket): Promise<void> {
    const { maxQueue, patience } = this.#options;
    const { channel } = this.#connection;
    const sent = (ticket.sent = this.#timers.clock());
    const isHeard = channel.hears;
    ticket.timer ??= this.#timers.start(() => this.#failed(ticket, 'no answer in time'), patience);
    try {
      const most = maxQueue === Infinity ? '' : maxQueue;
      const inside = ticket.place.isInside ? 1 : '';
      const answer = await this.#send('acquire', ticket.id, most, inside);
      this.#answered(ticket, answer, sent, isHeard);
    } catch (error) {
      this.#failed(ticket, String((error as Error)?.message ?? error));
    }
  }

  #answered(
    ticket: Ticket,
    [how, looks, token]: [number, number, string?],
    sent: number,
    isHeard: boolean,
  ): void {
    const isKept = how === 0 || (how === 1 && ticket.place.count > 0);
    // What was given so long ago is over here, whether or not it is there.
    const isLate = isKept && this.#timers.clock() >= sent + this.#options.lease * (1 - margin);
    if (isKept && !isLate) this.#extend(sent);
    this.#stop(ticket.timer);
    if (how >= 0) this.#lookIn(looks);
    if (ticket.state === 'gone' || ticket.state === 'local') {
      if (isKept) this.#giveBack([ticket.id]);
      return;
    }
    if (ticket.state !== 'asked') return;
    ticket.timer = undefined;
    if (isLate) return void this.#acquire(ticket);
    ticket.since = this.#timers.clock();
    if (how < 0) {
      const retryAfter = looks < 0 ? undefined : looks;
      return this.#refuse(ticket, errors.DefenseRejected, 'the queue is full', retryAfter);
    }
    if (how === 1) return this.#grant(ticket, token);
    ticket.state = 'waits';
    this.#share?.leave(ticket);
    if (isHeard) return;
    if (this.#connection.channel.hears) this.#renew();
    else this.#connection.channel.listen();
  }

  #grant(ticket: Ticket, token: string | undefined): void {
    ticket.state = 'in';
    ticket.since = this.#timers.clock();
    this.#share?.leave(ticket);
    const isSpent = ticket.place.count === 0;
    if (isSpent) this.#forget(ticket);
    if (!ticket.place.grant(token) && !isSpent) this.#drop(ticket);
  }

  #refuse(ticket: Ticket, code: string, why: string, retryAfter?: number): void {
    this.#forget(ticket);
    this.#share?.leave(ticket);
    ticket.place.refuse(code, why, retryAfter);
  }

  /** Redis is down, or says no. Whether the place was given isn't known: when Redis is heard of again it's given back. */
  #failed(ticket: Ticket, why: string): void {
    this.#stop(ticket.timer);
    if (ticket.state !== 'asked') return;
    const { whenDown } = this.#options;
    if (whenDown === 'fail') return this.#refuse(ticket, errors.RedisFailed, why);
    ticket.timer = this.#timers.start(
      () => {
        ticket.timer = undefined;
        this.#acquire(ticket);
      },
      Math.min(50 * 2 ** ticket.tries++, 2000),
    );
    this.#share?.enter(ticket, ticket.place.count);
  }

  #letInHere(ticket: Ticket): void {
    this.#stop(ticket.timer);
    ticket.state = 'local';
    const isSpent = ticket.place.count === 0;
    if (isSpent) this.#forget(ticket);
    if (!ticket.place.grant(undefined) && !isSpent) this.#drop(ticket);
  }

  // ---- giving back

  #drop(ticket: Ticket): void {
    const { state } = ticket;
    this.#forget(ticket);
    this.#share?.leave(ticket);
    if (state === 'in' || state === 'waits') this.#giveBack([ticket.id]);
  }

  #forget(ticket: Ticket): void {
    this.#stop(ticket.timer);
    ticket.state = 'gone';
    this.#tickets.delete(ticket.id);
    this.#ofPlace.delete(ticket.place);
    if (this.#tickets.size === 0) this.#rest();
  }

  #giveBack(ids: readonly string[]): void {
    for (let i = 0; i < ids.length; i += atOnce)
      this.#send('release', ...ids.slice(i, i + atOnce)).then(
        (answer) => this.#lookIn(answer[1]),
        () => this.#renewSoon(),
      );
  }

  // ---- looking: a session that waits does it for all, when the next may enter; and who has found more to do than one script does goes on

  #lookIn(ms: number): void {
    if (ms < 0) return;
    this.#stop(this.#looking);
    this.#looking = this.#timers.start(() => this.#look(), Math.min(ms, longest));
  }

  async #look(): Promise<void> {
    this.#looking = undefined;
    try {
      this.#lookIn(await this.#send('look'));
    } catch {
      this.#renewSoon();
    }
  }

  // ---- the lease

  #extend(sent: number): void {
    if (this.#tickets.size === 0) return;
    const { lease } = this.#options;
    const ends = sent + lease * (1 - margin);
    if (this.#ends !== Infinity && ends < this.#ends) return;
    this.#ends = ends;
    this.#stop(this.#deadline);
    this.#deadline = this.#timers.start(() => this.#checkLease(), ends - this.#timers.clock() + 1); // timers may be early
    this.#timer ??= this.#timers.start(() => this.#renew(), lease / 3);
  }

  /** All that we have is lost when the lease is over, whatever the reason. */
  #checkLease(): void {
    if (this.#timers.clock() < this.#ends) return;
    this.#ends = Infinity;
    for (const ticket of [...this.#tickets.values()]) {
      if (ticket.state === 'in') this.#lose(ticket);
      else if (ticket.state === 'waits') this.#askAgain(ticket);
    }
  }

  /** It's given back when its section has closed. */
  #lose(ticket: Ticket): void {
    const { place } = ticket;
    this.#forget(ticket);
    this.#lost.set(place, ticket);
    place.lose();
  }

  /** It waited; whether it still does is not known. */
  #askAgain(ticket: Ticket): void {
    ticket.state = 'asked';
    this.#acquire(ticket);
  }

  #renewSoon(): void {
    if (this.#tickets.size > 0) this.#schedule(this.#options.lease / 10);
  }

  #schedule(ms: number): void {
    this.#stop(this.#timer);
    this.#timer = this.#timers.start(() => this.#renew(), ms);
  }

  /** One at a time: an answer that is late says nothing of what came since. */
  async #renew(): Promise<void> {
    this.#stop(this.#timer);
    this.#timer = undefined;
    if (this.#tickets.size === 0) return;
    this.#again = this.#renewing;
    if (this.#renewing) return;
    this.#renewing = true;
    const { lease } = this.#options;
    const sent = this.#timers.clock();
    let ends = -1;
    try {
      const answer = await this.#send('renew', this.#told || '');
      ends = answer[2];
      if (answer[0] === 1) this.#extend(sent);
      this.#lookIn(answer[1]);
      this.#compare(answer[3], new Map(pairs(answer.slice(4))), sent);
    } catch {
      // The lease ends if that goes on.
    } finally {
      this.#renewing = false;
    }
    if (this.#tickets.size === 0) return;
    if (this.#again) return void this.#renew();
    this.#schedule(ends < 0 ? lease / 3 : Math.min(lease / 3, ends + 1));
  }

  #compare(waiting: number, has: Map<string, string>, sent: number): void {
    const known = [...this.#tickets.values()].filter(({ since }) => since > 0 && since < sent);
    for (const ticket of known) {
      const token = has.get(ticket.id);
      if (ticket.state === 'in' && token === undefined) this.#lose(ticket);
      else if (ticket.state === 'waits' && token !== undefined) this.#grant(ticket, token);
    }
    const waits = known.filter(({ state }) => state === 'waits');
    if (waits.length > waiting) for (const ticket of waits) this.#askAgain(ticket);
    const lost = new Set([...this.#lost.values()].map(({ id }) => id));
    const stray: string[] = [];
    for (const [id, token] of has)
      if (id.endsWith('.0')) this.#told = Math.max(this.#told, Number(token));
      else if (!this.#tickets.has(id) && !lost.has(id)) stray.push(id);
    this.#giveBack(stray);
  }

  /** Nothing is asked for. */
  #rest(): void {
    this.#stop(this.#timer);
    this.#stop(this.#deadline);
    this.#stop(this.#looking);
    this.#timer = this.#looking = undefined;
    this.#ends = Infinity;
    this.#connection.channel.close(this.#session);
  }

  #stop(timer: PlatformTimer | undefined): void {
    if (timer !== undefined) this.#timers.stop(timer);
  }

  // ---- what is told

  told(what: string, more: string): void {
    if (what === '!') return this.#lookIn(Number(more));
    this.#checkLease(); // a process that was paused hears before its timers fire
    const ticket = this.#tickets.get(what);
    if (ticket?.state === 'asked' && ticket.place.count > 0) this.#extend(ticket.sent); // its answer may be lost
    if (ticket?.state === 'waits' || ticket?.state === 'asked') this.#grant(ticket, more);
  }

  again(): void {
    this.#renew();
  }

  #send(script: string, ...own: (string | number)[]): Promise<any> {
    return this.#connection.script(`guard/${script}`, this.#key, [...this.#arguments, ...own]);
  }
}

function pairs(list: readonly string[]): [string, string][] {
  const made: [string, string][] = [];
  for (let i = 0; i < list.length; i += 2) made.push([list[i]!, list[i + 1]!]);
  return made;
}
