// A service as those who call it see it, and those who serve it. All that has to be atomic is in the scripts of spec/redis/calls.

import { Caller } from './caller.js';
import type { RedisConnection } from './redisconnection.js';
import { checkConnection, checkNames, mistake, numberIn, wholeIn } from './redisoptions.js';

/** Of a `RedisService`. Those who call and those who serve give the same ones. */
export interface RedisServiceOptions {
  /** How many calls may wait until a server takes them, 1 or more: room for a burst, too. Default: `Infinity`. One more fails with `DefenseRejected`. */
  maxQueue?: number | undefined;
  /** Milliseconds, 1000 or more, after which a caller or server that Redis doesn't hear of has died. Default: 10,000. */
  lease?: number | undefined;
  /** Milliseconds that a call waits for Redis to take it, at most the lease. Default: a third of the lease. */
  patience?: number | undefined;
  /** How many bytes the arguments may have, and a reply, as JSON. Default: 1,048,576. */
  maxBytes?: number | undefined;
  /** How deep arrays and objects of them may lie in each other. Default: 64. */
  maxDepth?: number | undefined;
}

/** The methods of a service, as its type says them. */
export type MethodOf<S> = keyof S & string;
/** What a method takes. */
export type ArgumentsOf<S, M extends MethodOf<S>> = S[M] extends (...args: infer A) => any
  ? A
  : never;
/** What the step that calls it leaves. */
export type ReplyOf<S, M extends MethodOf<S>> = S[M] extends (...args: any) => infer R
  ? ValuesOf<Awaited<R>>
  : never;
// biome-ignore lint/suspicious/noConfusingVoidType: what leaves nothing
type ValuesOf<V> = 0 extends 1 & V ? [any] : [V] extends [void] ? [] : [V];

/** A service of which nothing more is known. */
export type AnyMethods = Record<string, (...args: any[]) => any>;

/**
 * A service over Redis: some processes serve its methods, others call them, in JavaScript and C++. Its type may say the methods, which is
 * for the compiler only. It does nothing by itself. A bad name or option: `InternalError`. Guide: docs/calls.md
 *
 *     interface Books {
 *       quote(isbn: string, copies: number): number;
 *     }
 *     const books = new RedisService<Books>(shop, 'books');
 */
export class RedisService<S = AnyMethods> {
  /** As it was given. */
  readonly name: string;
  /** @internal */
  readonly connection: RedisConnection;
  /** @internal */
  readonly base: string;
  /** @internal */
  readonly limits: Required<{ [K in keyof RedisServiceOptions]: number }>;
  /** @internal */
  readonly caller: Caller;
  /** For the compiler only: what its methods are. */
  declare readonly methods?: S;

  /** `name`: without braces. */
  constructor(connection: RedisConnection, name: string, options: RedisServiceOptions = {}) {
    const known = 'maxQueue lease patience maxBytes maxDepth';
    const given = checkNames('RedisService', options, known);
    const { maxQueue = Infinity, lease = 10_000, maxBytes = 1_048_576, maxDepth = 64 } = given;
    wholeIn('RedisService: lease', lease, 1000, 86_400_000);
    const { patience = lease / 3 } = given;
    const mostText = 512 * 1_048_576; // what Redis takes as one text
    this.limits = {
      maxQueue: wholeIn('RedisService: maxQueue', maxQueue, 1, Infinity),
      lease,
      patience: numberIn('RedisService: patience', patience, 1, 86_400_000),
      maxBytes: wholeIn('RedisService: maxBytes', maxBytes, 1, mostText),
      maxDepth: wholeIn('RedisService: maxDepth', maxDepth, 0, 10_000),
    };
    if (this.limits.patience > lease)
      throw mistake(
        `RedisService: patience: expected the lease, ${lease}, at most, got ${patience}`,
      );
    this.base = checkConnection('RedisService', connection).key('call', name, 'RedisService');
    this.connection = connection;
    this.name = name;
    this.caller = new Caller(this);
  }
  /**
   * How many calls wait until a server takes them, those of all processes. An error of the client: as it is. Guide: docs/calls.md#a-server
   *
   *     if ((await books.waiting()) > 1000) console.warn('more servers, please');
   */
  waiting(): Promise<number> {
    const key = `${this.base}:queue`;
    return this.connection.command(key, 'ZCARD', key);
  }
}
