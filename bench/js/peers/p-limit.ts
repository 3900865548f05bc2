/** p-limit: in `map` each job is a call of the limited function, all promises are there from the beginning; as a lock a limit of one. */
import pLimit from 'p-limit';
import { atATime, numbers } from '../jobs.js';
import { items, maps100, work, workers } from '../requests.js';
import { growing, type Subject } from '../subject.js';
import { alone, contended } from './guards.js';
import { versionOf } from './versionof.js';

async function map(size: number): Promise<number> {
  const limit = pLimit(atATime);
  let done = 0;
  const job = async (item: number) => item;
  const jobs: Promise<number>[] = [];
  for (const item of numbers(size)) jobs.push(limit(job, item));
  for (const value of await Promise.all(jobs)) if (value === done) done++;
  return done;
}

const map100 = maps100(() => pLimit(workers).map(items, work));

const one = pLimit(1);

export const subject: Subject = {
  name: 'p-limit',
  version: versionOf('p-limit', 'package.json'),
  programs: {
    map,
    map100,
    lock: alone(one),
    ...growing('lock_contended', ['1k', '100k'], contended(one)),
  },
};
