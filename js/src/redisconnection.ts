// What jobs, calls and guards need of Redis: scripts, and channels.
//
// Keys: `{prefix:kind:name}` and what is appended to it. So all keys of one queue or guard are on one node of a cluster, and no two
// applications, kinds or names share one.

import { clock, type PlatformTimer, startTimer, stopTimer } from './clock.js';
import { type RedisClient, type Wire, wireOf } from './redisclient.js';
import { errors, StepError } from './index.js';
import { checkNames, mistake } from './redisoptions.js';
import { RedisChannel } from './redischannel.js';
import { RedisReplicas, type ReplicasNeeded } from './redisreplicas.js';
import { scriptOf } from './redisscripts.js';
import { type Listener, Subscriptions } from './subscriptions.js';
import { Untold } from './untold.js';

/** What guards over Redis wait with. */
export interface Timers {
  clock(): number;
  start(fn: () => void, ms: number): PlatformTimer;
  stop(timer: PlatformTimer): void;
}

type Send = (command: readonly string[]) => Promise<unknown>;

const platformTimers: Timers = { clock, start: startTimer, stop: stopTimer };

/** Of a `RedisConnection`. */
export interface RedisOptions {
  /** What all keys of this application begin with: letters, digits, `_`, `.` and `-`. Two applications on one Redis have two. */
  prefix: string;
}

/**
 * An application's use of Redis, by a client of the package `redis` or `ioredis`, which the program has made and closes itself: how it's
 * reached, passwords, TLS and ACL users are the client's. What is heard comes by another connection, a `duplicate()` of it, made when it's
 * needed. All keys begin with `{prefix:`. What is no client, and a bad prefix: `InternalError`. Guide: docs/jobs.md#a-connection
 *
 *     const shop = new RedisConnection(client, { prefix: 'shop' });
 */
export class RedisConnection {
  readonly #wire: Wire;
  readonly #prefix: string;
  readonly #subscriptions: Subscriptions;
  readonly #replicas: RedisReplicas;
  readonly #now: (() => number) | undefined;
  readonly #closing = new Set<() => void>();
  #isClosed = false;
  #closed: Promise<void> | undefined;
  /** @internal */
  readonly timers: Timers;
  /** @internal What guards and calls ask, for which `close` waits. */
  readonly untold = new Untold();
  /** @internal Of guards. */
  readonly channel: RedisChannel;

  /** `client`: one that is connected, or connects by itself. */
  constructor(client: RedisClient, options: RedisOptions);
  /** @internal `now`: in tests, the time of the scripts, which else is the server's; `timers`: those of guards. */
  constructor(client: RedisClient, options: RedisOptions, now: () => number, timers?: Timers);
  constructor(client: RedisClient, options: RedisOptions, now?: () => number, timers?: Timers) {
    const { prefix } = checkNames('RedisConnection', options, 'prefix');
    if (typeof prefix !== 'string' || !/^[\w.-]+$/.test(prefix))
      throw mistake('RedisConnection: prefix: expected letters, digits, _, . and -');
    this.#wire = wireOf(client);
    this.#prefix = prefix;
    this.#now = now;
    this.#subscriptions = new Subscriptions(this.#wire);
    this.#replicas = new RedisReplicas(this.#wire);
    this.timers = timers ?? platformTimers;
    this.channel = new RedisChannel(this, prefix);
  }

  /** @internal The base of the keys of one thing; a bad name is a mistake of `what`. */
  key(kind: string, name: string, what: string): string {
    if (typeof name !== 'string' || !/^[^{}]+$/.test(name))
      throw mistake(`${what}: name: expected a text without { and }`);
    return `{${this.#prefix}:${kind}:${name}}`;
  }

  /** @internal Runs a script of spec/redis; before its own arguments it gets the time, which is empty but in tests. */
  async script(
    name: string,
    key: string,
    args: readonly (string | number)[],
    send: Send = (command) => this.#wire.send(key, command),
  ): Promise<any> {
    const { text, sha } = scriptOf(name);
    const rest = ['1', key, String(this.#now?.() ?? ''), ...args.map(String)];
    try {
      return await send(['EVALSHA', sha, ...rest]);
    } catch (error) {
      // The server was restarted, its scripts were flushed, or it has never seen this one.
      if (!String((error as Error)?.message).startsWith('NOSCRIPT')) throw error;
      return await send(['EVAL', text, ...rest]);
    }
  }

  /** @internal The same, but it counts only if so many replicas have what it did, which it has if its answer begins with 1. */
  async replicated(
    name: string,
    key: string,
    args: readonly (string | number)[],
    needed: ReplicasNeeded,
  ): Promise<any> {
    this.#checkOpen();
    return this.#replicas.confirmed(
      (own) => this.script(name, key, args, own.send),
      ([how]) => how === 1,
      needed,
    );
  }

  /** @internal Why nothing is asked for any more; `''`: it's open. */
  get whyClosed(): string {
    return this.#isClosed ? 'the connection is closed' : '';
  }

  #checkOpen(): void {
    if (this.#isClosed) throw new StepError(errors.Closed, this.whyClosed);
  }

  /** @internal Whether it can be asked what replicas have. */
  get hasReplicas(): boolean {
    return !this.#wire.isCluster;
  }

  /** @internal A command with a key, on its node. */
  command(key: string, ...args: readonly string[]): Promise<any> {
    return this.#wire.send(key, args);
  }

  /** @internal Settles once it hears. The function that it gives ends it. */
  async listen(channel: string, listener: Listener): Promise<() => void> {
    this.#checkOpen();
    return this.#subscriptions.listen(channel, listener);
  }

  /** @internal Calls it when the connection is closed, unless the function that is given is called before. */
  onClose(closed: () => void): () => void {
    this.#closing.add(closed);
    return () => void this.#closing.delete(closed);
  }

  /**
   * Closes the connection by which it hears, not the client. Workers and servers are drained before: those that aren't are ended, and what they run is
   * cancelled and given back. What waits for a lock, and each lock
   * and call that comes, fails with `Closed`; calls that wait, with `CallLost`. Settles when Redis has answered what guards and calls have
   * said, so that it knows what was given back; after the longest `patience` of these at the latest. Guide: docs/jobs.md#a-connection
   *
   *     await shop.close();
   */
  close(): Promise<void> {
    if (this.#closed !== undefined) return this.#closed;
    this.#isClosed = true;
    this.channel.closed(this.whyClosed);
    for (const closed of [...this.#closing]) closed();
    this.#subscriptions.close();
    this.#replicas.close();
    return (this.#closed = this.untold.told(this.timers));
  }
}
