// A worker of the queue `letters`: a letter is sent after a while, or isn't. Workers in C++ (cpp/examples/jobs) work on the same queue, and
// all together use a post office with three counters, which serves 50 letters a second.
//
//     node worker.js PORT [LEASE]     of Redis; in milliseconds. SIGTERM drains it
import { createClient } from 'redis';
import { delay, steps, sync } from 'steptree';
import { JobQueue, RedisConnection, RedisLimiter, worker } from 'steptree/redis';

/** With the time, in microseconds, of a clock that all processes of the machine share. */
const say = (line) => console.log(`${process.hrtime.bigint() / 1000n} ${line}`);

/** `{ to: 'ann', ms: 20, fails: 1 }`: the first attempt fails, the next one needs 20 ms. */
const send = steps((asi, { to, ms = 0, fails = 0 }, job) => {
  if (job.attempt <= fails) asi.error('NoHost', `for ${to}`);
  const before = job.causes.length > 0 ? ` after ${job.causes.at(-1).info}` : '';
  say(`begins ${to}${before}`);
  asi.setCancel(() => say(`left ${to}`));
  return steps(delay(ms), () => say(`ends ${to}`));
}).named('send');

const [port, lease = 30_000] = process.argv.slice(2).map(Number);
if (!port) {
  console.error('usage: worker.js PORT [LEASE]');
  process.exit(2);
}
const client = createClient({ url: `redis://127.0.0.1:${port}` });
client.on('error', (error) => console.error(String(error)));
await client.connect();
const shop = new RedisConnection(client, { prefix: 'shop' });
const letters = new JobQueue(shop, 'letters');
const office = new RedisLimiter(shop, 'office', { concurrent: 3, rate: 50, lease });
const one = worker(letters, sync(office, send), {
  concurrency: 4,
  retry: { max: 2, backoff: { base: 10 } },
  lease,
});
say('ready');
process.once('SIGTERM', async () => {
  say(`put back ${await one.drain(100)}`);
  await shop.close();
  await client.close();
});
