// What the guards over Redis have in common: options, and how they come to their places.

import { errors, RemoteGuard, StepError } from './index.js';
import type { RedisConnection } from './redisconnection.js';
import type { Share } from './redislocal.js';
import {
  checkConnection,
  checkNames,
  expected,
  mistake,
  numberIn,
  wholeIn,
} from './redisoptions.js';
import { type RateArguments, RedisPlaces } from './redisplaces.js';
import type { Place, RemoteGuard as IRemoteGuard } from './remoteguard.js';
import type { AbandonedOptions } from './waiters.js';

/** What a section does that finds Redis down. Guide: docs/redis.md#when-redis-is-down */
export type WhenDown = 'fail' | 'wait' | { local: number };

/** Of each guard over Redis. All processes have to give the same limits and lease. */
export interface RedisGuardOptions {
  /** How many lines of all processes may wait, 0 or more. Default: `Infinity`. One more fails with `DefenseRejected`. */
  maxQueue?: number | undefined;
  /** Milliseconds, 1,000 or more, after which Redis takes back what a process has that isn't heard of. Default: 10,000. */
  lease?: number | undefined;
  /** Milliseconds that a section waits for an answer of Redis. Default: a third of the lease. */
  patience?: number | undefined;
  /**
   * How many replicas have to know of a place or an entry before its section is let in, so that a failover to one of these lets nobody else in.
   * Default: 0. Not with a cluster. Guide: docs/redis.md#failover
   */
  replicas?: number | undefined;
  /**
   * What a section does that finds Redis down: it fails with `RedisFailed`, the default; waits for it; or is let in by this process alone,
   * which then has a share of its own.
   */
  whenDown?: WhenDown | undefined;
}

/** How a guard over Redis stands, for all processes. */
export interface RedisGuardCounts {
  /** How many places are taken; of a `RedisRwLock`, how many lines are in; 0 without places. */
  readonly active: number;
  /** How many lines wait. */
  readonly waiting: number;
  /** How many the rate lets in at once; `Infinity`: it has none. */
  readonly entries: number;
}

/** The class, as what it is. */
export const Remote = RemoteGuard as new (
  ...args: ConstructorParameters<typeof IRemoteGuard>
) => IRemoteGuard;

/**
 * What a `RedisMutex`, `RedisThrottle` and `RedisLimiter` are. Guide: docs/redis.md
 *
 *     const busy = async (guard: RedisGuard) => (await guard.counts()).waiting > 100;
 */
export class RedisGuard extends Remote {
  readonly #places: RedisPlaces;

  /** @internal */
  constructor(kind: string, name: string, keeps: boolean, places: RedisPlaces) {
    super(kind, name, keeps, places);
    this.#places = places;
  }

  /**
   * How it stands, for all processes; those that died count for their lease. An error of the client: as it is. It's a look: what it says may
   * be over when it's heard. Guide: docs/redis.md
   *
   *     const { active, waiting } = await ledger.counts();
   */
  async counts(): Promise<RedisGuardCounts> {
    return countsOf(await this.#places.counts());
  }
}

export function countsOf([active, waiting, entries]: readonly number[]): RedisGuardCounts {
  return { active: active!, waiting: waiting!, entries: entries! < 0 ? Infinity : entries! };
}

const ofAll = 'maxQueue lease patience replicas whenDown';

/** `own`: the names of those that others haven't. */
export function optionsOfGuard<T extends object>(call: string, options: T, own: string): T {
  return checkNames(call, options, `${own} ${ofAll}`.trim());
}

export function keepsOf(call: string, { abandoned = 'keep' }: AbandonedOptions): boolean {
  if (abandoned !== 'keep' && abandoned !== 'release')
    throw expected(`${call}: abandoned`, "'keep' or 'release'", abandoned);
  return abandoned === 'keep';
}

/** What such a guard limits; and what of it this process gives alone, if Redis is down, with that number; null: nothing. */
export interface Limits {
  max: number;
  rate: RateArguments | null;
  share: ((local: number) => Share) | null;
}

export function placesOf(
  call: string,
  connection: RedisConnection,
  kind: string,
  name: string,
  options: RedisGuardOptions,
  { max, rate, share }: Limits,
): RedisPlaces {
  const { maxQueue = Infinity, lease = 10_000, replicas = 0, whenDown = 'fail' } = options;
  wholeIn(`${call}: lease`, lease, 1000, 86_400_000);
  const { patience = lease / 3 } = options;
  const key = checkConnection(call, connection).key(kind, name, call);
  if (wholeIn(`${call}: replicas`, replicas, 0, 1000) > 0 && !connection.hasReplicas)
    throw mistake(`${call}: replicas: expected a client that is no cluster`);
  return new RedisPlaces(connection, key, {
    max,
    rate,
    maxQueue: wholeIn(`${call}: maxQueue`, maxQueue, 0, Infinity),
    lease,
    patience: numberIn(`${call}: patience`, patience, 1, 86_400_000),
    replicas,
    whenDown: whenDownOf(call, whenDown, share),
  });
}

function whenDownOf(
  call: string,
  given: WhenDown,
  share: Limits['share'],
): 'fail' | 'wait' | Share {
  if (given === 'fail' || given === 'wait') return given;
  if (share === null) throw expected(`${call}: whenDown`, "'fail' or 'wait'", given);
  if (typeof given !== 'object')
    throw expected(`${call}: whenDown`, "'fail', 'wait' or { local }", given);
  return share(wholeIn(`${call}: whenDown: local`, given?.local, 1, Number.MAX_SAFE_INTEGER));
}

export function tokenOf(place: Place | undefined): string {
  if (place?.token !== undefined) return place.token;
  throw new StepError(errors.InternalError, 'token: the line has no place that Redis knows');
}
