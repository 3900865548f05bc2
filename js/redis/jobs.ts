/** What tests of jobs share: a server, a queue of a name of its own for each test, and workers, which are drained behind it. */
import { type RedisServer, startRedis } from '../../tools/redis/server.js';
import { JobQueue, type JobQueueOptions, RedisConnection, type Worker } from '../src/redis.js';
import './scripts.js';
import { type Client, clients } from './clients.js';

export class Jobs {
  server!: RedisServer;
  client!: Client;
  shop!: RedisConnection;
  /** Of the scripts, if it's set: else the server's time counts. */
  time: number | undefined;
  readonly workers: Worker[] = [];
  #count = 0;

  constructor(name: keyof typeof clients = 'redis', ...options: string[]) {
    before(async () => {
      this.server = await startRedis(...options);
      this.client = await clients[name](this.server.url);
      const now = () => this.time as unknown as number; // undefined: the server's
      this.shop = new RedisConnection(this.client.client, { prefix: 'shop' }, now);
    });
    afterEach(async () => {
      this.time = undefined;
      await Promise.all(this.workers.splice(0).map((worker) => worker.drain(0)));
    });
    after(async () => {
      this.shop?.close();
      this.client?.close();
      await this.server?.stop();
    });
  }

  queue<T = any>(options?: JobQueueOptions): JobQueue<T> {
    return new JobQueue<T>(this.shop, `queue ${++this.#count}`, options);
  }

  keep(worker: Worker): Worker {
    this.workers.push(worker);
    return worker;
  }

  /** The keys of a queue that there are. */
  async keys(queue: JobQueue<any>): Promise<string[]> {
    const keys: string[] = await this.shop.command('', 'KEYS', '*');
    return keys
      .filter((key) => key.startsWith(queue.base))
      .map((key) => key.slice(queue.base.length))
      .sort();
  }

  /** How often the server has run scripts. */
  async calls(): Promise<number> {
    const text: string = await this.shop.command('', 'INFO', 'commandstats');
    return Number(text.match(/cmdstat_evalsha:calls=(\d+)/)?.[1] ?? 0);
  }
}

/** Settles when that is true, which is asked again and again. */
export async function until(isTrue: () => boolean | Promise<boolean>): Promise<void> {
  while (!(await isTrue())) await new Promise((resolve) => setTimeout(resolve, 5));
}
