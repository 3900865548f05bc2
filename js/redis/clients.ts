/** The clients that tests run with, each package once. */
import { Redis } from 'ioredis';
import { createClient } from 'redis';
import type { RedisClient } from '../src/redis.js';

export interface Client {
  readonly client: RedisClient;
  close(): void;
}

/** Errors of a connection are the test's matter, not the process's. */
const unheard = (): void => {};

/** The commands of both wait while nobody is connected, and are tried as long as it takes. */
export const clients: Readonly<Record<'redis' | 'ioredis', (url: string) => Promise<Client>>> = {
  async redis(url) {
    const client = createClient({ url, socket: { reconnectStrategy: 50 } });
    client.on('error', unheard);
    await client.connect();
    return { client, close: () => client.destroy() };
  },
  async ioredis(url) {
    const client = new Redis(url, { maxRetriesPerRequest: null, retryStrategy: () => 50 });
    client.on('error', unheard);
    return { client, close: () => client.disconnect() };
  },
};
