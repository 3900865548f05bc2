// A lock for those who read, together, and those who write, alone: two guards that share one queue.
//
// - While somebody waits nobody else enters, but for lines that have the lock already, or whose enclosing lines read: who waits in
//   front has to wait for those anyway.
// - What a line has of the lock stands on the line, for each of the two guards.

import { errors } from './codes.js';
import { checkOptions, misuse } from './error.js';
import { type Hold, heldAround, hold, holdOf, type Lender, release } from './holds.js';
import type { IAsyncSteps, ISync } from './iasyncsteps.js';
import type { Step } from './step.js';
import type { Line } from './tree.js';
import {
  type AbandonedOptions,
  checkLimit,
  keepsAbandoned,
  lockingStep,
  reject,
  stepOf,
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
  readonly read: ISync;
  /** Waits while somebody is in. `Deadlock` for a line that reads, and under lines that are in. [sync-90, sync-96, sync-100] */
  readonly write: ISync;
  #readers = 0;
  #written = false;
  readonly #waiters: Waiters;
  /** The step ends in another way than by the grant, which may have come while its body ran. Who stood behind may be the next. */
  readonly #left = (asi: IAsyncSteps): void => {
    const { line, options } = asi as Step;
    const held = holdOf(line, (options as Waiter).what as ISync);
    if (this.#waiters.remove(options as Waiter)) this.#grant();
    else if (held !== null) release(line, held);
  };

  /** `InternalError` for a bad limit. [sync-45, sync-47, sync-48] */
  constructor(options: RwLockOptions = {}) {
    const { maxQueue = Infinity, ...others } = checkOptions('RwLock', options);
    this.#waiters = new Waiters(checkLimit('maxQueue', maxQueue, 0));
    const keeps = keepsAbandoned(others);
    this.read = this.#side(keeps);
    this.write = this.#side(keeps);
  }

  #side(keeps: boolean): Lender {
    const side: Lender = {
      keeps,
      lock: (asi) => this.#lock(lockingStep(asi), side),
      unlock: (asi) => {
        const { line } = stepOf('unlock', asi);
        const held = holdOf(line, side);
        if (held === null) throw misuse('unlock: the line has not locked it');
        release(line, held);
      },
      free: (held) => this.#release(held),
    };
    return side;
  }

  #lock(step: Step, side: Lender): void {
    const { line } = step;
    const held = holdOf(line, side);
    if (held !== null) {
      held.times++;
    } else if (side === this.read && holdOf(line, this.write) !== null) {
      this.#take(line, side);
    } else {
      this.#enter(step, side);
    }
  }

  /** The line has nothing by which it could be in already. */
  #enter(step: Step, side: Lender): void {
    const { line } = step;
    const reads = side === this.read;
    const underReader = heldAround(line, this.read) > 0;
    if (heldAround(line, this.write) > 0 || (!reads && (underReader || holdOf(line, this.read)))) {
      step.error(errors.Deadlock, 'an enclosing line, or the line itself, is in');
    }
    if (underReader || (this.#waiters.isEmpty() && this.#admits(side))) {
      this.#take(line, side);
      return;
    }
    if (this.#waiters.isFull()) reject(step, 'rwlock');
    this.#waiters.push(new Waiter(step, this.#left, side));
  }

  #admits(side: ISync): boolean {
    return !this.#written && (side === this.read || this.#readers === 0);
  }

  #take(line: Line, side: Lender): void {
    hold(line, side);
    if (side === this.read) this.#readers++;
    else this.#written = true;
  }

  #release({ guard }: Hold): void {
    if (guard === this.write) this.#written = false;
    else this.#readers--;
    this.#grant();
  }

  #grant(): void {
    const waiters = this.#waiters;
    for (let waiter = waiters.first(); waiter !== null; waiter = waiters.first()) {
      const side = waiter.what as Lender;
      const completion = waiter.completion();
      if (completion.valid() && !this.#admits(side)) return;
      waiters.remove(waiter);
      if (completion.success()) this.#take(waiter.step.line, side);
    }
  }
}
