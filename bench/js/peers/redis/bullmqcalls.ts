/**
 * Calls by BullMQ: a job each. Its result is an event, of which all processes hear: `job.waitUntilFinished` hears the same, and asks for each job
 * besides.
 */
import { Queue, QueueEvents, Worker } from 'bullmq';
import { concurrency, type Link, loops, type Place } from '../../redis/subject.js';

export type Call = Omit<Link, 'at'>;

export const kept = { removeOnComplete: true, removeOnFail: true };

/** Each line calls one after the other. What `ask` is given gets the number that is answered. */
export function calling(
  place: Place,
  ask: (call: Call, answered: (next: number) => void) => Promise<unknown>,
  heard: () => Promise<unknown>,
): Promise<() => Promise<unknown>> {
  const numbers = new Map<number, number>();
  const call = async (chain: number): Promise<void> => {
    const number = numbers.get(chain) ?? 0;
    let asked: Promise<unknown> | undefined;
    const next = await new Promise<number>((resolve, reject) => {
      asked = ask({ chain, number }, resolve);
      asked.catch(reject);
    });
    await asked;
    if (next !== number + 1) throw new Error(`${next} was answered, to ${number}`);
    numbers.set(chain, next);
  };
  return loops(place, call, heard);
}

/** Whatever it works on. */
export async function ready({ tally }: Place, working: Worker<any, any>): Promise<void> {
  working.on('error', (error) => tally.fail(error));
  working.on('failed', (_job, error) => tally.fail(error));
  await working.waitUntilReady();
}

export async function byEvents(place: Place): Promise<() => Promise<unknown>> {
  const { port, tally } = place;
  const connection = { host: '127.0.0.1', port };
  const queue = new Queue<Call>('calls', { connection, defaultJobOptions: kept });
  const waiting = new Map<string, (next: number) => void>();
  const events = new QueueEvents('calls', { connection, lastEventId: '0-0' });
  events.on('error', (error) => tally.fail(error));
  events.on('completed', ({ jobId, returnvalue }) => {
    waiting.get(jobId)?.(Number(returnvalue));
    waiting.delete(jobId);
  });
  await events.waitUntilReady();
  const handler = async ({ data: { chain, number } }: { data: Call }) => {
    if (tally.isOver) return new Promise<number>(() => {}); // nobody counts any more
    tally.job(chain, number);
    return number + 1;
  };
  await ready(place, new Worker('calls', handler, { connection, concurrency: concurrency(place) }));
  const ask = (call: Call, answered: (next: number) => void) => {
    const jobId = `${call.chain}-${call.number}`;
    waiting.set(jobId, answered);
    return queue.add('next', call, { jobId });
  };
  return calling(place, ask, async () => queue.getJobCounts());
}
