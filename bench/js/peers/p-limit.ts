/** p-limit: each job is a call of the limited function; all promises are there from the beginning. */
import { readFileSync } from 'node:fs';
import pLimit from 'p-limit';
import { atATime, numbers } from '../jobs.js';
import type { Subject } from '../subject.js';

async function map(size: number): Promise<number> {
  const limit = pLimit(atATime);
  let done = 0;
  const job = async (item: number) => item;
  const jobs: Promise<number>[] = [];
  for (const item of numbers(size)) jobs.push(limit(job, item));
  for (const value of await Promise.all(jobs)) if (value === done) done++;
  return done;
}

const manifest = new URL('package.json', import.meta.resolve('p-limit'));

export const subject: Subject = {
  name: 'p-limit',
  version: JSON.parse(readFileSync(manifest, 'utf8')).version,
  programs: { map },
};
