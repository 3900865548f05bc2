import { expect } from 'chai';
import type { IAsyncSteps } from '../src/index.js';
import { enqueue, type JobQueue, worker } from '../src/redis.js';
import { Jobs, until } from './jobs.js';

describe('a job that is removed', () => {
  const jobs = new Jobs();

  /** The jobs that are done by a worker, in their order. */
  async function done(queue: JobQueue<any>): Promise<unknown[]> {
    const seen: unknown[] = [];
    const one = worker(queue, (_asi, payload) => void seen.push(payload), { concurrency: 1 });
    jobs.keep(one);
    await until(async () => (await queue.counts()).jobs === 0);
    await one.drain(1000);
    return seen;
  }

  it('is not run, whether it may begin, waits for its time or for one of its key', async () => {
    const queue = jobs.queue();
    const ids: string[] = [];
    for (const key of ['', 'ann', 'bob'])
      for (const n of [1, 2, 3]) ids.push(await enqueue(queue, `${key}${n}`, { key }));
    const late = await enqueue(queue, 'late', { delay: 60_000 });
    const lateKey = await enqueue(queue, 'late key', { delay: 60_000, key: 'cid' });
    await enqueue(queue, 'cid', { key: 'cid' });
    // Of no key one in the middle; of `ann` the one whose turn it is, of `bob` one behind it.
    for (const id of [ids[1]!, ids[3]!, ids[7]!, late, lateKey])
      expect(await queue.remove(id)).to.equal(true);
    for (const id of [ids[1]!, ids[3]!, late, 'none'])
      expect(await queue.remove(id)).to.equal(false);
    expect(await queue.look(ids[1]!)).to.equal(undefined);
    expect((await queue.counts()).jobs).to.equal(7);
    const rest = ['1', '3', 'ann2', 'ann3', 'bob1', 'bob3', 'cid'];
    expect((await done(queue)).sort()).to.deep.equal(rest);
  });

  it('frees its idempotency key, and leaves nothing', async () => {
    const queue = jobs.queue();
    const first = await enqueue(queue, 1, { unique: 'one', key: 'ann' });
    expect(await queue.remove(first)).to.equal(true);
    const next = await enqueue(queue, 2, { unique: 'one', uniqueFor: 0 });
    expect(next).to.not.equal(first);
    expect(await done(queue)).to.deep.equal([2]);
    const left = await jobs.keys(queue);
    expect(left.filter((key) => /job|lane|unique|due|held/.test(key))).to.deep.equal([]);
    expect(await jobs.shop.command(queue.base, 'XLEN', `${queue.base}:ready`)).to.equal(0);
  });

  it('may wait for another attempt; one that runs goes on', async () => {
    const queue = jobs.queue<string>();
    const begun: string[] = [];
    let end = (): void => {};
    const handler = async (asi: IAsyncSteps, what: string): Promise<void> => {
      begun.push(what);
      if (what === 'bad') asi.error('NoHost');
      await new Promise<void>((resolve) => (end = resolve));
    };
    const retry = { max: 2, backoff: { base: 60_000, jitter: 0 } };
    jobs.keep(worker(queue, handler, { retry }));
    const runs = await enqueue(queue, 'good');
    const fails = await enqueue(queue, 'bad');
    await until(async () => (await queue.look(fails))?.state === 'due' && begun.length === 2);
    expect(await Promise.all([runs, fails].map((id) => queue.remove(id)))).to.deep.equal([
      false,
      true,
    ]);
    expect(await queue.counts()).to.deep.equal({ jobs: 1, due: 0, run: 1, dead: 0 });
    end();
    await until(async () => (await queue.counts()).jobs === 0);
  });

  it('holds Redis for a short time, however many there are', async () => {
    const queue = jobs.queue<number>();
    const ids = await Promise.all(Array.from({ length: 3000 }, (_, n) => enqueue(queue, n)));
    await Promise.all(ids.map((id) => queue.remove(id)));
    const left = (): Promise<number> =>
      jobs.shop.command(queue.base, 'XLEN', `${queue.base}:ready`);
    const args = ['none', 10, 1000, 1000, 0, 10];
    const answer = await jobs.shop.script('jobs/take', queue.base, args);
    expect(answer).to.deep.equal([[], 0, 1]); // it looks again at once
    expect(await left()).to.be.within(1500, 2500);
    await enqueue(queue, -1);
    expect(await done(queue)).to.deep.equal([-1]);
    expect(await left()).to.equal(0);
  });

  it('as a dead letter is discarded', async () => {
    const queue = jobs.queue();
    jobs.keep(worker(queue, (asi) => asi.error('No')));
    await enqueue(queue, 1);
    await until(async () => (await queue.counts()).dead === 1);
    const [letter] = await queue.dead();
    expect(await queue.discard(letter!.entry)).to.equal(true);
    expect(await queue.discard(letter!.entry)).to.equal(false);
    expect(await queue.revive(letter!.entry)).to.equal(false);
    expect((await queue.counts()).dead).to.equal(0);
  });

  it('is not there, as a dead letter, under what is the name of none', async () => {
    const queue = jobs.queue();
    expect(await queue.look('')).to.equal(undefined);
    jobs.keep(worker(queue, (asi) => asi.error('No')));
    await enqueue(queue, 1);
    await until(async () => (await queue.counts()).dead === 1);
    const [{ entry } = { entry: '' }] = await queue.dead();
    const parts = ['', '-', '+', '$', '*', '0', 'x-y', '1-1-1', '99999999999999999999-1'];
    for (const none of [...parts, `(${entry}`, ` ${entry}`, entry.split('-')[0]!])
      expect([await queue.revive(none), await queue.discard(none)], none).to.deep.equal([
        false,
        false,
      ]);
    expect(await queue.look('')).to.equal(undefined);
    expect((await queue.counts()).dead).to.equal(1);
    expect(await queue.revive(entry)).to.equal(true);
  });
});
