import { expect } from 'chai';
import { delay, type IAsyncSteps } from '../src/index.js';
import { enqueue, JobQueue, worker } from '../src/redis.js';
import { Jobs, until } from './jobs.js';

describe('a queue', () => {
  const jobs = new Jobs();

  it('holds so many jobs, keeps so many dead letters, the newest, and revives them', async () => {
    const queue = jobs.queue<number>({ limit: 3, deadLetters: 2 });
    const first = await enqueue(queue, 0);
    for (const n of [1, 2]) await enqueue(queue, n, { version: 2, key: 'ann' });
    const refused = await enqueue(queue, 3).catch((error) => error);
    expect(refused).to.include({
      code: 'DefenseRejected',
      info: `queue "${queue.name}": 3 jobs are in it`,
    });
    let fails = true;
    const done: number[] = [];
    const handler = (asi: any, n: number) => (fails ? asi.error('NoHost') : void done.push(n));
    jobs.keep(worker(queue, handler));
    await until(async () => (await queue.counts()).jobs === 0);
    const letters = await queue.dead();
    expect(letters.map(({ text, key, version }) => [text, key, version])).to.deep.equal([
      ['2', 'ann', 2],
      ['1', 'ann', 2],
    ]);
    expect(letters.some(({ id }) => id === first)).to.equal(false);
    fails = false;
    expect(await queue.revive(letters[1]!.entry)).to.equal(true);
    expect(await queue.revive(letters[1]!.entry)).to.equal(false);
    await until(() => done.length === 1);
    expect(done).to.deep.equal([1]);
    expect(await queue.counts()).to.include({ dead: 1 });
  });

  it('shows how far jobs are', async () => {
    const queue = jobs.queue<string>();
    const id = await enqueue(queue, 'a', { delay: 60 });
    expect(await queue.look(id)).to.deep.equal({
      ...{ state: 'due', attempts: 0, losses: 0, progress: undefined },
    });
    let go = false;
    const handler = async (_asi: unknown, _text: string, job: any) => {
      await job.progress({ done: 3, of: 7 });
      await until(() => go);
    };
    jobs.keep(worker(queue, handler));
    await until(async () => (await queue.look(id))?.progress !== undefined);
    expect(await queue.look(id)).to.deep.equal({
      ...{ state: 'runs', attempts: 0, losses: 0, progress: { done: 3, of: 7 } },
    });
    go = true;
    await until(async () => (await queue.look(id)) === undefined);
  });

  it('goes by the time of the server alone', async () => {
    const queue = jobs.queue<number>();
    const real = Date.now;
    const done: number[] = [];
    try {
      const skewed = Date.now() + 3_600_000;
      Date.now = () => skewed;
      await enqueue(queue, 1, { delay: 50, deadline: 10_000 });
      jobs.keep(worker(queue, (_asi, n) => void done.push(n)));
      await until(() => done.length === 1);
    } finally {
      Date.now = real;
    }
    // A server whose clock jumps back an hour: what has its turn goes on, what is due waits as long as it says.
    jobs.time = real();
    await enqueue(queue, 2);
    jobs.time -= 3_600_000;
    await enqueue(queue, 3);
    await until(() => done.length === 3);
  });

  it('tells its worker of a mistake of the handler, at each attempt, and of nothing that has a code', async () => {
    const queue = jobs.queue<string>();
    const told: any[] = [];
    const handler = (asi: IAsyncSteps, code: string): void => {
      if (code !== '') asi.error(code);
      throw new TypeError('none');
    };
    const retry = { max: 2, backoff: { base: 1 } };
    jobs.keep(worker(queue, handler, { retry, report: (error) => void told.push(error) }));
    const id = await enqueue(queue, '');
    await enqueue(queue, 'NoHost');
    await until(async () => (await queue.dead()).length === 2);
    expect(told.map(String)).to.deep.equal(['TypeError: none', 'TypeError: none']);
    expect(told[0].stack).to.match(new RegExp(`\\n {4}at step ${queue.name}/${id}/0$`));
  });

  it('refuses bad names, options and payloads at the call', async () => {
    const { shop } = jobs;
    const queue = jobs.queue<any>();
    expect(() => new JobQueue(shop, 'a{b')).to.throw('JobQueue: name');
    for (const bad of [
      { limit: 0 },
      { deadLetters: -1 },
      { maxBytes: 0.5 },
      { maxDepth: NaN },
      { max: 1 },
    ])
      expect(() => new JobQueue(shop, 'a', bad as any)).to.throw('InternalError: JobQueue: ');
    const circle: any = {};
    circle.self = circle;
    const deep = JSON.parse('['.repeat(65) + ']'.repeat(65));
    for (const bad of [undefined, () => 1, circle, 1n, 'x'.repeat(1_048_576), deep])
      expect((await enqueue(queue, bad).catch((e) => e)).code).to.equal('InternalError');
    for (const bad of [
      { delay: -1 },
      { deadline: NaN },
      { key: 7 },
      { unique: {} },
      { version: 0.5 },
      { late: 1 },
    ])
      expect((await enqueue(queue, 1, bad as any).catch((e) => e)).code).to.equal('InternalError');
    const options = [
      ...[
        { concurrency: 0 },
        { lease: 10 },
        { losses: -1 },
        { version: -1 },
        { accepts: 1 },
        { grace: -1 },
        { drainOn: 'SIGFOO' },
        { drainOn: 'SIGKILL' },
        { drainOn: 5 },
      ],
      ...[{ retry: { max: 0 } }, { retry: { max: 2, budget: 1 } }, { report: 1 }, { places: 1 }],
    ];
    for (const bad of options)
      expect(() => worker(queue, () => delay(1), bad as any)).to.throw('InternalError');
    for (const bad of [undefined, [], {}, [queue, 1]])
      expect(() => worker(bad as any, () => delay(1))).to.throw('InternalError');
    expect(() => worker(queue, 7 as any)).to.throw('InternalError');
    expect(await queue.counts()).to.deep.equal({ jobs: 0, due: 0, run: 0, dead: 0 });
  });
});
