// A mutex, and inside it a throttle. The usual lock enters both at once; a lock that has to wait does so in steps of its own, which
// give the place back if they don't come to their end.

import { checkOptions } from './error.js';
import type { IAsyncSteps, ISync } from './iasyncsteps.js';
import { Mutex } from './mutex.js';
import { report } from './report.js';
import type { Step } from './step.js';
import { Throttle } from './throttle.js';
import { type AbandonedOptions, checkLimit, lockingStep, Waiter } from './waiters.js';

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

/** Limits both how many lines are in at a time and how many enter in a period. [sync-70] */
export class Limiter implements ISync {
  readonly #mutex: Mutex;
  readonly #throttle: Throttle;

  /** `InternalError` for a bad limit. [sync-45, sync-47, sync-48] */
  constructor(options: LimiterOptions = {}) {
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

  /**
   * Takes a place, then an entry: at once, or in steps that wait. Cancelled or timed out they leave their queues and give the place
   * back. `Deadlock` and `DefenseRejected` as of `Mutex` and `Throttle`; what is refused costs no entry and holds no place.
   * [sync-70, sync-71, sync-72, sync-73, sync-74]
   */
  lock(asi: IAsyncSteps): void {
    const step = lockingStep(asi);
    const taken = this.#mutex.enter(step);
    try {
      if (taken && this.#throttle.enter(step)) return;
    } catch (refusal) {
      this.#mutex.unlock(step); // a throttle that refuses leaves no place held
      throw refusal;
    }
    new Waiter(step, () => this.#giveBack(step, taken));
    if (!taken) step.add((inner) => this.#mutex.lock(inner));
    step.add((inner) => this.#throttle.lock(inner));
  }

  /** Gives the place back. [sync-75] */
  unlock(asi: IAsyncSteps): void {
    this.#mutex.unlock(asi);
  }

  /** Of a step that waits: the place was taken at once, or perhaps since. [sync-112] */
  #giveBack(step: Step, taken: boolean): void {
    try {
      if (taken || this.#mutex.isHeldBy(step)) this.#mutex.unlock(step);
    } catch (thrown) {
      report(step, thrown);
    }
  }
}
