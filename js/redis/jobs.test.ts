import { expect } from 'chai';
import { delay, StepError, step, steps } from '../src/index.js';
import { enqueue, type Job, worker } from '../src/redis.js';
import { clients } from './clients.js';
import { Jobs, until } from './jobs.js';

for (const name of Object.keys(clients) as (keyof typeof clients)[]) {
  describe(`jobs with the package ${name}`, () => {
    const jobs = new Jobs(name);

    it('are run once each, with their payloads, and leave nothing behind', async () => {
      const queue = jobs.queue<{ n: number }>();
      const done: number[] = [];
      await Promise.all([1, 2, 3].map((n) => enqueue(queue, { n })));
      jobs.keep(worker(queue, (_asi, { n }) => void done.push(n)));
      await until(() => done.length === 3);
      await enqueue(queue, { n: 4 });
      await until(async () => (await queue.counts()).jobs === 0);
      expect(done.sort()).to.deep.equal([1, 2, 3, 4]);
      expect(await jobs.keys(queue)).to.deep.equal([
        ':idle',
        ':keeper',
        ':ready',
        ':size',
        ':token',
      ]);
    });

    it('fail, are tried again, and become dead letters with code, info, path and causes', async () => {
      const queue = jobs.queue<string>();
      const attempts: number[] = [];
      const fail = step<[text: string, job: Job], []>((asi, text, job) => {
        attempts.push(job.attempt);
        asi.error('NoHost', `${text} ${job.attempt}`, new Error('net'));
      }).named('send');
      const retry = { max: 3, backoff: { base: 5, jitter: 0 } };
      jobs.keep(worker(queue, fail, { retry }));
      const id = await enqueue(queue, 'a');
      await until(async () => (await queue.counts()).dead === 1);
      const [letter] = await queue.dead();
      expect(attempts).to.deep.equal([1, 2, 3]);
      expect(letter).to.include({ id, text: '"a"', code: 'NoHost', info: 'a 3', path: 'send' });
      expect(letter!.causes.map(({ attempt, info }) => `${attempt} ${info}`)).to.deep.equal([
        ...['1 net', '1 a 1', '2 net', '2 a 2', '3 net', '3 a 3'],
      ]);
    });
  });
}

describe('jobs', () => {
  const jobs = new Jobs();

  it('of one key run in their order, one at a time, whatever fails and whoever works', async () => {
    const queue = jobs.queue<number>();
    const done: number[] = [];
    let running = 0;
    const handler = steps((asi, n: number, job: Job) => {
      expect(++running).to.equal(1);
      asi.defer(() => void running--);
      return steps(delay(1), () => {
        if (n === 2 && job.attempt === 1) throw new StepError('Once');
        done.push(n);
      });
    });
    for (let i = 0; i < 3; i++)
      jobs.keep(worker(queue, handler, { retry: { max: 2, backoff: { base: 30, jitter: 0 } } }));
    for (let n = 0; n < 20; n++) await enqueue(queue, n, { key: 'ann', delay: n === 5 ? 30 : 0 });
    await until(() => done.length === 20);
    expect(done).to.deep.equal([...done].sort((a, b) => a - b));
    await until(async () => (await queue.counts()).jobs === 0);
    expect(await jobs.keys(queue)).not.to.include(':lanes');
  });

  it('of other keys go on while one waits', async () => {
    const queue = jobs.queue<string>();
    const done: string[] = [];
    await enqueue(queue, 'late', { key: 'ann', delay: 60 });
    await enqueue(queue, 'behind', { key: 'ann' });
    await enqueue(queue, 'other', { key: 'bob' });
    jobs.keep(worker(queue, (_asi, text) => void done.push(text)));
    await until(() => done.length === 3);
    expect(done).to.deep.equal(['other', 'late', 'behind']);
  });

  it('that are delayed begin in time, without polling, and without being asked for', async () => {
    const queue = jobs.queue<number>();
    const begun: number[] = [];
    for (let i = 0; i < 3; i++)
      jobs.keep(worker(queue, (_asi, n) => void begun.push(Date.now() - n)));
    await new Promise((resolve) => setTimeout(resolve, 50));
    const before = await jobs.calls();
    await enqueue(queue, Date.now() + 300, { delay: 300 });
    await enqueue(queue, Date.now() + 200, { delay: 200 });
    await until(() => begun.length === 2);
    for (const late of begun) expect(late).to.be.within(-2, 250);
    // Two to enqueue, two by the keeper to hear of it, two when they are due, each once more for room, and two that end.
    expect((await jobs.calls()) - before).to.be.below(16);
  });

  it('with an idempotency key are added once, till some time after their end', async () => {
    const queue = jobs.queue<number>();
    const options = { unique: 'order 7', uniqueFor: 150 };
    const ids = await Promise.all([1, 2, 3].map((n) => enqueue(queue, n, options)));
    expect(new Set(ids).size).to.equal(1);
    const done: number[] = [];
    jobs.keep(worker(queue, (_asi, n) => void done.push(n)));
    await until(async () => (await queue.counts()).jobs === 0);
    expect(await enqueue(queue, 4, options)).to.equal(ids[0]);
    expect(done).to.deep.equal([1]);
    await until(async () => (await enqueue(queue, 5, options)) !== ids[0]);
    await until(() => done.length === 2);
  });

  it('that are dead leave their idempotency key free; what has no code of its own is tried again', async () => {
    const queue = jobs.queue<number>();
    const attempts: number[] = [];
    const fails = (_asi: unknown, _n: number, { attempt }: Job) => {
      attempts.push(attempt);
      throw new TypeError('fetch failed');
    };
    jobs.keep(worker(queue, fails, { retry: { max: 3, backoff: { base: 1 } } }));
    const first = await enqueue(queue, 1, { unique: 'order 7' });
    await until(async () => (await queue.counts()).dead === 1);
    expect(attempts).to.deep.equal([1, 2, 3]);
    expect(await enqueue(queue, 1, { unique: 'order 7' })).to.not.equal(first);
  });

  it('are enqueued once by a command that is sent twice', async () => {
    const queue = jobs.queue();
    const args = ['id', '1', '', '', 0, 0, '', 0, 10];
    for (let i = 0; i < 2; i++)
      expect(await jobs.shop.script('jobs/enqueue', queue.base, args)).to.equal('id');
    expect(await queue.counts()).to.deep.equal({ jobs: 1, due: 0, run: 0, dead: 0 });
  });

  it('have a deadline, in which their attempts and waits have to fit', async () => {
    const queue = jobs.queue<string>();
    await enqueue(queue, 'waits', { deadline: 40 });
    const handler = (asi: any, text: string) => {
      if (text === 'fails') asi.error('NoHost');
      return delay(10_000);
    };
    await new Promise((resolve) => setTimeout(resolve, 50));
    jobs.keep(worker(queue, handler, { retry: { max: 9, backoff: { base: 500, jitter: 0 } } }));
    await until(async () => (await queue.counts()).dead === 1);
    await enqueue(queue, 'runs', { deadline: 40 });
    await until(async () => (await queue.counts()).dead === 2);
    await enqueue(queue, 'fails', { deadline: 200 });
    await until(async () => (await queue.counts()).dead === 3);
    const letters = await queue.dead();
    expect(letters.map(({ text, code, attempts }) => [text, code, attempts])).to.deep.equal([
      ['"fails"', 'NoHost', 1],
      ['"runs"', 'Timeout', 1],
      ['"waits"', 'Timeout', 0],
    ]);
  });
});
