// Places for lines.
//
// - While somebody waits no place is free: a place that is given back goes to the first who can still take it.
// - A place is the line's from the grant on, whenever that line moves.

import { errors } from './codes.js';
import { checkOptions } from './error.js';
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

/**
 * Lets at most `max` lines in at a time; the others wait in the order of coming, at most `maxQueue` of them. A line that is in enters
 * sections inside at once; a branch is a line of its own. `Deadlock` if nobody but enclosing lines could free a place,
 * `DefenseRejected` if the queue is full. [sync-30, sync-32, sync-35, sync-36, sync-37, sync-39]
 */
export class Mutex extends HeldGuard {
  /** @internal */
  readonly keeps: boolean;
  #free: number;
  readonly #max: number;
  readonly #waiters: Waiters;
  readonly #left = (asi: IAsyncSteps): void => {
    this.#waiters.remove((asi as Step).work);
  };

  /**
   * One place if `max` is absent, and a queue without a limit if `maxQueue` is. `abandoned: 'release'`: a place goes back with its
   * section though a promise that was abandoned in there goes on; else when that has settled. `InternalError` for a bad limit.
   * [sync-45, sync-47, sync-48, sync-113, sync-117]
   */
  constructor(max = 1, maxQueue = Infinity, options: AbandonedOptions = {}) {
    super();
    this.#free = this.#max = checkLimit('max', max, 1);
    this.#waiters = new Waiters(checkLimit('maxQueue', maxQueue, 0));
    this.keeps = keepsAbandoned(checkOptions('Mutex', options));
  }

  /** @internal */
  admit(line: Line): boolean {
    const held = holdOf(line, this);
    if (held !== null) held.times++;
    else if (this.#free > 0) this.#take(line);
    else return false;
    return true;
  }

  /** @internal */
  wait(lock: Step): void {
    this.mayWait(lock);
    this.#waiters.push(new Waiter(lock, this.#left));
  }

  /** @internal Raises what forbids that. */
  mayWait(lock: Step): void {
    if (heldAround(lock.line, this) === this.#max)
      lock.error(errors.Deadlock, 'every place is held by enclosing lines');
    if (this.#waiters.isFull()) reject(lock, 'mutex');
  }

  /** @internal */
  free(): void {
    this.#free++;
    const waiters = this.#waiters;
    for (let waiter: Waiter | null; this.#free > 0 && (waiter = waiters.first()) !== null;) {
      const { line } = waiter.step!;
      waiters.remove(waiter);
      if (waiter.success()) this.#take(line);
    }
  }

  #take(line: Line): void {
    this.#free--;
    hold(line, this);
  }
}
