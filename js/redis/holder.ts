/** A process for tests: it locks a mutex, says `in` and its token, and then `lost`, or `ended`. Arguments: url, name, lease. */
import { AsyncSteps, type StepError } from '../src/index.js';
import { RedisConnection, RedisMutex } from '../src/redis.js';
import './scripts.js';
import { clients } from './clients.js';

const [url, name, lease] = process.argv.slice(2);
const { client } = await clients.redis(url!);
const mutex = new RedisMutex(new RedisConnection(client, { prefix: 'shop' }), name!, {
  lease: Number(lease),
});
const flow = new AsyncSteps({ unhandled: () => {} });
console.log('asks');
flow.sync(mutex, (asi) => {
  console.log(`in ${mutex.token(asi)}`);
  asi.waitExternal();
});
flow.execute((outcome) => {
  console.log(outcome.kind === 'error' ? (outcome.error as StepError).code : outcome.kind);
  process.exit(0);
});
