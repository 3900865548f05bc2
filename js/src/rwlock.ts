// A lock for those who read, together, and those who write, alone: two guards that share one queue.
//
// - While somebody waits nobody else enters, but for lines that have the lock already, or whose enclosing lines read: who waits in
//   front has to wait for those anyway.
// - What a line has of the lock stands on the line, for each of the two guards.

import { errors } from './codes.js';
import { checkOptions } from './error.js';
import type { Guard } from './guard.js';
import { HeldGuard, heldAround, hold, holdOf } from './holds.js';
import type { IAsyncSteps } from './iasyncsteps.js';
import type { WaitedFor } from './kind.js';
import type { Step } from './step.js';
import type { Line } from './tree.js';
import {
  type AbandonedOptions,
  checkName,
  checkQueue,
  type GuardOptions,
  keepsAbandoned,
  reject,
  Waiter,
  Waiters,
} from './waiters.js';

/** Of an `RwLock`. */
export interface RwLockOptions extends GuardOptions, AbandonedOptions {}

/**
 * Two guards: any number of lines is in by `read` at a time, or one by `write`; the others wait in the order of coming, at most `maxQueue` of
 * them; one more fails with `DefenseRejected`. A line that is in may lock again: `read` in both, `write` in `write`.
 * Guide: docs/limits.md#which-guard
 *
 *     const lock = new RwLock();
 *     asi.sync(lock.read, look).sync(lock.write, change);
 */
export class RwLock {
  /** Waits while somebody writes or waits. `Deadlock` under a line that writes. */
  readonly read: Guard & { readonly active: number };
  /** Waits while somebody is in. `Deadlock` for a line that reads, and under lines that are in. */
  readonly write: Guard & { readonly active: number };

  /** `InternalError` for a bad option. */
  constructor(options: RwLockOptions = {}) {
    const { maxQueue = Infinity, name } = checkOptions(
      'RwLock',
      options,
      'maxQueue abandoned name',
    );
    const lock = new Shared(
      checkQueue('RwLock', maxQueue),
      keepsAbandoned('RwLock', options),
      checkName('RwLock', name),
    );
    this.read = lock.read;
    this.write = lock.write;
  }

  /** As it was given, or empty. */
  get name(): string {
    return this.read.name;
  }

  /** How many lines wait, to read or to write. */
  get waiting(): number {
    return this.read.waiting + this.write.waiting;
  }
}

/** What the two sides have in common, and what snapshots show of them. */
class Shared implements WaitedFor {
  readonly kind = 'rwlock';
  readonly name: string;
  readonly read: Side;
  readonly write: Side;
  readonly waiters = new Waiters();
  readonly maxQueue: number;
  constructor(maxQueue: number, keeps: boolean, name: string) {
    this.name = name;
    this.maxQueue = maxQueue;
    this.read = new Side(this, keeps, name);
    this.write = new Side(this, keeps, name);
  }

  get waiting(): number {
    return this.read.waiting + this.write.waiting;
  }

  /** How many lines are in: beside the one that writes is nobody who reads. */
  get active(): number {
    return this.write.active || this.read.active;
  }

  admits(side: Side): boolean {
    return this.write.active === 0 && (side === this.read || this.read.active === 0);
  }

  grant(): void {
    const { waiters } = this;
    for (let waiter = waiters.first(); waiter !== null; waiter = waiters.first()) {
      const side = waiter.what as Side;
      const { line } = waiter.step!;
      if (waiter.valid() && !this.admits(side)) return;
      waiters.remove(waiter);
      side.waiting--;
      if (waiter.success()) side.take(line);
    }
  }
}

class Side extends HeldGuard {
  readonly keeps: boolean;
  waiting = 0;
  /** How many lines are in. */
  active = 0;
  /** @internal */
  readonly whole: Shared;
  /** Who stood behind may be the next. */
  readonly #left = (asi: IAsyncSteps): void => {
    if (!this.whole.waiters.remove((asi as Step).work)) return;
    this.waiting--;
    this.whole.grant();
  };

  constructor(lock: Shared, keeps: boolean, name: string) {
    super(name);
    this.whole = lock;
    this.keeps = keeps;
  }

  get kind(): string {
    const { kind, read } = this.whole;
    return this === read ? `${kind}.read` : `${kind}.write`;
  }

  admit(line: Line): boolean {
    const held = holdOf(line, this);
    if (held !== null) held.times++;
    else if (this.#mayEnter(line)) this.take(line);
    else return false;
    return true;
  }

  queue(lock: Step): void {
    const { waiters, maxQueue } = this.whole;
    if (this.#isDeadlock(lock.line)) {
      const why = 'the line, or one around it, is in';
      reject(lock, this.whole, undefined, why, errors.Deadlock);
    }
    if (waiters.length >= maxQueue) reject(lock, this.whole);
    this.waiting++;
    waiters.push(new Waiter(lock, this.#left, this));
  }

  take(line: Line): void {
    hold(line, this);
    this.active++;
  }

  free(): void {
    this.active--;
    this.whole.grant();
  }

  /** The line isn't in on this side. */
  #mayEnter(line: Line): boolean {
    const { read, write, waiters } = this.whole;
    if (this === read && holdOf(line, write) !== null) return true;
    if (this.#isDeadlock(line)) return false;
    if (heldAround(line, read) > 0) return true;
    return waiters.length === 0 && this.whole.admits(this);
  }

  #isDeadlock(line: Line): boolean {
    const { read, write } = this.whole;
    if (heldAround(line, write) > 0) return true;
    return this === write && (heldAround(line, read) > 0 || holdOf(line, read) !== null);
  }
}
