// A guard whose places are given elsewhere: what a line, a section and a snapshot have to do with that, without knowing who gives them.
//
// - A line asks once; then it waits as for any guard, until it's let in, or refused, whenever that is heard.
// - Every place that has been asked for is given up or back exactly once: by `left` or by `free`, unless it was lost or refused.

import { errors } from './codes.js';
import { HeldGuard, heldAround, type Hold, hold, holdOf } from './holds.js';
import type { IAsyncSteps } from './iasyncsteps.js';
import { leaseOf } from './lease.js';
import { hostOf } from './path.js';
import type { Step } from './step.js';
import type { StepTimer } from './timer.js';
import type { Line } from './tree.js';
import { infoOf, refusal, reject, stepOf, Waiter, Waiters } from './waiters.js';

/** Who gives places. */
export interface Places {
  /** How many there are. */
  readonly max: number;
  ask(place: Place): void;
  /** Its line doesn't wait any more. */
  left(place: Place): void;
  /** Nobody has it any more. */
  free(place: Place): void;
}

/** One that is asked for. */
export class Place {
  /** Says that it's newer than others. */
  token: string | undefined;
  readonly #guard: RemoteGuard;
  readonly #waiter: Waiter;
  #lease: StepTimer | undefined;

  constructor(guard: RemoteGuard, waiter: Waiter) {
    this.#guard = guard;
    this.#waiter = waiter;
  }

  /** Lets its line in; false if that doesn't wait any more. */
  grant(token: string | undefined): boolean {
    const { step: lock } = this.#waiter;
    if (!this.#guard.leaves(this.#waiter) || !this.#waiter.success()) return false;
    this.token = token;
    this.#lease = leaseOf(lock!);
    this.#guard.holdsPlace(lock!.line, this);
    return true;
  }

  /** Its line fails. */
  refuse(code: string, why: string): void {
    const waiter = this.#waiter;
    if (!this.#guard.leaves(waiter)) return;
    const { line } = waiter.step!;
    if (waiter.error(code, infoOf(this.#guard, why))) refusal(line.latch as any, this.#guard);
  }

  /** Its section fails, if that hasn't closed. */
  lose(): void {
    const lease = this.#lease;
    this.#lease = undefined;
    lease?.start(0);
  }

  /** What loses it is of no more use. */
  closed(): void {
    this.#lease = undefined;
  }
}

export class RemoteGuard extends HeldGuard {
  /** @internal */
  declare readonly keeps: boolean;
  /** @internal */
  declare readonly kind: string;
  declare private readonly places: Places;
  readonly #waiters = new Waiters();
  readonly #held = new Map<Hold, Place>();
  readonly #left = (asi: IAsyncSteps): void => {
    const waiter = (asi as Step).work as Waiter;
    if (this.#waiters.remove(waiter)) this.places.left(waiter.what as Place);
  };

  /** @internal */
  constructor(kind: string, name: string, keeps: boolean, places: Places) {
    super(name);
    this.kind = kind;
    this.keeps = keeps;
    this.places = places;
  }

  /** How many lines of this process wait. */
  get waiting(): number {
    return this.#waiters.length;
  }

  /** @internal A line that has a place is let in at once; any other one has to ask. */
  admit(line: Line): boolean {
    const held = holdOf(line, this);
    if (held === null) return false;
    held.times++;
    return true;
  }

  /** @internal */
  queue(lock: Step): void {
    if (heldAround(lock.line, this) >= this.places.max) {
      const why = 'the places are those of enclosing lines, or of the line itself';
      reject(lock, this, undefined, why, errors.Deadlock);
    }
    const waiter = new Waiter(lock, this.#left);
    const place = new Place(this, waiter);
    waiter.what = place;
    this.#waiters.push(waiter);
    this.places.ask(place);
  }

  /** @internal */
  free(held: Hold): void {
    const place = this.#held.get(held)!;
    this.#held.delete(held);
    place.closed();
    this.places.free(place);
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

  /** @internal */
  holdsPlace(line: Line, place: Place): void {
    hold(line, this);
    this.#held.set(line.holds!, place);
  }
}
