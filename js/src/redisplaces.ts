// The places that a process has in a guard over Redis, or waits for: its session.
//
// - A ticket stands for each; Redis knows tickets by the session. What Redis has and we don't is given back when it's heard of; what we have and
//   Redis hasn't is lost. So an answer that never came, and a message that nobody heard, are made good by the next renewal.
// - We count our lease from when we asked for it, so it's over here before it is there.
// - The session lives on while it has tickets; without any it has no timer.

import { clock, type PlatformTimer, startTimer, stopTimer } from './clock.js';
import type { RedisConnection } from './redisconnection.js';
import { LocalShare } from './redislocal.js';
import { errors } from './index.js';
import type { Place, Places } from './remoteguard.js';

/** What a section does that finds Redis down. */
export type WhenDown = 'fail' | 'wait' | { local: number };

export interface PlacesOptions {
  max: number;
  maxQueue: number;
  lease: number;
  patience: number;
  whenDown: WhenDown;
}

/** asked: no answer has come yet. in: it has a place. local: one of this process alone. */
type State = 'asked' | 'waits' | 'in' | 'local' | 'gone';

class Ticket {
  static next = 0;
  readonly id = String(Ticket.next++);
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
    this.place = place;
  }
}

// biome-ignore lint/suspicious/noShadowRestrictedNames: as everywhere, without the types of Node
declare const globalThis: { readonly crypto: { randomUUID(): string } };

function stop(timer: PlatformTimer | undefined): void {
  if (timer !== undefined) stopTimer(timer);
}

/** Part of the lease in which nothing is done any more: for timers that are late, and clocks that go at different rates. */
const margin = 0.1;

export class RedisPlaces implements Places {
  readonly max: number;
  readonly #connection: RedisConnection;
  readonly #key: string;
  readonly #options: PlacesOptions;
  readonly #session = globalThis.crypto.randomUUID();
  readonly #tickets = new Map<string, Ticket>();
  readonly #ofPlace = new Map<Place, Ticket>();
  /** Whose sections aren't closed yet. */
  readonly #lost = new Map<Place, Ticket>();
  readonly #share: LocalShare<Ticket>;
  #listening: Promise<(() => void) | void> | undefined;
  #renewing = false;
  #again = false;
  #timer: PlatformTimer | undefined;
  #deadline: PlatformTimer | undefined;
  /** By our clock. */
  #ends = Infinity;

  constructor(connection: RedisConnection, key: string, options: PlacesOptions) {
    this.max = options.max;
    this.#connection = connection;
    this.#key = key;
    this.#options = options;
    const { whenDown } = options;
    this.#share = new LocalShare(typeof whenDown === 'object' ? whenDown.local : 0);
  }

  ask(place: Place): void {
    this.#checkLease();
    const ticket = new Ticket(place);
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
    if (lost !== undefined) this.#giveBack(lost);
    else if (ticket !== undefined) this.#drop(ticket);
  }

  // ---- asking

  async #acquire(ticket: Ticket): Promise<void> {
    const { maxQueue, lease, patience } = this.#options;
    const sent = (ticket.sent = clock());
    ticket.timer ??= startTimer(() => this.#failed(ticket, 'no answer in time'), patience);
    try {
      const most = maxQueue === Infinity ? '' : maxQueue;
      const answer = await this.#send('acquire', ticket.id, this.max, most, lease);
      this.#answered(ticket, answer, sent);
    } catch (error) {
      this.#failed(ticket, String((error as Error)?.message ?? error));
    }
  }

