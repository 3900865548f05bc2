import { expect } from 'chai';
import { run } from '../src/index.js';
import { call } from '../src/redis.js';
import { Calls } from './calls.js';
import { until } from './jobs.js';
import { Program } from './workers.js';

const count = Number(process.env['STEPTREE_CALLS'] ?? 2000);
const concurrency = 20;
const every = 1000;

describe('calls while servers and Redis are killed', function () {
  this.timeout(600_000);
  const calls = new Calls('redis', '--appendonly', 'yes', '--appendfsync', 'always');

  it('none is run twice, and each has an end, of 2000, or as many as STEPTREE_CALLS says', async function () {
    const service = calls.service<{ work(ms: number, name: string): string }>({ lease: 2000 });
    const begun = new Map<string, number>();
    const ended = new Set<string>();
    const running: Program[] = [];
    const all: Promise<unknown>[] = [];
    const heard = (line: string): void => {
      const [what, name] = line.split(' ') as [string, string];
      if (what === 'begins') begun.set(name, (begun.get(name) ?? 0) + 1);
      if (what === 'ends') ended.add(name);
    };
    const startOne = (): void => {
      const client = running.length % 2 === 0 ? 'redis' : 'ioredis';
      const options = { concurrency, client, service: { lease: 2000 } };
      const args = ['server', calls.server.url, service.name, JSON.stringify(options)];
      const one = new Program('callprocess', args, heard);
      running.push(one);
      all.push(one.ended);
    };
    for (let i = 0; i < 3; i++) startOne();
    let kills = 0;
    let isOver = false;
    const chaos = (async () => {
      while (!isOver) {
        await new Promise((resolve) => setTimeout(resolve, every));
        await until(() => isOver || running[0]!.said('begins') > 0); // on a busy machine they take long to start
        kills++;
        running.shift()!.signal('SIGKILL');
        startOne();
        if (kills % 3 > 0) continue;
        await calls.server.kill();
        await calls.server.start();
      }
    })();
    const ends = new Map<string, string>();
    const names = Array.from({ length: count }, (_, i) => `${i}`);
    const caller = async (): Promise<void> => {
      for (let name = names.pop(); name !== undefined; name = names.pop()) {
        const made = run(call(service, 'work', [20, name]).timeout(30_000));
        const end = await made.then(
          () => 'ok',
          ({ code }) => code,
        );
        ends.set(name, end);
      }
    };
    await Promise.all(Array.from({ length: 50 }, caller));
    isOver = true;
    await chaos;
    for (const one of running) one.signal('SIGKILL');
    await Promise.all(all);
    const named = (end: string) =>
      [...ends].filter(([, each]) => each === end).map(([name]) => name);
    const [ok, lost, failed] = ['ok', 'CallLost', 'RedisFailed'].map(named) as [
      string[],
      string[],
      string[],
    ];
    if (this.test)
      this.test.title += `: ${ok.length} ok, ${lost.length} lost, ${failed.length} not taken in ${kills} kills`;
    expect([...begun].filter(([, times]) => times > 1)).to.deep.equal([]);
    expect(ok.filter((name) => !ended.has(name))).to.deep.equal([]);
    expect(ok.length + lost.length + failed.length).to.equal(count);
    expect(ok.length).to.be.above(count / 3);
    expect(lost.length).to.be.at.most(kills * concurrency);
  });
});
