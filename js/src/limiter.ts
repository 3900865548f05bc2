// A mutex, and inside it a throttle; what isn't limited has none. The usual lock enters both at once; a lock that has to wait does so in
// steps of its own, and gives the place back if it doesn't come to its end.

import { badArgument, checkOptions } from './error.js';
import { Guard } from './guard.js';
import { holdOf } from './holds.js';
import { Mutex } from './mutex.js';
import { OWED } from './phase.js';
import type { Step } from './step.js';
import { Throttle } from './throttle.js';
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
} from './waiters.js';

/** Of a `Limiter`: what isn't given isn't limited. */
export interface LimiterOptions extends GuardOptions, AbandonedOptions {
  /** How many lines may be in at a time, 1 or more. Default: `Infinity`. */
  concurrent?: number | undefined;
  /** How many lines may enter in a period, 1 or more. Default: `Infinity`. */
  rate?: number | undefined;
  /** In milliseconds, 1 or more. Default: 1000. Only beside a `rate`. */
  period?: number | undefined;
  /** How many tokens the rate saves, so how many lines may enter at once after a rest, 1 or more. Default: none, it counts by periods. */
  burst?: number | undefined;
}

const KNOWN = 'concurrent rate period burst maxQueue abandoned name';

/**
 * Limits both how many lines are in at a time and how many enter in a period; what isn't given isn't limited. A line takes a place, then an
 * entry. Who waits for either waits in one queue, of at most `maxQueue`. `Deadlock` and `DefenseRejected` as of `Mutex` and `Throttle`; what
 * is refused costs no entry and holds no place. Guide: docs/limits.md
 *
 *     const calls = new Limiter({ concurrent: 8, rate: 100 });
 *     asi.sync(calls, ask);
 */
export class Limiter extends Guard {
  readonly #mutex: Mutex | null;
  readonly #throttle: Throttle | null;
  readonly #maxQueue: number;
  #waiting = 0;

  /** `InternalError` for a bad option. */
  constructor(options: LimiterOptions = {}) {
    super(checkName('Limiter', checkOptions('Limiter', options, KNOWN).name));
    const { concurrent = Infinity, rate = Infinity } = options;
    const { maxQueue = Infinity, period, burst, abandoned, name } = options;
    checkLimit('Limiter: concurrent', concurrent, 1, ', or Infinity');
    checkLimit('Limiter: rate', rate, 1, ', or Infinity');
    if (period !== undefined) checkLimit('Limiter: period', period, 1);
    if (rate === Infinity && period !== undefined)
      badArgument('Limiter: period', 'a rate beside it', period);
    if (burst !== undefined) checkLimit('Limiter: burst', burst, 1);
    if (rate === Infinity && burst !== undefined)
      badArgument('Limiter: burst', 'a rate beside it', burst);
    keepsAbandoned('Limiter', options);
    this.#maxQueue = checkQueue('Limiter', maxQueue);
    if (concurrent === Infinity && rate === Infinity && maxQueue !== Infinity)
      badArgument('Limiter: maxQueue', 'concurrent or rate beside it', maxQueue);
    this.#mutex = concurrent === Infinity ? null : new Mutex({ max: concurrent, abandoned, name });
    if (this.#mutex) this.#mutex.within = this;
    this.#throttle = rate === Infinity ? null : new Throttle({ max: rate, period, burst });
  }

  /** @internal */
  get kind(): string {
    return 'limiter';
  }

  /** How many lines wait, for a place or an entry; who waits for an entry is active, too. */
  get waiting(): number {
    return this.#waiting;
  }

  /** How many places are taken; 0 without `concurrent`. */
  get active(): number {
    return this.#mutex?.active ?? 0;
  }

  /** How many places aren't; `Infinity` without `concurrent`. */
  get available(): number {
    return this.#mutex?.available ?? Infinity;
  }

  /** @internal */
  override isNew(now?: number): boolean {
    return (
      this.#waiting === 0 && (this.#mutex?.isNew() ?? true) && (this.#throttle?.isNew(now) ?? true)
    );
  }

  /** @internal A throttle that refuses leaves no place held: nobody waits for that one, it was free. */
  admit(line: Line): boolean {
    if (this.#mutex !== null && !this.#mutex.admit(line)) return false;
    if (this.#throttle === null || this.#throttle.admit(line)) return true;
    this.leave(line);
    return false;
  }

  /** @internal */
  queue(lock: Step): void {
    const { line } = lock;
    const mutex = this.#mutex;
    const throttle = this.#throttle;
    const taken = mutex === null || mutex.admit(line);
    this.#waiting++;
    new Entering(lock, () => {
      if (mutex !== null && (taken || holdOf(line, mutex) !== null)) mutex.leave(line);
    }).done = () => {
      this.#waiting--;
    };
    if (!taken) mutex.checkDeadlock(lock);
    if (this.#waiting > this.#maxQueue) this.#refuse(lock, taken);
    if (!taken) lock.add((inner) => enter(mutex, inner as Step));
    if (throttle !== null) lock.add((inner) => enter(throttle, inner as Step));
  }

  #refuse(lock: Step, taken: boolean): never {
    reject(lock, this, taken ? this.#throttle!.delay(lock.line) : undefined);
  }

  /** @internal */
  leave(line: Line): void {
    this.#mutex?.leave(line);
  }
}

/** A lock that is neither refused nor let in yet: it counts till its step closes. */
class Entering extends Waiter {
  declare done: () => void;

  constructor(lock: Step, undo: () => void) {
    super(lock, undo);
    lock.bits |= OWED;
  }

  closed(): void {
    this.done();
  }
}

function enter(guard: Mutex | Throttle, step: Step): void {
  if (!guard.admit(step.line)) guard.queue(step);
}
