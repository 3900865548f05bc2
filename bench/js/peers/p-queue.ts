/** p-queue: in `map` all jobs are queued at once; as a limiter its limits are never hit. */
import PQueue from 'p-queue';
import { atATime, numbers } from '../jobs.js';
import type { Subject } from '../subject.js';
import { alone } from './guards.js';
import { versionOf } from './versionof.js';

async function map(size: number): Promise<number> {
  const queue = new PQueue({ concurrency: atATime });
  let done = 0;
  for (const item of numbers(size)) {
    void queue.add(async () => {
      if (item === done) done++;
    });
  }
  await queue.onIdle();
  return done;
}

const limited = new PQueue({ concurrency: 1000, intervalCap: 1e9, interval: 1000 });

export const subject: Subject = {
  name: 'p-queue',
  version: versionOf('p-queue', '../package.json'),
  programs: { map, limiter: alone((work) => limited.add(work)) },
};
