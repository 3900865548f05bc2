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
import type { Step } from './step.js';
import type { Line } from './tree.js';
import {
  type AbandonedOptions,
  checkLimit,
  keepsAbandoned,
  reject,
  Waiter,
  Waiters,
} from './waiters.js';

export interface RwLockOptions extends AbandonedOptions {
  /** How many may wait, readers and writers; unlimited if absent. */
  maxQueue?: number | undefined;
}

/**
 * Two guards: any number of lines is in by `read` at a time, or one by `write`; the others wait in the order of coming, at most
 * `maxQueue` of them. A line that is in may lock again: `read` in both, `write` in `write`. [sync-90, sync-91, sync-92, sync-94]
 */
export class RwLock {
  /** Waits while somebody writes or waits. `Deadlock` under a line that writes. [sync-93, sync-95, sync-97, sync-99, sync-101] */
  readonly read: Guard;
  /** Waits while somebody is in. `Deadlock` for a line that reads, and under lines that are in. [sync-90, sync-96, sync-100] */
  readonly write: Guard;

  /** `InternalError` for a bad limit. [sync-45, sync-47, sync-48] */
  constructor(options: RwLockOptions = {}) {
    const { maxQueue = Infinity, ...others } = checkOptions('RwLock', options);
    const lock = new Shared(checkLimit('maxQueue', maxQueue, 0), keepsAbandoned(others));
    this.read = lock.read;
    this.write = lock.write;
  }
}

/** What the two sides have in common. */
class Shared {
  readonly read: Side;
  readonly write: Side;
  readonly waiters: Waiters;
  /** How many lines are in on each side. */
  readers = 0;
  writers = 0;

  constructor(maxQueue: number, keeps: boolean) {
    this.waiters = new Waiters(maxQueue);
    this.read = new Side(this, keeps);
    this.write = new Side(this, keeps);
  }

  admits(side: Side): boolean {
    return this.writers === 0 && (side === this.read || this.readers === 0);
  }

  grant(): void {
    const { waiters } = this;
    for (let waiter = waiters.first(); waiter !== null; waiter = waiters.first()) {
      const side = waiter.what as Side;
      const { line } = waiter.step!;
      if (waiter.valid() && !this.admits(side)) return;
      waiters.remove(waiter);
      if (waiter.success()) side.take(line);
    }
  }
}

class Side extends HeldGuard {
  readonly keeps: boolean;
  readonly #lock: Shared;
  /** Who stood behind may be the next. */
  readonly #left = (asi: IAsyncSteps): void => {
    if (this.#lock.waiters.remove((asi as Step).work)) this.#lock.grant();
  };

  constructor(lock: Shared, keeps: boolean) {
    super();
    this.#lock = lock;
    this.keeps = keeps;
  }

  admit(line: Line): boolean {
    const held = holdOf(line, this);
    if (held !== null) held.times++;
    else if (this.#mayEnter(line)) this.take(line);
    else return false;
    return true;
  }

  wait(lock: Step): void {
    const { waiters } = this.#lock;
    if (this.#isDeadlock(lock.line)) {
      lock.error(errors.Deadlock, 'an enclosing line, or the line itself, is in');
    }
    if (waiters.isFull()) reject(lock, 'rwlock');
    waiters.push(new Waiter(lock, this.#left, this));
  }

  take(line: Line): void {
    hold(line, this);
    this.#count(1);
  }

  free(): void {
    this.#count(-1);
    this.#lock.grant();
  }

  #count(by: 1 | -1): void {
    if (this === this.#lock.read) this.#lock.readers += by;
    else this.#lock.writers += by;
  }

  /** The line isn't in on this side. */
  #mayEnter(line: Line): boolean {
    const { read, write, waiters } = this.#lock;
    if (this === read && holdOf(line, write) !== null) return true;
    if (this.#isDeadlock(line)) return false;
    if (heldAround(line, read) > 0) return true;
    return waiters.isEmpty() && this.#lock.admits(this);
  }

  #isDeadlock(line: Line): boolean {
    const { read, write } = this.#lock;
    if (heldAround(line, write) > 0) return true;
    return this === write && (heldAround(line, read) > 0 || holdOf(line, read) !== null);
  }
}
