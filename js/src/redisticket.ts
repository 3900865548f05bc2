// What a process has asked of a guard over Redis, or has there: a ticket for each place, by which both know it.
//
// - A ticket without a place is over when it's let in. One that has waited Redis keeps until a renewal has told of it.
// - Of what Redis knows each ticket is in the end given back, but what is lost with its session: see `redissession`.

import type { PlatformTimer } from './clock.js';
import type { RedisSession } from './redissession.js';
import type { Place } from './remoteguard.js';

/** asked: no answer has come yet. in: it has a place. local: one of this process alone. */
type State = 'asked' | 'waits' | 'in' | 'local' | 'gone';

export class Ticket {
  static next = 0;
  readonly id: string;
  readonly place: Place;
  readonly session: RedisSession;
  state: State = 'asked';
  /** How often it was asked for, and how many of these have neither been answered nor failed. */
  asks = 0;
  flying = 0;
  /** It has been asked for so often in vain. */
  tries = 0;
  /** Redis may know it, though we haven't heard that. */
  isDoubtful = false;
  /** Something was told of it while it was asked for. */
  isTold = false;
  /** When its state was heard: the answer to what was asked before may be older than that. */
  since = 0;
  timer: PlatformTimer | undefined;

  constructor(place: Place, session: RedisSession) {
    this.id = `${Ticket.next++}.${place.count}`;
    this.place = place;
    this.session = session;
  }

  /** It's of no use here. */
  get isOver(): boolean {
    return this.state === 'gone' || this.state === 'local';
  }
}

export class Tickets {
  readonly #all = new Map<string, Ticket>();
  readonly #ofPlace = new Map<Place, Ticket>();
  /** Whose sections aren't closed yet. */
  readonly #lost = new Map<Place, Ticket>();

  get size(): number {
    return this.#all.size;
  }

  get(id: string): Ticket | undefined {
    return this.#all.get(id);
  }

  of(place: Place): Ticket | undefined {
    return this.#ofPlace.get(place);
  }

  /** In the order in which they were asked for. */
  all(): Ticket[] {
    return [...this.#all.values()];
  }

  add(ticket: Ticket): void {
    this.#all.set(ticket.id, ticket);
    this.#ofPlace.set(ticket.place, ticket);
  }

  remove(ticket: Ticket): void {
    ticket.state = 'gone';
    this.#all.delete(ticket.id);
    this.#ofPlace.delete(ticket.place);
  }

  /** It's given back when its section has closed. */
  lose(ticket: Ticket): void {
    this.#lost.set(ticket.place, ticket);
  }

  /** That of a section that has lost it, and has closed now. */
  takeLost(place: Place): Ticket | undefined {
    const ticket = this.#lost.get(place);
    this.#lost.delete(place);
    return ticket;
  }

  /** By what a renewal that was sent then says: how many wait, and which places they have, with tokens. */
  compare(waiting: number, has: ReadonlyMap<string, string>, sent: number): Difference {
    const known = this.all().filter(({ since }) => since > 0 && since < sent);
    const lost = known.filter(({ state, id }) => state === 'in' && !has.has(id));
    const waits = known.filter(({ state }) => state === 'waits');
    const granted = waits.filter(({ id }) => has.has(id));
    const others = waits.filter(({ id }) => !has.has(id));
    const given = new Set([...this.#lost.values()].map(({ id }) => id));
    const isStray = (id: string) => !given.has(id) && (this.get(id)?.isOver ?? true);
    const strays = [...has.keys()].filter((id) => !id.endsWith('.0') && isStray(id));
    return { lost, granted, unsure: others.length > waiting ? others : [], strays };
  }
}

/** What Redis says in another way than we thought. */
export interface Difference {
  readonly lost: readonly Ticket[];
  readonly granted: readonly Ticket[];
  /** Whether they still wait isn't known. */
  readonly unsure: readonly Ticket[];
  /** What nobody wants. */
  readonly strays: readonly string[];
}
