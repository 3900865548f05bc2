// A mutex of all processes that use one Redis.

import type { IAsyncSteps } from './iasyncsteps.js';
import { errors, RemoteGuard, StepError } from './index.js';
import type { RemoteGuard as Remote } from './remoteguard.js';
import type { RedisConnection } from './redisconnection.js';
import { checkNames, mistake, numberIn, wholeIn } from './redisoptions.js';
import { RedisPlaces, type WhenDown } from './redisplaces.js';
import type { AbandonedOptions } from './waiters.js';

const KNOWN = 'max maxQueue abandoned lease patience whenDown';

/** Of a `RedisMutex`. */
export interface RedisMutexOptions extends AbandonedOptions {
  /** How many lines of all processes may be in at a time, 1 or more. Default: 1. All processes have to give the same. */
  max?: number | undefined;
  /** How many lines of all processes may wait, 0 or more. Default: `Infinity`. One more fails with `DefenseRejected`. */
  maxQueue?: number | undefined;
  /** Milliseconds, 1,000 or more, after which Redis takes back what a process has that isn't heard of. Default: 10,000. */
  lease?: number | undefined;
  /** Milliseconds that a section waits for an answer of Redis. Default: a third of the lease. */
  patience?: number | undefined;
  /**
   * What a section does that finds Redis down: it fails with `RedisFailed`, the default; waits for it; or is let in by this process alone,
   * which then has so many places of its own.
   */
  whenDown?: WhenDown | undefined;
}

const RemoteMutex = RemoteGuard as new (...args: ConstructorParameters<typeof Remote>) => Remote;

/**
 * Lets at most `max` lines in at a time, of all processes that have a mutex of that name; the others wait in the order of coming, at most
 * `maxQueue` of them. A line that is in enters sections inside at once; a branch is a line of its own. `Deadlock` if nobody but enclosing
 * lines could free a place, `DefenseRejected` if the queue is full, `RedisFailed` if Redis is down, `LeaseLost` if the place is lost.
 * Guide: docs/redis.md
 *
 *     const ledger = new RedisMutex(shop, 'ledger', { lease: 5000 });
 *     asi.sync(ledger, write);
 */
export class RedisMutex extends RemoteMutex {
  /** `InternalError` for a bad name or option. */
  constructor(connection: RedisConnection, name: string, options: RedisMutexOptions = {}) {
    const {
      max = 1,
      maxQueue = Infinity,
      abandoned = 'keep',
      ...rest
    } = checkNames('RedisMutex', options, KNOWN);
    const { lease = 10_000, patience = lease / 3, whenDown = 'fail' } = rest;
    if (abandoned !== 'keep' && abandoned !== 'release')
      throw mistake(`RedisMutex: abandoned: expected 'keep' or 'release', got ${abandoned}`);
    const local = typeof whenDown === 'object' ? whenDown?.local : 1;
    if (!(whenDown === 'fail' || whenDown === 'wait' || typeof whenDown === 'object'))
      throw mistake(`RedisMutex: whenDown: expected 'fail', 'wait' or { local }, got ${whenDown}`);
    wholeIn('RedisMutex: whenDown: local', local, 1, Number.MAX_SAFE_INTEGER);
    const places = new RedisPlaces(connection, connection.key('mutex', name, 'RedisMutex'), {
      max: wholeIn('RedisMutex: max', max, 1, Number.MAX_SAFE_INTEGER),
      maxQueue: wholeIn('RedisMutex: maxQueue', maxQueue, 0, Infinity),
      lease: numberIn('RedisMutex: lease', lease, 1000, 86_400_000),
      patience: numberIn('RedisMutex: patience', patience, 1, 86_400_000),
      whenDown,
    });
    super('mutex', name, abandoned === 'keep', places);
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
    const token = this.placeOf(asi)?.token;
    if (token !== undefined) return token;
    throw new StepError(errors.InternalError, 'token: the line has no place that Redis knows');
  }
}
