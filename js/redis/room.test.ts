import { expect } from 'chai';
import { delay, Limiter, Mutex, step, steps, sync } from '../src/index.js';
import { enqueue, worker } from '../src/redis.js';
import { Jobs, until } from './jobs.js';

describe('jobs of workers with little room', () => {
  const jobs = new Jobs();

  it('run so many at a time, within any guard', async () => {
    const queue = jobs.queue<number>();
    let [running, most, done] = [0, 0, 0];
    const body = step((asi) => {
      most = Math.max(most, ++running);
      asi.defer(() => {
        running--;
        done++;
      });
      return delay(2);
    });
    for (let n = 0; n < 20; n++) await enqueue(queue, n);
    const five = jobs.keep(worker(queue, body, { concurrency: 5 }));
    await until(() => done === 20);
    expect(most).to.equal(5);
    await five.drain(0);
    most = 0;
    for (let n = 0; n < 10; n++) await enqueue(queue, n);
    jobs.keep(
      worker(queue, sync(new Limiter({ concurrent: 2 }), sync(new Mutex({ max: 3 }), body))),
    );
    await until(() => done === 30);
    expect(most).to.equal(2);
  });

  it('of the first queue come first', async () => {
    const [urgent, normal] = [jobs.queue<string>(), jobs.queue<string>()];
    const done: string[] = [];
    for (const text of ['c', 'd']) await enqueue(normal, text);
    for (const text of ['a', 'b']) await enqueue(urgent, text);
    const handler = step((_asi, text: string) => steps(delay(1), () => void done.push(text)));
    jobs.keep(worker([urgent, normal], handler, { concurrency: 1 }));
    await until(() => done.length === 4);
    expect(done).to.deep.equal(['a', 'b', 'c', 'd']);
    await enqueue(normal, 'e');
    await enqueue(urgent, 'f');
    await until(() => done.length === 6);
  });

  it('of two queues reach who is idle, though another one who would hear is full', async () => {
    const [one, two] = [jobs.queue<string>(), jobs.queue<string>()];
    const done: string[] = [];
    let go = false;
    const slow = async (_asi: unknown, text: string) => {
      done.push(text);
      await until(() => go);
    };
    const quick = (_asi: unknown, text: string) => void done.push(`quick ${text}`);
    jobs.keep(worker([one, two], slow, { concurrency: 1 }));
    await until(async () => (await jobs.keys(two)).includes(':idle'));
    jobs.keep(worker(one, quick));
    await until(async () => {
      const key = `${one.base}:idle`;
      return (await jobs.shop.command(key, 'ZCARD', key)) === 2;
    });
    await enqueue(two, 'a');
    await until(() => done.length === 1);
    for (const text of ['b', 'c']) await enqueue(one, text);
    await until(() => done.length === 3);
    go = true;
    expect(done).to.deep.equal(['a', 'quick b', 'quick c']);
  });

  it('reach who is idle while another worker drains', async () => {
    const queue = jobs.queue<number>();
    const done: number[] = [];
    let isRunning = false;
    const hangs = step((asi) => {
      isRunning = true;
      asi.waitExternal();
    });
    const draining = jobs.keep(worker(queue, hangs, { concurrency: 2 }));
    await enqueue(queue, 1);
    await until(() => isRunning);
    jobs.keep(worker(queue, (_asi, n) => void done.push(n), { concurrency: 2 }));
    const drained = draining.drain(1000);
    const begun = Date.now();
    for (const n of [2, 3, 4]) {
      await enqueue(queue, n);
      await until(() => done.includes(n));
    }
    expect(Date.now() - begun).to.be.below(1000); // else they wait for the drain, or for 15 s
    expect(await drained).to.equal(1);
  });
});
