// The clients of the packages `redis` and `ioredis`, and of their clusters, as one. Nothing of either is imported: the program has made its client,
// with its own address, password, TLS and ACL user, and what is needed here is found by name.

import { startTimer, stopTimer } from './clock.js';
import { mistake } from './redisoptions.js';

/** A client of the package `redis`, version 5 or newer, which is connected; or a cluster of it. */
export interface NodeRedisClient {
  /** Whether `connect()` was called. */
  readonly isOpen: boolean;
  /** Sends a command as it is. */
  sendCommand(...args: any[]): PromiseLike<any>;
  /** Another client with the same options. */
  duplicate(...overrides: any[]): any;
}

/** A client of the package `ioredis`, version 5 or newer; or a cluster of it. */
export interface IoRedisClient {
  /** Such as `'ready'`. */
  readonly status: string;
  /** Sends a command as it is. */
  call(command: string, ...args: any[]): PromiseLike<any>;
  /** Another client with the same options. */
  duplicate(...overrides: any[]): any;
}

/** Of the program: it makes it, connects it, hears its errors and closes it. Guide: docs/jobs.md#a-connection */
export type RedisClient = NodeRedisClient | IoRedisClient;

/** A connection that only hears: made by `duplicate()`. */
export interface Subscriber {
  subscribe(channel: string): Promise<unknown>;
  unsubscribe(channel: string): Promise<unknown>;
}

/** A connection that is there, or is tried for till then: `close` ends both. */
export interface Connecting<T> {
  readonly made: Promise<T>;
  close(): void;
}

/** What a subscriber tells. */
export interface Hearing {
  message(channel: string, text: string): void;
  /** It's connected again: what was said meanwhile is lost. */
  again(): void;
}

/** What is asked of either client. */
export interface Wire {
  /** `key` says to which node of a cluster the command goes. */
  send(key: string, args: readonly string[]): Promise<unknown>;
  subscriber(hearing: Hearing): Connecting<Subscriber>;
  /** Another connection to the same server, which tells each time that it's connected, and sends nothing twice or later. A cluster has none. */
  own(connected: () => void): Connecting<OwnConnection>;
  readonly isCluster: boolean;
}

/** Of one use. */
export interface OwnConnection {
  send(args: readonly string[]): Promise<unknown>;
}

const longestPause = 2000;
/** A subscriber never gives up, whatever the program's client does. */
const pause = (tries: number): number => Math.min(50 * 2 ** Math.min(tries, 10), longestPause);
/** Whoever has made the client hears of what is wrong with the server. */
const unheard = (): void => {};

export function wireOf(client: RedisClient): Wire {
  const { call, status, sendCommand, isOpen, duplicate, getSentinelNode } = Object(client);
  if (typeof getSentinelNode === 'function')
    throw mistake('RedisConnection: expected a client of one server, by Sentinel one of ioredis');
  if (typeof duplicate === 'function') {
    if (typeof call === 'function' && typeof status === 'string')
      return ofIoRedis(client as IoRedisClient);
    if (typeof sendCommand === 'function' && typeof isOpen === 'boolean')
      return ofNodeRedis(client as NodeRedisClient);
  }
  throw mistake('RedisConnection: expected a client of the package redis or ioredis, 5 or newer');
}

function ofNodeRedis(client: NodeRedisClient): Wire {
  const isCluster = 'slots' in client;
  const { options, _commandOptions } = client as any;
  if ((_commandOptions ?? options?.commandOptions)?.typeMapping)
    throw mistake('RedisConnection: expected a client without typeMapping');
  return {
    isCluster,
    own(connected) {
      const { own, close } = patientOf(client, { disableOfflineQueue: true });
      own.on('ready', connected);
      const made = own.connect().then(() => ({
        send: async (args: readonly string[]) => own.sendCommand(args),
      }));
      return { made, close: () => close(made) };
    },
    async send(key, args) {
      return isCluster ? client.sendCommand(key, false, args) : client.sendCommand(args);
    },
    subscriber({ message, again }) {
      const { own, close } = isCluster ? clusterOf(client) : patientOf(client);
      const hear = (text: string, channel: string): void => message(channel, text);
      let isClosed = false;
      const made = own.connect().then(() => {
        own.on('ready', again); // it has subscribed again by then
        return {
          subscribe(channel: string): Promise<unknown> {
            if (isClosed) return Promise.reject(new Error('the connection is closed'));
            return (connecting = own.subscribe(channel, hear));
          },
          unsubscribe: (channel: string) => own.unsubscribe(channel, hear),
        };
      });
      let connecting: Promise<unknown> = made; // a cluster connects again to subscribe
      return {
        made,
        close() {
          isClosed = true;
          close(connecting);
        },
      };
    },
  };
}

