import { expect } from 'chai';
import { delay, run, step, steps } from '../src/index.js';
import { call } from '../src/redis.js';
import { Calls } from './calls.js';
import { clients } from './clients.js';
import { until } from './jobs.js';

interface Work {
  work(n: number): number;
}

const codeOf = (made: Promise<unknown>): Promise<string> =>
  made.then(
    () => 'ok',
    ({ code }) => code,
  );

for (const name of Object.keys(clients) as (keyof typeof clients)[]) {
  describe(`calls with the package ${name}, while Redis`, () => {
    const calls = new Calls(name, '--appendonly', 'yes', '--appendfsync', 'always');

    it('is killed and started again are answered when it is back, those that run once', async () => {
      const service = calls.service<Work>();
      const begun: number[] = [];
      const work = step<[args: [number], any], [number]>((_asi, [n]) => {
        begun.push(n);
        return steps(delay(200), () => n);
      });
      calls.serve(await calls.other(service), { work }, { concurrency: 10, report: () => {} });
      const made = Array.from({ length: 20 }, (_, n) => run(call(service, 'work', [n])));
      await until(async () => begun.length === 10 && (await calls.waiting(service)) === 10);
      await calls.server.kill();
      await new Promise((resolve) => setTimeout(resolve, 300)); // the first ten end meanwhile
      await calls.server.start();
      expect(await Promise.all(made)).to.deep.equal(made.map((_, n) => n));
      expect(begun.sort((a, b) => a - b)).to.deep.equal(made.map((_, n) => n));
    });

    it('is down lets a server drain', async () => {
      const service = calls.service<Work>({ lease: 1000 });
      let left = 0;
      const work = step((asi) => {
        asi.setCancel(() => void left++);
        return delay(60_000);
      });
      const server = calls.serve(service, { work }, { report: () => {} });
      const code = codeOf(run(call(service, 'work', [1])));
      await until(() => server.size === 1);
      await calls.server.kill();
      const before = Date.now();
      await server.drain(100);
      expect(left).to.equal(1);
      expect(Date.now() - before).to.be.below(100 + 1000 + 1000 + 200);
      await calls.server.start();
      expect(await code).to.equal('CallLost');
    });

    it('is emptied lets servers and callers go on', async () => {
      const service = calls.service<Work>({ lease: 1000, patience: 1000 });
      const options = { report: () => {} };
      calls.serve(await calls.other(service, { lease: 1000 }), { work: (_asi, [n]) => n }, options);
      expect(await run(call(service, 'work', [1]))).to.equal(1);
      await calls.shop.command('', 'FLUSHALL');
      expect(await run(call(service, 'work', [2]))).to.equal(2); // found by a renewal
      expect(await run(call(service, 'work', [3]))).to.equal(3); // told
    });

    it('has no memory left are refused, and those that are there are answered', async () => {
      const service = calls.service<Work>();
      const server = await calls.other(service);
      const made = [1, 2].map((n) => run(call(service, 'work', [n])));
      await until(async () => (await calls.waiting(service)) === 2);
      await calls.shop.command('', 'CONFIG', 'SET', 'maxmemory', '1');
      try {
        const refused = await run(call(service, 'work', [3])).catch((error) => error);
        expect(refused.code).to.equal('RedisFailed');
        expect(refused.info).to.match(/^OOM /);
        calls.serve(server, { work: (_asi, [n]) => n });
        expect(await Promise.all(made)).to.deep.equal([1, 2]);
      } finally {
        await calls.shop.command('', 'CONFIG', 'SET', 'maxmemory', '0');
      }
    });
  });
}
