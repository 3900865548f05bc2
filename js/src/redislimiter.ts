// A limiter of all processes that use one Redis.

import type { LimiterOptions } from './limiter.js';
import type { RedisConnection } from './redisconnection.js';
import {
  keepsOf,
  optionsOfGuard,
  placesOf,
  type RedisGuardOptions,
  RedisGuard,
} from './redisguard.js';
import type { Share } from './redislocal.js';
import { mistake, wholeIn } from './redisoptions.js';
import { rateOf, shareOf } from './redisthrottle.js';

/** Of a `RedisLimiter`: its limits are those of a `Limiter`, for all processes together. */
export interface RedisLimiterOptions
  extends
    RedisGuardOptions,
    Pick<LimiterOptions, 'concurrent' | 'rate' | 'period' | 'burst' | 'abandoned'> {}

const call = 'RedisLimiter';

/**
 * Limits both how many lines of all processes are in at a time and how many enter in a period; at least one of these has to be given. A line
 * takes a place, then an entry; who waits for either waits in one queue, of at most `maxQueue`. A place has a lease, as that of a `RedisMutex`.
 * `whenDown: { local: n }`: at most `n` lines of this process are in at a time, at as large a part of the rate; without `concurrent` it lets
 * in `n` a period. Guide: docs/redis.md#rates
 *
 *     const calls = new RedisLimiter(shop, 'calls', { concurrent: 8, rate: 100 });
 *     asi.sync(calls, ask);
 */
export class RedisLimiter extends RedisGuard {
  /** `InternalError` for a bad name or option. */
  constructor(connection: RedisConnection, name: string, options: RedisLimiterOptions) {
    optionsOfGuard(call, options, 'concurrent rate period burst abandoned');
    const { concurrent = Infinity, rate = Infinity, period, burst } = options;
    if (concurrent !== Infinity)
      wholeIn(`${call}: concurrent`, concurrent, 1, Number.MAX_SAFE_INTEGER);
    if (rate === Infinity && (period !== undefined || burst !== undefined))
      throw mistake(`${call}: period and burst: expected a rate beside them`);
    if (rate === Infinity && concurrent === Infinity)
      throw mistake(`${call}: expected concurrent, rate or both`);
    const entries = { max: rate, period, burst };
    const share = (local: number): Share => {
      if (rate === Infinity) return { max: local, rate: null };
      const whole = concurrent === Infinity ? rate : concurrent;
      return shareOf(concurrent === Infinity ? Infinity : local, entries, local / whole);
    };
    const limits = {
      max: concurrent,
      rate: rate === Infinity ? null : rateOf(call, entries),
      share,
    };
    const places = placesOf(call, connection, 'limiter', name, options, limits);
    super('limiter', name, keepsOf(call, options), places);
  }
}
