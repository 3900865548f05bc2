/** Calls by BullMQ with a queue of answers for each process, as its documentation advises: by many processes that takes less than events. */
import { Queue, Worker } from 'bullmq';
import { Redis } from 'ioredis';
import { concurrency, type Place } from '../../redis/subject.js';
import { type Call, calling, kept, ready } from './bullmqcalls.js';

/** `from`: the queue of its answer. */
type Asked = Call & { readonly from: string };

export async function byQueues(place: Place): Promise<() => Promise<unknown>> {
  const { port, first, tally } = place;
  const connection = { host: '127.0.0.1', port };
  const shared = new Redis({ ...connection, maxRetriesPerRequest: null });
  const queueOf = <T>(name: string) =>
    new Queue<T>(name, { connection: shared, defaultJobOptions: kept });
  const queue = queueOf<Asked>('calls');
  const answers = new Map<string, Queue<Call>>();
  const answersOf = (name: string): Queue<Call> => {
    const known = answers.get(name) ?? queueOf<Call>(name);
    answers.set(name, known);
    return known;
  };

  const serves = async ({ data: { chain, number, from } }: { data: Asked }) => {
    if (tally.isOver) return; // nobody counts any more
    tally.job(chain, number);
    await answersOf(from).add('answer', { chain, number: number + 1 });
  };
  const waiting = new Map<number, (next: number) => void>();
  const hears = async ({ data: { chain, number } }: { data: Call }) => waiting.get(chain)!(number);
  const from = `answers-${first}`;
  const options = { connection, concurrency: concurrency(place) };
  await ready(place, new Worker('calls', serves, options));
  await ready(place, new Worker(from, hears, options));

  const ask = (call: Call, answered: (next: number) => void) => {
    waiting.set(call.chain, answered);
    return queue.add('call', { ...call, from });
  };
  return calling(place, ask, async () => shared.ping());
}
