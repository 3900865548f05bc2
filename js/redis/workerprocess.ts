/**
 * A process that works, for tests that kill it, as `workers.ts` starts it: with URL, QUEUE and OPTIONS. It prints a line for each job that begins and that ends; how
 * long each takes is its payload's `ms`.
 */
import { writeSync } from 'node:fs';
import { delay, type IAsyncSteps, steps } from '../src/index.js';
import { type Job, JobQueue, RedisConnection, worker, type WorkerOptions } from '../src/redis.js';
import { clients } from './clients.js';

const [url, name, text] = process.argv.slice(2) as [string, string, string];
const options: WorkerOptions & { client?: keyof typeof clients } = JSON.parse(text);
const { client = 'redis', ...own } = options;
const connection = await clients[client](url);
const shop = new RedisConnection(connection.client, { prefix: 'shop' });
/** Written before anything else happens, so that a kill loses none. */
const say = (what: string, { id, token }: Job) => writeSync(1, `${what} ${id} ${token}\n`);

const handler = steps((asi: IAsyncSteps, { ms }: { ms: number }, job: Job) => {
  say('begins', job);
  asi.setCancel(() => say('left', job));
  return steps(delay(ms), () => say('ends', job));
});
worker(new JobQueue<{ ms: number }>(shop, name), handler, { report: () => {}, ...own });
