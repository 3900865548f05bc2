import { expect } from 'chai';
import { delay, step } from '../src/index.js';
import { enqueue, type Job, type JobQueue, worker } from '../src/redis.js';
import { Jobs, until } from './jobs.js';
import { type ProcessOptions, WorkerProcess } from './workers.js';

const lease = 1000;

describe('the jobs of a process', () => {
  const jobs = new Jobs();
  const processes: WorkerProcess[] = [];

  afterEach(async () => {
    for (const one of processes) one.signal('SIGKILL');
    await Promise.all(processes.splice(0).map(({ ended }) => ended));
  });

  async function started({ name }: JobQueue<any>, options: ProcessOptions): Promise<WorkerProcess> {
    const own = new WorkerProcess(jobs.server.url, name, options);
    processes.push(own);
    await until(() => own.said('begins') > 0);
    return own;
  }

  for (const client of ['redis', 'ioredis'] as const) {
    it(`that is killed are taken over within its lease, with the package ${client}`, async () => {
      const queue = jobs.queue<{ ms: number }>();
      const taken: [losses: number, token: number][] = [];
      const id = await enqueue(queue, { ms: 60_000 });
      const other = await started(queue, { lease, client });
      jobs.keep(
        worker(queue, (_asi, _p, job) => void taken.push([job.losses, +job.token]), { lease }),
      );
      await new Promise((resolve) => setTimeout(resolve, 2 * lease)); // as long as it lives it has the job
      expect(taken).to.deep.equal([]);
      expect(await queue.look(id)).to.include({ state: 'runs' });
      other.signal('SIGKILL');
      const killed = Date.now();
      await until(() => taken.length === 1);
      expect(Date.now() - killed).to.be.below(lease + 100);
      expect(taken).to.deep.equal([[1, 2]]);
      await until(async () => (await queue.counts()).jobs === 0);
      const key = `${queue.base}:ready`;
      expect(await jobs.shop.command(key, 'XINFO', 'CONSUMERS', key, 'workers')).to.have.length(1);
    });
  }

  it('that is paused are left when it resumes, and what it says of them is ignored', async () => {
    const queue = jobs.queue<{ ms: number }>();
    const begun: Job[] = [];
    await enqueue(queue, { ms: 300 });
    const other = await started(queue, { lease });
    other.signal('SIGSTOP');
    const handler = step((_asi, _payload: unknown, job: Job) => {
      begun.push(job);
      return delay(400);
    });
    jobs.keep(worker(queue, handler, { lease }));
    await until(() => begun.length === 1);
    other.signal('SIGCONT');
    await until(() => other.said('left') + other.said('ends') > 0);
    const { jobs: count, dead } = await queue.counts();
    expect([count, dead]).to.deep.equal([1, 0]); // it's the other's
    await until(async () => (await queue.counts()).jobs === 0);
    expect(begun.length).to.equal(1);
    expect(Number(begun[0]!.token)).to.equal(2);
  });

  it('that loses Redis are left before another process could get them', async () => {
    const queue = jobs.queue<{ ms: number }>();
    await enqueue(queue, { ms: 60_000 });
    const other = await started(queue, { lease });
    jobs.server.signal('SIGSTOP');
    const stopped = Date.now();
    await until(() => other.said('left') === 1);
    expect(Date.now() - stopped).to.be.below(0.75 * lease + 100);
    jobs.server.signal('SIGCONT');
    await until(() => other.said('begins') === 2); // by whoever is there
  });

  it('that kill each worker are dead letters in the end', async () => {
    const queue = jobs.queue<{ ms: number }>();
    await enqueue(queue, { ms: 60_000 });
    const options = { lease, losses: 0 };
    (await started(queue, options)).signal('SIGKILL');
    jobs.keep(worker(queue, () => undefined, options));
    await until(async () => (await queue.counts()).dead === 1);
    const [letter] = await queue.dead();
    expect(letter).to.include({ code: 'LeaseLost', losses: 1, text: '{"ms":60000}' });
  });

  it('that gets SIGTERM end, or are put back, and it ends by the signal', async () => {
    const queue = jobs.queue<{ ms: number }>();
    const [short, long] = [await enqueue(queue, { ms: 200 }), await enqueue(queue, { ms: 60_000 })];
    const other = await started(queue, { drainOn: 'SIGTERM', grace: 500, concurrency: 2 });
    await until(() => other.said('begins') === 2);
    const later = await enqueue(queue, { ms: 0 });
    other.signal('SIGTERM');
    expect(await other.ended).to.equal('SIGTERM');
    expect(other.lines.slice(2).map((line) => line.replace(/ \d+$/, ''))).to.deep.equal([
      `ends ${short}`,
      `left ${long}`,
    ]);
    for (const id of [long, later])
      expect(await queue.look(id)).to.include({ state: 'waits', attempts: 0, losses: 0 });
  });
});
