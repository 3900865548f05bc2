// A read-write lock of all processes that use one Redis: who reads takes one place of very many, who writes takes all of them.

import type { Guard } from './guard.js';
import type { IAsyncSteps } from './iasyncsteps.js';
import type { RedisConnection } from './redisconnection.js';
import {
  countsOf,
  keepsOf,
  optionsOfGuard,
  placesOf,
  type RedisGuardOptions,
  type RedisGuardCounts,
  Remote,
  tokenOf,
} from './redisguard.js';
import type { RedisPlaces } from './redisplaces.js';
import type { Step } from './step.js';
import type { Line } from './tree.js';
import type { AbandonedOptions } from './waiters.js';

/** Of a `RedisRwLock`. It has no share of one process: `whenDown` is `'fail'` or `'wait'`. */
export interface RedisRwLockOptions extends Omit<RedisGuardOptions, 'whenDown'>, AbandonedOptions {
  /** What a section does that finds Redis down: it fails with `RedisFailed`, the default, or waits for it. */
  whenDown?: 'fail' | 'wait' | undefined;
}

const all = 2 ** 50;

/**
 * Two guards: any number of lines of all processes is in by `read` at a time, or one by `write`; the others wait in the order of coming, at most
 * `maxQueue` of them; one more fails with `DefenseRejected`. A line that is in may lock again: `read` in both, `write` in `write`. `Deadlock`
 * as of an `RwLock`, `RedisFailed` and `LeaseLost` as of a `RedisMutex`. Guide: docs/redis.md#who-reads-and-who-writes
 *
 *     const prices = new RedisRwLock(shop, 'prices');
 *     asi.sync(prices.read, look).sync(prices.write, change);
 */
export class RedisRwLock {
  /** Waits while somebody writes or waits. `Deadlock` under a line that writes. */
  readonly read: Guard;
  /** Waits while somebody is in. `Deadlock` for a line that reads, and under lines that are in. */
  readonly write: Guard;
  readonly #places: RedisPlaces;

  /** `InternalError` for a bad name or option. */
  constructor(connection: RedisConnection, name: string, options: RedisRwLockOptions = {}) {
    optionsOfGuard('RedisRwLock', options, 'abandoned');
    const keeps = keepsOf('RedisRwLock', options);
    const limits = { max: all, rate: null, share: null };
    const places = placesOf('RedisRwLock', connection, 'rwlock', name, options, limits);
    const args = [name, keeps, places] as const;
    const read = new Side('rwlock.read', ...args);
    const write = new Side('rwlock.write', ...args);
    read.other = write;
    write.other = read;
    read.whole = write.whole = new Remote('rwlock', ...args);
    this.read = read;
    this.write = write;
    this.#places = places;
  }

  /** As it was given. */
  get name(): string {
    return this.read.name;
  }

  /** How many lines of this process wait, to read or to write. */
  get waiting(): number {
    return this.read.waiting + this.write.waiting;
  }

  /**
   * How it stands, for all processes, as that of a `RedisMutex`; who writes is one line. Guide: docs/redis.md#who-reads-and-who-writes
   *
   *     const { active, waiting } = await prices.counts();
   */
  async counts(): Promise<RedisGuardCounts> {
    const [used, waiting, entries] = await this.#places.counts();
    return countsOf([used >= all ? 1 : used, waiting, entries]);
  }

  /**
   * The fencing token of the line, or of the innermost line around it that is in, as that of a `RedisMutex`: it's larger than those of all
   * that were let in before. `InternalError` for a line that isn't in. Guide: docs/redis.md#tokens
   *
   *     asi.sync(prices.write, (inner) => inner.add(write.with(prices.token(inner))));
   */
  token(asi: IAsyncSteps): string {
    return tokenOf((this.write as Side).placeOf(asi) ?? (this.read as Side).placeOf(asi));
  }
}

class Side extends Remote {
  declare other: Side;
  declare whole: Guard;

  override get blamed(): Guard {
    return this.whole;
  }

  override admit(line: Line): boolean {
    if (super.admit(line)) return true;
    if (this.#writes || !this.other.has(line)) return false;
    this.take(line); // it writes, so it may read
    return true;
  }

  override queue(lock: Step): void {
    super.queue(lock, this.#writes ? all : 1);
  }

  override deadlock(line: Line): string | null {
    const { read, write } = this.#writes
      ? { read: this.other, write: this as Side }
      : { read: this as Side, write: this.other };
    const reads = this.#writes && (read.has(line) || read.hasAround(line));
    return reads || write.hasAround(line) ? 'the line, or one around it, is in' : null;
  }

  get #writes(): boolean {
    return this.kind === 'rwlock.write';
  }
}
