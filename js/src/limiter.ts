// A mutex, and inside it a throttle. The usual lock enters both at once; a lock that has to wait does so in steps of its own, and gives
// the place back if it doesn't come to its end.

import { checkOptions } from './error.js';
import { Guard } from './guard.js';
import { holdOf } from './holds.js';
import { Mutex } from './mutex.js';
import type { Step } from './step.js';
import { Throttle } from './throttle.js';
import type { Line } from './tree.js';
import { type AbandonedOptions, checkLimit, Waiter } from './waiters.js';

export interface LimiterOptions extends AbandonedOptions {
  /** How many lines may be in at a time; 1 if absent. */
  concurrent?: number | undefined;
  /** How many may wait for a place; 0 if absent. */
  maxQueue?: number | undefined;
  /** How many may enter in a period; 1 if absent. */
  rate?: number | undefined;
  /** In milliseconds; 1000 if absent. */
  period?: number | undefined;
  /** How many of those that have a place may wait for a later period; 0 if absent. */
  burst?: number | undefined;
}

/**
 * Limits both how many lines are in at a time and how many enter in a period: a line takes a place, then an entry. `Deadlock` and
 * `DefenseRejected` as of `Mutex` and `Throttle`; what is refused costs no entry and holds no place. [sync-70 to sync-75]
 */
export class Limiter extends Guard {
  readonly #mutex: Mutex;
  readonly #throttle: Throttle;

  /** `InternalError` for a bad limit. [sync-45, sync-47, sync-48] */
  constructor(options: LimiterOptions = {}) {
    super();
    const {
      concurrent = 1,
      maxQueue = 0,
      rate = 1,
      period = 1000,
      burst = 0,
    } = checkOptions('Limiter', options);
    checkLimit('concurrent', concurrent, 1);
    checkLimit('rate', rate, 1);
    checkLimit('burst', burst, 0);
    this.#mutex = new Mutex(concurrent, maxQueue, options);
    this.#throttle = new Throttle(rate, period, burst);
  }

  /** @internal A throttle that refuses leaves no place held: nobody waits for that one, it was free. */
  admit(line: Line): boolean {
    if (!this.#mutex.admit(line)) return false;
    if (this.#throttle.admit(line)) return true;
    this.#mutex.leave(line);
    return false;
  }

  /** @internal */
  wait(lock: Step): void {
    const { line } = lock;
    const taken = this.#mutex.admit(line);
    new Waiter(lock, () => {
      if (taken || holdOf(line, this.#mutex) !== null) this.#mutex.leave(line);
    });
    if (taken) this.#throttle.mayWait(lock);
    else this.#mutex.mayWait(lock);
    if (!taken) lock.add((inner) => enter(this.#mutex, inner as Step));
    lock.add((inner) => enter(this.#throttle, inner as Step));
  }

  /** @internal */
  leave(line: Line): void {
    this.#mutex.leave(line);
  }
}

function enter(guard: Guard, step: Step): void {
  if (!guard.admit(step.line)) guard.wait(step);
}