interface Own {
  readonly own: any;
  close(connecting: Promise<unknown>): void;
}

/**
 * Another client, which never gives up. Its `destroy()` leaves a socket open that is being made at that moment, and the process with it. So it's
 * called when there is one, or between two tries.
 */
function patientOf(client: NodeRedisClient, more: object = {}): Own {
  let isClosed = false;
  let isMaking = true;
  const reconnectStrategy = (tries: number): number | false => {
    isMaking = false;
    return isClosed ? false : pause(tries);
  };
  const { socket } = (client as any).options ?? {};
  const own = client.duplicate({ socket: { ...socket, reconnectStrategy }, ...more });
  const end = (): void => {
    if (isClosed && !isMaking && own.isOpen) own.destroy();
  };
  own.on('error', unheard);
  own.on('reconnecting', () => (isMaking = true));
  own.on('connect', () => {
    isMaking = false;
    end();
  });
  const close = (): void => {
    isClosed = true;
    end();
  };
  return { own, close };
}

const longestConnecting = 1000;

/** The same of a cluster, which doesn't say when it makes a socket: it's closed once it's connected, or after a while, and then again. */
function clusterOf(client: NodeRedisClient): Own {
  const own = client.duplicate({});
  own.on('error', unheard);
  const destroy = (): void => {
    try {
      own.destroy();
    } catch {
      // it is
    }
  };
  const close = (connecting: Promise<unknown>): void => {
    const timer = startTimer(destroy, longestConnecting);
    timer.unref?.();
    const settled = (): void => {
      stopTimer(timer);
      destroy();
    };
    connecting.then(settled, settled);
  };
  return { own, close };
}

function ofIoRedis(client: IoRedisClient): Wire {
  const { isCluster = false, options } = client as any;
  for (const option of ['keyPrefix', 'stringNumbers'])
    if (options?.[option]) throw mistake(`RedisConnection: expected a client without ${option}`);
  return {
    isCluster,
    own(connected) {
      const own = client.duplicate({
        retryStrategy: pause,
        enableOfflineQueue: false,
        autoResendUnfulfilledCommands: false,
        enableAutoPipelining: false,
        lazyConnect: false,
      });
      own.on('error', unheard);
      const send = async ([command, ...args]: readonly string[]) => own.call(command, ...args);
      const made = new Promise<OwnConnection>((resolve, reject) => {
        own.once('ready', () => resolve({ send }));
        own.once('end', () => reject(new Error('the connection was closed')));
      });
      own.on('ready', connected);
      return { made, close: () => own.disconnect() };
    },
    async send(_key, [command, ...args]) {
      // With automatic pipelines `call` of version 5 loses the name of the command.
      const method = (client as any)[command!.toLowerCase()];
      return typeof method === 'function'
        ? method.apply(client, args)
        : client.call(command!, ...args);
    },
    subscriber({ message, again }) {
      const patient = { enableOfflineQueue: true, lazyConnect: false };
      const own = isCluster
        ? client.duplicate(undefined, { ...patient, clusterRetryStrategy: pause })
        : client.duplicate({ ...patient, retryStrategy: pause, maxRetriesPerRequest: null });
      const channels = new Set<string>();
      own.on('error', unheard);
      own.on('message', message);
      // Its own subscribing comes behind the event: only an answer says that it's done.
      own.on('ready', () => {
        if (channels.size > 0) own.subscribe(...channels).then(again, unheard);
      });
      const subscriber: Subscriber = {
        subscribe: (channel) => own.subscribe(channel).then(() => channels.add(channel)),
        unsubscribe(channel) {
          channels.delete(channel);
          return own.unsubscribe(channel);
        },
      };
      return { made: Promise.resolve(subscriber), close: () => own.disconnect() };
    },
  };
}
