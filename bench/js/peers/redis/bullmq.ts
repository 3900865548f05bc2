/** BullMQ: each process has a queue to add jobs to, and a worker. */
import { Queue, Worker } from 'bullmq';
import { concurrency, type Link, type Program, ramp, type Subject } from '../../redis/subject.js';
import { versionOf } from '../versionof.js';
import { byQueues } from './bullmqanswers.js';
import { byEvents } from './bullmqcalls.js';

const jobs: Program = async (place) => {
  const { port, tally } = place;
  const connection = { host: '127.0.0.1', port };
  const kept = { removeOnComplete: true, removeOnFail: true };
  const queue = new Queue<Link>('jobs', { connection, defaultJobOptions: kept });
  const link = (chain: number, number: number) => ({ chain, number, at: tally.now() });
  const handler = async ({ data: { chain, number, at } }: { data: Link }) => {
    tally.add(at);
    tally.job(chain, number);
    await queue.add('link', link(chain, number + 1));
  };
  const options = { connection, concurrency: concurrency(place) };
  const working = new Worker<Link>('jobs', handler, options);
  working.on('error', (error) => tally.fail(error));
  working.on('failed', (_job, error) => tally.fail(error));
  await working.waitUntilReady();
  let added: { name: string; data: Link }[] = [];
  await ramp(
    place,
    (chain) => added.push({ name: 'link', data: link(chain, 0) }),
    async () => {
      await queue.addBulk(added);
      added = [];
    },
  );
  return () => working.close(true);
};

/** One line a process is that of many. */
const calls: Program = (place) => (place.lines > 1 ? byEvents : byQueues)(place);

export const subject: Subject = {
  name: 'BullMQ',
  version: versionOf('bullmq', '../../package.json'),
  programs: { jobs, calls },
};
