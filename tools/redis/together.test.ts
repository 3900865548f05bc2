import { expect } from 'chai';
import { type ChildProcess, spawn } from 'node:child_process';
import { once } from 'node:events';
import { createInterface } from 'node:readline';
import { fileURLToPath } from 'node:url';
import { Jobs, until } from '../../js/redis/jobs.js';
import {
  enqueue,
  type Job,
  JobQueue,
  type JobRetry,
  type Worker,
  worker,
} from '../../js/src/redis.js';
import { delay, step, steps } from '../../js/src/index.js';

const program = fileURLToPath(
  new URL('../../build/dev/cpp/examples/jobs/jobs-worker', import.meta.url),
);

interface Letter {
  to: string;
  ms?: number;
  fails?: number;
}

/** The example in C++, and what it says. */
class CppWorker {
  readonly lines: string[] = [];
  readonly child: ChildProcess;

  constructor(port: number, lease = 30_000) {
    this.child = spawn(program, [`${port}`, `${lease}`], { stdio: ['ignore', 'pipe', 'inherit'] });
    createInterface(this.child.stdout!).on('line', (line) => {
      this.lines.push(line.slice(line.indexOf(' ') + 1)); // without the time
    });
  }

  of(word: string): string[] {
    const found = this.lines.filter((line) => line.startsWith(`${word} `));
    return found.map((line) => line.slice(word.length + 1));
  }

  async end(signal: NodeJS.Signals): Promise<number | null> {
    const ended = once(this.child, 'close');
    this.child.kill(signal);
    return (await ended)[0];
  }
}

describe('jobs of workers in JavaScript and C++', function () {
  this.timeout(60_000);
  const jobs = new Jobs();
  let letters: JobQueue<Letter>;
  let children: CppWorker[] = [];

  const inCpp = (lease?: number) => {
    const made = new CppWorker(jobs.server.port, lease);
    children.push(made);
    return made;
  };
  const inJs = (handler: Parameters<typeof worker<Letter>>[1], retry?: JobRetry): Worker =>
    jobs.keep(worker(letters, handler, { concurrency: 4, lease: 1000, retry }));
  const isEmpty = async () => (await letters.counts()).jobs === 0;

  beforeEach(() => void (letters = new JobQueue(jobs.shop, 'letters')));
  afterEach(async () => {
    await Promise.all(
      children.map(({ child }) => child.exitCode ?? child.signalCode ?? child.kill('SIGKILL')),
    );
    children = [];
    await jobs.shop.command('', 'FLUSHALL');
  });

  it('are run once each, by both', async () => {
    const done: string[] = [];
    const cpp = inCpp();
    inJs(steps((_asi, { to, ms }: Letter) => steps(delay(ms!), () => void done.push(to))));
    const names = Array.from({ length: 100 }, (_, i) => `n${i}`);
    for (const to of names) await enqueue(letters, { to, ms: 10 });
    await until(isEmpty);
    await until(() => cpp.of('ends').length + done.length === names.length);
    expect([...cpp.of('ends'), ...done].sort()).to.deep.equal([...names].sort());
    expect(cpp.of('ends')).to.not.be.empty;
    expect(done).to.not.be.empty;
  });

  it('carry their errors from one to the other', async () => {
    const cpp = inCpp();
    await enqueue(letters, { to: 'ann', fails: 1 });
    await until(() => cpp.of('ends').length === 1);
    expect(cpp.of('begins')).to.deep.equal(['ann after for ann']);
    await enqueue(letters, { to: 'bob', fails: 2 });
    await until(async () => (await letters.counts()).dead === 1);
    const [dead] = await letters.dead();
    expect(dead).to.include({ code: 'NoHost', info: 'for bob', path: 'send', attempts: 2 });
    expect(
      dead!.causes.map(({ attempt, code, path }) => `${attempt} ${code} ${path}`),
    ).to.deep.equal(['1 NoHost send', '2 NoHost send']);
    expect(await cpp.end('SIGTERM')).to.equal(0);
    const seen: string[] = [];
    inJs(step((_asi, { to }: Letter, { attempt }: Job) => void seen.push(`${to} ${attempt}`)));
    await letters.revive(dead!.entry);
    await until(isEmpty);
    expect(seen).to.deep.equal(['bob 1']);
  });

  it('are taken over when the one in C++ is killed, and put back when it is told to end', async () => {
    const killed = inCpp(1000);
    await enqueue(letters, { to: 'ann', ms: 60_000 });
    await until(() => killed.of('begins').length === 1);
    await killed.end('SIGKILL');
    const ending = inCpp(1000);
    await until(() => ending.of('begins').length === 1);
    expect(await ending.end('SIGTERM')).to.equal(0);
    expect(ending.of('left')).to.deep.equal(['ann']);
    expect(ending.lines.at(-1)).to.equal('put back 1');
    const losses: number[] = [];
    inJs(step((_asi, _letter: Letter, job: Job) => void losses.push(job.losses)));
    await until(isEmpty);
    expect(losses).to.deep.equal([1]);
  });
});
