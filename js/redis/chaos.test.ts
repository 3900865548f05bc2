import { expect } from 'chai';
import { enqueue } from '../src/redis.js';
import { Jobs, until } from './jobs.js';
import { WorkerProcess } from './workers.js';

const count = Number(process.env['STEPTREE_JOBS'] ?? 10_000);
const concurrency = 50;
const every = 1000;

describe('jobs by the thousand', function () {
  this.timeout(120_000 + 20 * count);
  const jobs = new Jobs('redis', '--appendonly', 'yes', '--appendfsync', 'always');

  it('of 10,000, or as many as STEPTREE_JOBS says, none is lost while workers and Redis are killed', async function () {
    const queue = jobs.queue<{ ms: number }>();
    const ids = new Set<string>();
    const begun = new Map<string, number>();
    const ended = new Set<string>();
    const running: WorkerProcess[] = [];
    const all: Promise<unknown>[] = [];
    const heard = (line: string): void => {
      const [what, id] = line.split(' ') as [string, string];
      if (what === 'begins') begun.set(id, (begun.get(id) ?? 0) + 1);
      if (what === 'ends') ended.add(id);
    };
    const startOne = (): void => {
      const client = running.length % 2 === 0 ? 'redis' : 'ioredis';
      const options = { lease: 2000, losses: 100, concurrency, client } as const;
      const one = new WorkerProcess(jobs.server.url, queue.name, options, heard);
      running.push(one);
      all.push(one.ended);
    };
    for (let i = 0; i < 3; i++) startOne();
    let kills = 0;
    let isOver = false;
    const chaos = (async () => {
      while (!isOver) {
        await new Promise((resolve) => setTimeout(resolve, every));
        kills++;
        running.shift()!.signal('SIGKILL');
        startOne();
        if (kills % 3 > 0) continue;
        await jobs.server.kill();
        await jobs.server.start();
      }
    })();
    for (let n = 0; n < count; n += 500) {
      const some = Array.from({ length: Math.min(500, count - n) }, (_, i) => `${n + i}`);
      // What fails isn't known to be there: it's enqueued again, under its key.
      const add = async (unique: string): Promise<string> =>
        enqueue(queue, { ms: 1 }, { unique }).catch(() => add(unique));
      for (const id of await Promise.all(some.map(add))) ids.add(id);
    }
    await until(async () => (await queue.counts().catch(() => ({ jobs: 1 }))).jobs === 0);
    isOver = true;
    await chaos;
    for (const one of running) one.signal('SIGKILL');
    await Promise.all(all);
    const again = [...begun.values()].reduce((sum, times) => sum + times - 1, 0);
    if (this.test) this.test.title += `: ${again} again in ${kills} kills`;
    expect(ids.size).to.equal(count);
    expect([...ids].filter((id) => !ended.has(id))).to.deep.equal([]);
    expect(again).to.be.at.most(kills * concurrency);
    expect(await queue.counts()).to.deep.equal({ jobs: 0, due: 0, run: 0, dead: 0 });
  });
});
