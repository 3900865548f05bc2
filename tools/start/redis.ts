import { createClient } from 'redis';
import { enqueue, JobQueue, RedisConnection } from '../../js/src/redis.js';
import { redisScripts } from '../redis/scripts.js';
import { type RedisServer, startRedis } from '../redis/server.js';
import { buildJobsWorker, jobsWorker, run } from '../resp/build.js';
import { mostAtOnce } from './letters.js';
import { LetterWorker } from './letterworker.js';
import { announce, flash, say } from './progress.js';
import { table } from './table.js';

const parts = 5;
const letters = 240;
/** Of jobs and places, in milliseconds. */
const lease = 2000;
/** What the examples give their limiter. */
const mostOf = 3;

/**
 * `npm start -- redis`: two workers in JavaScript and two in C++ on one queue and under one limiter, of which one of each is killed. True: the
 * limit was never exceeded, and nothing was lost.
 */
export async function startRedisShow(): Promise<boolean> {
  announce(parts, 'installing what is missing: tools/setup redis');
  await run('tools/setup', ['redis'], flash);
  announce(parts, 'building the workers');
  await run(process.execPath, ['--import', 'tsx', 'tools/build.ts'], flash);
  await buildJobsWorker(flash);
  announce(parts, 'redis-server, in a folder of its own, and four workers');
  const server = await startRedis('--appendonly', 'yes', '--appendfsync', 'always');
  try {
    say(`    ${'redis-server'.padEnd(14)}127.0.0.1:${server.port}`);
    return await show(server);
  } finally {
    await server.stop();
  }
}

async function show({ port, url }: RedisServer): Promise<boolean> {
  const inJs = [process.execPath, 'js/examples/jobs/worker.js'];
  const workers = [
    ...['JavaScript 1', 'JavaScript 2'].map((name) => new LetterWorker(name, inJs, port, lease)),
    ...['C++ 1', 'C++ 2'].map((name) => new LetterWorker(name, [jobsWorker], port, lease)),
  ];
  for (const { name, pid, ready } of workers) {
    await ready;
    say(`    ${name.padEnd(14)}pid ${pid}`);
  }
  Object.assign(globalThis, { redisScripts: redisScripts() });
  const client = await createClient({ url }).connect();
  const shop = new RedisConnection(client, { prefix: 'shop' });
  const queue = new JobQueue<{ to: string; ms: number }>(shop, 'letters');
  const isEmpty = async () => (await queue.counts()).jobs === 0;

  announce(parts, `${letters} letters, of which ${mostOf} are sent at a time`);
  const names = Array.from({ length: letters }, (_, i) => `letter-${i + 1}`);
  for (const [i, to] of names.entries()) await enqueue(queue, { to, ms: 10 + ((i * 7) % 40) });
  for (const killed of [workers[0]!, workers[2]!]) {
    await until(async () => {
      if (killed.diary.isBusy && killed.diary.done().length >= 10) return true;
      if (await isEmpty()) throw new Error(`all was sent before ${killed.name} could be killed`);
      return false;
    });
    await killed.kill();
    say(`    kill -9 ${killed.name}, with ${killed.diary.lost().join(' and ')} on the way`);
  }
  await until(isEmpty);
  await Promise.all(workers.map((each) => each.drain()));
  const { dead } = await queue.counts();
  await shop.close();
  client.destroy();

  announce(parts, 'who did what');
  const rows = workers.map(({ name, diary, isKilled }) => {
    return [name, diary.sent.length, diary.done().length, isKilled ? 'killed' : 'drained'];
  });
  table([['', 'begun', 'done', ''], ...rows]);
  const diaries = workers.map(({ diary }) => diary);
  const done = new Set(diaries.flatMap((diary) => diary.done()));
  const begun = diaries.reduce((sum, { sent }) => sum + sent.length, 0);
  const missing = names.filter((name) => !done.has(name));
  const most = mostAtOnce(diaries);
  say(`\n    at a time: ${most} at most, of ${mostOf} that may be`);
  say(
    `    lost: ${missing.length} of ${letters}; dead letters: ${dead}; begun again: ${begun - letters}`,
  );
  return most <= mostOf && missing.length === 0 && dead === 0;
}

async function until(isTrue: () => boolean | Promise<boolean>): Promise<void> {
  while (!(await isTrue())) await new Promise((resolve) => setTimeout(resolve, 5));
}
