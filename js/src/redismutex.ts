// A mutex of all processes that use one Redis.

import type { Guard } from './guard.js';
import type { IAsyncSteps } from './iasyncsteps.js';
import { Several as SeveralOf } from './index.js';
import type { RedisConnection } from './redisconnection.js';
import {
  keepsOf,
  optionsOfGuard,
  placesOf,
  type RedisGuardOptions,
  RedisGuard,
  tokenOf,
  type WhenDown,
} from './redisguard.js';
import { wholeIn } from './redisoptions.js';
import type { AbandonedOptions } from './waiters.js';

/** Of a `RedisMutex`. */
export interface RedisMutexOptions extends RedisGuardOptions, AbandonedOptions {
  /** How many lines of all processes may be in at a time, 1 or more. Default: 1. All processes have to give the same. */
  max?: number | undefined;
  /** As of each guard over Redis; `{ local: n }`: at most `n` lines of this process are in at a time. */
  whenDown?: WhenDown | undefined;
}

/**
 * Lets at most `max` lines in at a time, of all processes that have a mutex of that name; the others wait in the order of coming, at most
 * `maxQueue` of them. A line that is in enters sections inside at once; a branch is a line of its own. `Deadlock` if nobody but enclosing
 * lines could free a place, `DefenseRejected` if the queue is full, `RedisFailed` if Redis is down, `LeaseLost` if the place is lost.
 * Guide: docs/redis.md
 *
 *     const ledger = new RedisMutex(shop, 'ledger', { lease: 5000 });
 *     asi.sync(ledger, write);
 */
export class RedisMutex extends RedisGuard {
  readonly #max: number;

  /** `InternalError` for a bad name or option. */
  constructor(connection: RedisConnection, name: string, options: RedisMutexOptions = {}) {
    const { max = 1 } = optionsOfGuard('RedisMutex', options, 'max abandoned');
    wholeIn('RedisMutex: max', max, 1, Number.MAX_SAFE_INTEGER);
    const keeps = keepsOf('RedisMutex', options);
    const share = (local: number) => ({ max: local, rate: null });
    const limits = { max, rate: null, share };
    const places = placesOf('RedisMutex', connection, 'mutex', name, options, limits);
    super('mutex', name, keeps, places);
    this.#max = max;
  }

  /**
   * A guard whose sections take `n` places of the mutex at once, or wait for as many, while those behind them wait, too. `Deadlock` for a
   * line that has fewer. `InternalError` unless 1 <= `n` <= `max`. Guide: docs/redis.md
   *
   *     asi.sync(connections.places(3), copyAll);
   */
  places(n: number): Guard {
    return new Several(this, wholeIn('places', n, 1, this.#max));
  }

  /**
   * The fencing token of the place that the line, or the innermost line around it, has: of two that were let in the later one has the
   * larger number. What is written to can refuse a token that is smaller than the last. It grows, also when Redis was restarted empty, as
   * long as the clock of its machine doesn't go back. A whole number, as a text of digits. `InternalError` without a place, and in one that
   * was given while Redis was down. Guide: docs/redis.md#tokens
   *
   *     asi.sync(ledger, (inner) => inner.add(write.with(ledger.token(inner))));
   */
  token(asi: IAsyncSteps): string {
    return tokenOf(this.placeOf(asi));
  }
}

const Several = SeveralOf as unknown as new (whole: RedisMutex, n: number) => Guard;
