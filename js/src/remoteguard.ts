// A guard whose places are given elsewhere: what a line, a section and a snapshot have to do with that, without knowing who gives them.
//
// - A line asks once; then it waits as for any guard, until it's let in, or refused, whenever that is heard.
// - Every place that has been asked for is given up or back exactly once: by `left` or by `free`, unless it was lost or refused.

import { errors } from './codes.js';
import type { StepError } from './error.js';
import type { Guard } from './guard.js';
import { HeldGuard, heldAround, type Hold, hold, holdOf } from './holds.js';
import type { IAsyncSteps } from './iasyncsteps.js';
import { leaseOf, type LeaseTimer } from './lease.js';
import { hostOf } from './path.js';
import type { Step } from './step.js';
import type { Line } from './tree.js';
import { infoOf, refusal, reject, stepOf, Waiter, Waiters } from './waiters.js';

/** Who gives places and entries. */
export interface Places {
  /** How many places there are; `Infinity`: nobody needs any. */
  readonly max: number;
  /** Whether each section needs an entry, too. */
  readonly rated: boolean;
  ask(place: Place): void;
  /** Its line doesn't wait any more. */
  left(place: Place): void;
  /** Nobody has it any more. */
  free(place: Place): void;
}

/** What is asked for: so many places, or none and an entry only. */
export class Place {
  readonly count: number;
  /** Lines around it have places: who waits for several waits for these, too. */
  readonly isInside: boolean;
  /** Says that it's newer than others. */
  token: string | undefined;
  /** By which its section loses it. */
  lease: LeaseTimer | undefined;
  readonly #guard: RemoteGuard;
  readonly #waiter: Waiter;

  constructor(guard: RemoteGuard, waiter: Waiter, count: number, isInside: boolean) {
    this.#guard = guard;
    this.#waiter = waiter;
    this.count = count;
    this.isInside = isInside;
  }

  /** Lets its line in; false if that doesn't wait any more. */
  grant(token: string | undefined): boolean {
    const { step: lock } = this.#waiter;
    if (!this.#guard.leaves(this.#waiter) || !this.#waiter.success()) return false;
    this.token = token;
    this.#guard.letIn(lock!, this);
    return true;
  }

  /** Its line fails. */
  refuse(code: string, why: string, retryAfter?: number): void {
    const waiter = this.#waiter;
    if (!this.#guard.leaves(waiter)) return;
    const { line } = waiter.step!;
    const { blamed: guard } = this.#guard;
    if (!waiter.error(code, infoOf(guard, why))) return;
    const error = refusal(line.latch as StepError, guard);
    if (retryAfter !== undefined) error.retry_after = retryAfter;
  }

  /** Its section fails, if that hasn't closed. */
  lose(why: string): void {
    const { lease } = this;
    this.lease = undefined;
    if (lease === undefined) return;
    lease.by = this.#guard.blamed;
    lease.why = why;
    lease.lose(0);
  }
}

export class RemoteGuard extends HeldGuard {
  /** It's kept elsewhere: `Keyed` takes it. */
  declare readonly isRemote: true;
  /** @internal */
  declare readonly keeps: boolean;
  /** @internal */
  declare readonly kind: string;
  declare private readonly source: Places;
  readonly #waiters = new Waiters();
  readonly #held = new Map<Hold, Place>();
  readonly #left = (asi: IAsyncSteps): void => {
    const waiter = (asi as Step).work as Waiter;
    if (this.#waiters.remove(waiter)) this.source.left(waiter.what as Place);
  };

  /** @internal */
  constructor(kind: string, name: string, keeps: boolean, places: Places) {
    super(name);
    this.kind = kind;
    this.keeps = keeps;
    this.source = places;
  }

  /** How many lines of this process wait. */
  get waiting(): number {
    return this.#waiters.length;
  }

  /** @internal Whom errors name. */
  get blamed(): Guard {
    return this;
  }

  /** @internal What there is to remember is elsewhere. */
  override isNew(): boolean {
    return this.#waiters.length === 0 && this.#held.size === 0;
  }

  /** @internal A line that has places is let in at once; any other one has to ask, as does each for an entry. */
  admit(line: Line, count = 1): boolean {
    const held = holdOf(line, this);
    if (held === null || held.places < count || this.source.rated) return false;
    held.times++;
    return true;
  }

  /** @internal */
  queue(lock: Step, count = 1): void {
    const { line } = lock;
    const why = this.deadlock(line, count);
    if (why !== null) reject(lock, this.blamed, undefined, why, errors.Deadlock);
    const waiter = new Waiter(lock, this.#left);
    const isUsed = this.source.max !== Infinity && !this.has(line);
    const place = new Place(this, waiter, isUsed ? count : 0, heldAround(line, this) > 0);
    waiter.what = place;
    this.#waiters.push(waiter);
    this.source.ask(place);
  }

  /** @internal Why the line would wait for those around it, or for itself; null: it wouldn't. */
  deadlock(line: Line, count: number): string | null {
    const held = holdOf(line, this);
    if (held ? held.places >= count : heldAround(line, this) + count <= this.source.max)
      return null;
    return 'the places are those of enclosing lines, or of the line itself';
  }

  /** @internal */
  has(line: Line): boolean {
    return holdOf(line, this) !== null;
  }

  /** @internal */
  hasAround(line: Line): boolean {
    return heldAround(line, this) > 0;
  }

  /** @internal Without places there is nothing to give back. */
  override leave(line: Line): void {
    if (this.has(line)) super.leave(line);
  }

  /** @internal */
  free(held: Hold): void {
    const place = this.#held.get(held);
    if (place === undefined) return;
    this.#held.delete(held);
    place.lease = undefined;
    this.source.free(place);
  }

  /** @internal The place that the line, or the innermost one around it, has. */
  placeOf(asi: unknown): Place | undefined {
    let line = stepOf('token', asi as IAsyncSteps).line;
    for (;;) {
      const held = holdOf(line, this);
      if (held !== null) return this.#held.get(held);
      const host = hostOf(line);
      if (host === null) return undefined;
      ({ line } = host);
    }
  }

  /** @internal False if it waits no more. */
  leaves(waiter: Waiter): boolean {
    return this.#waiters.remove(waiter);
  }

  /** @internal The line has it with nobody having been asked. */
  take(line: Line): void {
    hold(line, this);
  }

  /** @internal */
  letIn(lock: Step, place: Place): void {
    const { line } = lock;
    const held = holdOf(line, this);
    if (held !== null) held.times++;
    else if (place.count > 0) {
      hold(line, this, place.count);
      place.lease = leaseOf(lock);
      this.#held.set(line.holds!, place);
    }
  }
}
