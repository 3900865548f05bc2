/** steptree's jobs over Redis. */
import { enqueue, JobQueue, RedisConnection, worker } from 'steptree/redis';
import type { Connect } from './guards.js';
import { concurrency, type Link, type Program, ramp } from './subject.js';

/** Who does a job enqueues the next one of its chain. */
export function jobs(connect: Connect): Program {
  return async (place) => {
    const { tally } = place;
    const { client } = await connect(place.port);
    const shop = new RedisConnection(client, { prefix: 'bench' });
    const queue = new JobQueue<Link>(shop, 'jobs');
    const add = (chain: number, number: number) =>
      enqueue(queue, { chain, number, at: tally.now() });
    const handler = async (_asi: unknown, { chain, number, at }: Link) => {
      tally.add(at);
      tally.job(chain, number);
      await add(chain, number + 1);
    };
    const report = (error: unknown) => tally.fail(error);
    const working = worker(queue, handler, { concurrency: concurrency(place), report });
    let added: Promise<string>[] = [];
    await ramp(
      place,
      (chain) => added.push(add(chain, 0)),
      async () => {
        await Promise.all(added);
        added = [];
      },
    );
    return () => working.drain(0);
  };
}
