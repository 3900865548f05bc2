// Places for lines.
//
// - While somebody waits no place is free: places that are given back go to the first who can still take them. As long as they are too
//   few for him they are put aside.
// - A place is the line's from the grant on, whenever that line moves.

import { errors } from './codes.js';
import { badArgument, checkOptions } from './error.js';
import type { Guard } from './guard.js';
import { HeldGuard, heldAround, type Hold, hold, holdOf } from './holds.js';
import type { IAsyncSteps } from './iasyncsteps.js';
import { Several } from './several.js';
import type { Step } from './step.js';
import type { Line } from './tree.js';
import {
  type AbandonedOptions,
  checkLimit,
  checkName,
  checkQueue,
  type GuardOptions,
  keepsAbandoned,
  reject,
  Waiter,
  Waiters,
} from './waiters.js';

const KNOWN = 'max maxQueue abandoned name';

/** Of a `Mutex`. */
export interface MutexOptions extends GuardOptions, AbandonedOptions {
  /** How many lines may be in at a time, 1 or more. Default: 1. */
  max?: number | undefined;
}

/**
 * Lets at most `max` lines in at a time; the others wait in the order of coming, at most `maxQueue` of them. A line that is in enters
 * sections inside at once; a branch is a line of its own. `Deadlock` if nobody but enclosing lines could free a place, `DefenseRejected` if
 * the queue is full. Guide: docs/limits.md#which-guard
 *
 *     const pool = new Mutex({ max: 3, maxQueue: 10 });
 */
export class Mutex extends HeldGuard {
  /** @internal */
  readonly keeps: boolean;
  /** @internal A limiter. */
  declare within?: Guard;
  #free: number;
  #aside = 0;
  readonly #max: number;
  readonly #maxQueue: number;
  readonly #waiters = new Waiters();
  readonly #left = (asi: IAsyncSteps): void => {
    if (this.#waiters.remove((asi as Step).work)) this.#grant();
  };

  /** `InternalError` for a bad option. */
  constructor(options: MutexOptions = {}) {
    const { max = 1, maxQueue = Infinity, name } = checkOptions('Mutex', options, KNOWN);
    super(checkName('Mutex', name));
    this.#free = this.#max = checkLimit('Mutex: max', max, 1);
    this.#maxQueue = checkQueue('Mutex', maxQueue);
    this.keeps = keepsAbandoned('Mutex', options);
  }

  /**
   * A guard whose sections take `n` places of the mutex at once, or wait for as many, while those behind them wait, too. `Deadlock` for a
   * line that has fewer. `InternalError` unless 1 <= `n` <= `max`. Guide: docs/limits.md#which-guard
   *
   *     asi.sync(connections.places(3), copyAll);
   */
  places(n: number): Guard {
    if (checkLimit('places', n, 1) > this.#max)
      badArgument('places', `a whole number from 1 to ${this.#max}`, n);
    return new Several(this, n);
  }

  /** How many lines wait. */
  get waiting(): number {
    return this.#waiters.length;
  }

  /** How many places are taken. */
  get active(): number {
    return this.#max - this.available;
  }

  /** How many places aren't. */
  get available(): number {
    return this.#free + this.#aside;
  }

  /** @internal */
  override isNew(): boolean {
    return this.#free === this.#max;
  }

  /** @internal */
  admit(line: Line, places = 1): boolean {
    const held = holdOf(line, this);
    if (held !== null) {
      if (held.places < places) return false;
      held.times++;
      return true;
    }
    if (this.#free >= places) this.#free -= places;
    else if (this.#aside >= places && this.#before(line) === this.#waiters.first())
      this.#aside -= places;
    else return false;
    hold(line, this, places);
    return true;
  }

  /** @internal */
  queue(lock: Step, places = 1): void {
    this.checkDeadlock(lock, places);
    if (this.#waiters.length >= this.#maxQueue) reject(lock, this);
    this.#aside += this.#free;
    this.#free = 0;
    this.#waiters.push(new Waiter(lock, this.#left, places), this.#before(lock.line));
  }

  /** Of those who want several places: before him goes a line under lines with places, which he waits for. [sync-171] */
  #before(line: Line): Waiter | null {
    if (heldAround(line, this) === 0) return null;
    let waiter = this.#waiters.first();
    while (waiter !== null && waiter.what === 1) waiter = waiter.next;
    return waiter;
  }

  /** @internal Raises it if the line would wait for those around it, or for itself. */
  checkDeadlock(lock: Step, places = 1): void {
    const { line } = lock;
    if (holdOf(line, this) === null && heldAround(line, this) + places <= this.#max) return;
    const why = 'the places are those of enclosing lines, or of the line itself';
    reject(lock, this.shown(), undefined, why, errors.Deadlock);
  }

  /** @internal */
  get kind(): string {
    return 'mutex';
  }

  /** @internal */
  override shown(): Guard {
    return this.within ?? this;
  }

  /** @internal */
  free(held: Hold): void {
    this.#aside += held.places;
    this.#grant();
  }

  #grant(): void {
    const waiters = this.#waiters;
    for (let waiter: Waiter | null; this.#aside > 0 && (waiter = waiters.first()) !== null;) {
      const places = waiter.what as number;
      if (this.#aside < places && waiter.valid()) return;
      const { line } = waiter.step!;
      waiters.remove(waiter);
      if (!waiter.success()) continue;
      this.#aside -= places;
      hold(line, this, places);
    }
    this.#free += this.#aside;
    this.#aside = 0;
  }
}
