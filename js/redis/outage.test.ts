import { expect } from 'chai';
import { delay, step } from '../src/index.js';
import { enqueue, worker } from '../src/redis.js';
import { clients } from './clients.js';
import { Jobs, until } from './jobs.js';

for (const name of Object.keys(clients) as (keyof typeof clients)[]) {
  describe(`jobs with the package ${name}, while Redis`, () => {
    const jobs = new Jobs(name, '--appendonly', 'yes', '--appendfsync', 'always');

    it('is killed and started again are all done, those that run once', async () => {
      const queue = jobs.queue<number>();
      const begun: number[] = [];
      for (let n = 0; n < 20; n++) await enqueue(queue, n, { delay: n < 10 ? 0 : 300 });
      const handler = step((_asi, n: number) => {
        begun.push(n);
        return delay(100);
      });
      jobs.keep(worker(queue, handler, { report: () => {} }));
      await until(() => begun.length === 10);
      await jobs.server.kill();
      await new Promise((resolve) => setTimeout(resolve, 150)); // the first ten end meanwhile
      await jobs.server.start();
      await until(async () => (await queue.counts()).jobs === 0);
      expect(begun.sort((a, b) => a - b)).to.deep.equal(Array.from({ length: 20 }, (_, n) => n));
    });

    it('is down lets a worker drain', async () => {
      const queue = jobs.queue<number>();
      let left = 0;
      await enqueue(queue, 1);
      const handler = step((asi) => {
        asi.setCancel(() => left++);
        return delay(60_000);
      });
      const own = worker(queue, handler, { lease: 1000, report: () => {} });
      await until(async () => (await queue.counts()).run === 1);
      await jobs.server.kill();
      const before = Date.now();
      await own.drain(100);
      expect(left).to.equal(1);
      expect(Date.now() - before).to.be.below(100 + 1000 + 1000 + 200);
      await jobs.server.start();
      jobs.keep(worker(queue, () => undefined, { lease: 1000 }));
      await until(async () => (await queue.counts()).jobs === 0);
    });

    it('is emptied lets workers go on with what comes', async () => {
      const queue = jobs.queue<number>();
      const done: number[] = [];
      jobs.keep(worker(queue, (_asi, n) => void done.push(n), { lease: 1000, report: () => {} }));
      await enqueue(queue, 1);
      await until(() => done.length === 1);
      await jobs.shop.command('', 'FLUSHALL');
      await enqueue(queue, 2); // nobody is idle in there any more: it's found within half a lease
      await until(() => done.length === 2);
      expect(done).to.deep.equal([1, 2]);
    });

    it('has no memory left refuses what is enqueued, and what is there is done', async () => {
      const queue = jobs.queue<number>();
      const done: number[] = [];
      for (const n of [1, 2]) await enqueue(queue, n, { key: 'ann' });
      await jobs.shop.command('', 'CONFIG', 'SET', 'maxmemory', '1');
      try {
        const refused = await enqueue(queue, 3).catch((error) => error);
        expect(refused.message).to.match(/^OOM /);
        jobs.keep(worker(queue, (_asi, n) => void done.push(n)));
        await until(async () => (await queue.counts()).jobs === 0);
        expect(done).to.deep.equal([1, 2]);
      } finally {
        await jobs.shop.command('', 'CONFIG', 'SET', 'maxmemory', '0');
      }
    });
  });
}