  #answered(ticket: Ticket, [how, token]: [number, string?], sent: number): void {
    // What was given so long ago is over here, whether or not it is there.
    const isLate = how >= 0 && clock() >= sent + this.#options.lease * (1 - margin);
    if (how >= 0 && !isLate) this.#extend(sent);
    stop(ticket.timer);
    if (ticket.state === 'gone' || ticket.state === 'local') return this.#giveBack(ticket);
    if (ticket.state !== 'asked') return;
    ticket.timer = undefined;
    if (isLate) return void this.#acquire(ticket);
    ticket.since = clock();
    if (how < 0) return this.#refuse(ticket, errors.DefenseRejected, 'the queue is full');
    if (how === 1) return this.#grant(ticket, token!);
    ticket.state = 'waits';
    this.#share.leave(ticket);
    this.#listen();
  }

  #grant(ticket: Ticket, token: string): void {
    ticket.state = 'in';
    ticket.since = clock();
    this.#share.leave(ticket);
    if (!ticket.place.grant(token)) this.#drop(ticket);
  }

  #refuse(ticket: Ticket, code: string, why: string): void {
    this.#forget(ticket);
    ticket.place.refuse(code, why);
  }

  /** Redis is down, or says no. Whether the place was given isn't known: when Redis is heard of again it's given back. */
  #failed(ticket: Ticket, why: string): void {
    stop(ticket.timer);
    if (ticket.state !== 'asked') return;
    const { whenDown } = this.#options;
    if (whenDown === 'fail') return this.#refuse(ticket, errors.RedisFailed, why);
    ticket.timer = startTimer(
      () => {
        ticket.timer = undefined;
        this.#acquire(ticket);
      },
      Math.min(50 * 2 ** ticket.tries++, 2000),
    );
    if (whenDown !== 'wait' && this.#share.enter(ticket)) this.#letInHere(ticket);
  }

  #letInHere(ticket: Ticket): void {
    stop(ticket.timer);
    ticket.state = 'local';
    if (!ticket.place.grant(undefined)) this.#drop(ticket);
  }

  // ---- giving back

  #drop(ticket: Ticket): void {
    const { state } = ticket;
    this.#forget(ticket);
    const next = this.#share.leave(ticket);
    if (next !== undefined) this.#letInHere(next);
    if (state === 'in' || state === 'waits') this.#giveBack(ticket);
  }

  #forget(ticket: Ticket): void {
    stop(ticket.timer);
    ticket.state = 'gone';
    this.#tickets.delete(ticket.id);
    this.#ofPlace.delete(ticket.place);
    if (this.#tickets.size === 0) this.#rest();
  }

  #giveBack(...tickets: Ticket[]): void {
    this.#send('release', this.max, ...tickets.map(({ id }) => id)).catch(() => this.#renewSoon());
  }

  // ---- the lease

  #extend(sent: number): void {
    if (this.#tickets.size === 0) return;
    const { lease } = this.#options;
    const ends = sent + lease * (1 - margin);
    if (this.#ends !== Infinity && ends < this.#ends) return;
    this.#ends = ends;
    stop(this.#deadline);
    this.#deadline = startTimer(() => this.#checkLease(), ends - clock() + 1); // timers may be early
    this.#timer ??= startTimer(() => this.#renew(), lease / 3);
  }

  /** All that we have is lost when the lease is over, whatever the reason. */
  #checkLease(): void {
    if (clock() < this.#ends) return;
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
    stop(this.#timer);
    this.#timer = startTimer(() => this.#renew(), ms);
  }

  /** One at a time: an answer that is late says nothing of what came since. */
  async #renew(): Promise<void> {
    stop(this.#timer);
    this.#timer = undefined;
    if (this.#tickets.size === 0) return;
    this.#again = this.#renewing;
    if (this.#renewing) return;
    this.#renewing = true;
    const { lease } = this.#options;
    const sent = clock();
    let ends = -1;
    try {
      const answer = await this.#send('renew', this.max, lease);
      ends = answer[1];
      if (answer[0] === 1) this.#extend(sent);
      this.#compare(answer[2], new Map(pairs(answer.slice(3))), sent);
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
    const stray = [...has.keys()].filter((id) => !this.#tickets.has(id) && !lost.has(id));
    if (stray.length > 0) this.#send('release', this.max, ...stray).catch(() => this.#renewSoon());
  }

  /** Nothing is asked for. */
  #rest(): void {
    stop(this.#timer);
    stop(this.#deadline);
    this.#timer = undefined;
    this.#ends = Infinity;
    const listening = this.#listening;
    this.#listening = undefined;
    void listening?.then((end) => end?.());
  }

  // ---- what is told

  #listen(): void {
    const listening: Promise<(() => void) | void> | undefined = (this.#listening ??=
      this.#connection
        .listen(`${this.#key}:c:${this.#session}`, {
          heard: (text) => {
            this.#checkLease(); // a process that was paused hears before its timers fire
            const [id, token] = text.split(' ');
            const ticket = this.#tickets.get(id!);
            if (ticket?.state === 'asked') this.#extend(ticket.sent); // its answer may be lost
            if (ticket?.state === 'waits' || ticket?.state === 'asked') this.#grant(ticket, token!);
          },
          again: () => void this.#renew(),
        })
        .then(
          (end) => {
            void this.#renew(); // what was said before
            return end;
          },
          () => {
            if (this.#listening === listening) this.#listening = undefined;
            startTimer(() => this.#tickets.size > 0 && this.#listen(), 1000).unref?.();
          },
        ));
  }

  #send(script: string, ...args: (string | number)[]): Promise<any> {
    return this.#connection.script(`mutex/${script}`, this.#key, [this.#session, ...args]);
  }
}

function pairs(list: readonly string[]): [string, string][] {
  const made: [string, string][] = [];
  for (let i = 0; i < list.length; i += 2) made.push([list[i]!, list[i + 1]!]);
  return made;
}
