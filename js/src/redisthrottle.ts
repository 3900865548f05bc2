// A throttle of all processes that use one Redis.

import { admissionOf } from './index.js';
import type { RedisConnection } from './redisconnection.js';
import { optionsOfGuard, placesOf, type RedisGuardOptions, RedisGuard } from './redisguard.js';
import type { Share } from './redislocal.js';
import type { RateArguments } from './redisplaces.js';
import type { ThrottleOptions } from './throttle.js';

type Rate = Pick<ThrottleOptions, 'max' | 'period' | 'algorithm' | 'burst'>;

/** Of a `RedisThrottle`: its limits are those of a `Throttle`, for all processes together. */
export interface RedisThrottleOptions extends RedisGuardOptions, Rate {}

/**
 * Lets at most `max` lines of all processes in during `period` milliseconds of the server's clock, nested entries too; the others wait in the
 * order of coming, at most `maxQueue` of them. `DefenseRejected` if the queue is full, with `retry_after`; `RedisFailed` if Redis is down.
 * `whenDown: { local: n }`: this process lets in `n` a period. Guide: docs/redis.md#rates
 *
 *     const outgoing = new RedisThrottle(shop, 'mails', { max: 100, period: 60_000, burst: 10 });
 *     asi.sync(outgoing, send);
 */
export class RedisThrottle extends RedisGuard {
  /** `InternalError` for a bad name or option. */
  constructor(connection: RedisConnection, name: string, options: RedisThrottleOptions) {
    optionsOfGuard('RedisThrottle', options, 'max period algorithm burst');
    const rate = rateOf('RedisThrottle', options);
    const share = (local: number) => shareOf(Infinity, options, local / options.max);
    const limits = { max: Infinity, rate, share };
    super(
      'throttle',
      name,
      false,
      placesOf('RedisThrottle', connection, 'throttle', name, options, limits),
    );
  }
}

/** `call`: whose options these are. */
export function rateOf(call: string, options: Rate): RateArguments {
  admissionOf(call, options); // which looks at each of them
  const { max, period = 1000, burst } = options;
  const { algorithm = burst === undefined ? 'fixed' : 'bucket' } = options;
  return [algorithm, max, period, burst ?? max];
}

/** A part of such a rate, at least one, beside so many places. */
export function shareOf(max: number, rate: Rate, part: number): Share {
  const burst = rate.burst === undefined ? undefined : Math.max(1, Math.round(rate.burst * part));
  const few = { ...rate, max: Math.max(1, Math.round(rate.max * part)), burst };
  return { max, rate: admissionOf('RedisThrottle', few) };
}
