import { expect } from 'chai';
import { delay, run, steps } from '../src/index.js';
import { call, RedisConnection, RedisService, serve } from '../src/redis.js';
import { scriptOf } from '../src/redisscripts.js';
import { Calls } from './calls.js';
import { faultyClient } from './faulty.js';
import { until } from './jobs.js';
import { Program } from './workers.js';

interface Work {
  work(ms: number): string;
}

const lease = 1000;

describe('a call, when', () => {
  const calls = new Calls();
  const programs: Program[] = [];

  afterEach(async () => {
    for (const one of programs) one.signal('SIGKILL');
    await Promise.all(programs.splice(0).map(({ ended }) => ended));
  });

  async function started(
    role: 'server' | 'caller',
    { name }: RedisService<Work>,
    options: object = {},
  ): Promise<Program> {
    const text = JSON.stringify({ service: { lease }, ...options });
    const own = new Program('callprocess', [role, calls.server.url, name, text]);
    programs.push(own);
    if (role === 'caller') await until(() => own.said('calls') > 0);
    return own;
  }

  const codeOf = (made: Promise<unknown>): Promise<string> =>
    made.then(
      () => 'ok',
      ({ code }) => code,
    );

  for (const client of ['redis', 'ioredis'] as const) {
    it(`its server is killed, is lost within the lease, with the package ${client}`, async () => {
      const service = calls.service<Work>({ lease });
      const server = await started('server', service, { client });
      const code = codeOf(run(call(service, 'work', [60_000])));
      await until(() => server.said('begins') === 1);
      server.signal('SIGKILL');
      const killed = Date.now();
      expect(await code).to.equal('CallLost');
      expect(Date.now() - killed).to.be.within(lease / 3, lease + 200);
      const other = await started('server', service);
      expect(await codeOf(run(call(service, 'work', [1])))).to.equal('ok');
      expect(other.said('begins')).to.equal(1); // the lost one isn't run again
    });

    it(`its caller is killed, is cancelled within the lease, with the package ${client}`, async () => {
      const service = calls.service<Work>({ lease });
      let [begun, left] = [0, 0];
      const work = steps((asi) => {
        begun++;
        asi.setCancel(() => void left++);
        return delay(60_000);
      });
      calls.serve(service, { work }, { concurrency: 1 });
      const caller = await started('caller', service, { client, ms: 60_000, count: 2 });
      await until(async () => begun === 1 && (await calls.waiting(service)) === 1);
      caller.signal('SIGKILL');
      const killed = Date.now();
      await until(() => left === 1);
      expect(Date.now() - killed).to.be.within(lease / 3, lease + 200);
      await until(async () => (await calls.waiting(service)) === 0);
      expect(begun).to.equal(1);
    });
  }

  it('its server is paused, is lost, and cancelled when that resumes', async () => {
    const service = calls.service<Work>({ lease });
    const server = await started('server', service);
    const code = codeOf(run(call(service, 'work', [2 * lease])));
    await until(() => server.said('begins') === 1);
    server.signal('SIGSTOP');
    expect(await code).to.equal('CallLost');
    server.signal('SIGCONT');
    await until(() => server.said('left') === 1);
    expect(await codeOf(run(call(service, 'work', [1])))).to.equal('ok');
    expect(server.lines).to.deep.equal(['begins', 'left', 'begins', 'ends']);
  });

  it('Redis is silent for a lease, is lost here and left there, and both go on with what comes', async () => {
    const service = calls.service<Work>({ lease });
    const server = await started('server', service);
    const code = codeOf(run(call(service, 'work', [60_000])));
    await until(() => server.said('begins') === 1);
    calls.server.signal('SIGSTOP');
    const stopped = Date.now();
    const refused = codeOf(run(call(service, 'work', [60_000])));
    expect(await refused).to.equal('RedisFailed');
    expect(Date.now() - stopped).to.be.within(lease / 3 - 5, lease / 3 + 100);
    expect(await code).to.equal('CallLost');
    expect(Date.now() - stopped).to.be.below(0.9 * lease + 100);
    await until(() => server.said('left') === 1);
    expect(Date.now() - stopped).to.be.below(0.9 * lease + 200);
    calls.server.signal('SIGCONT');
    expect(await codeOf(run(call(service, 'work', [1])))).to.equal('ok');
  });

  it('Redis has not said that it has it, fails with RedisFailed, also at the end of a lease', async () => {
    const service = calls.service<Work>({ lease, patience: lease });
    calls.server.signal('SIGSTOP');
    const stopped = Date.now();
    const codes = [0, 200].map(async (ms) => {
      await run(delay(ms));
      return codeOf(run(call(service, 'work', [1])));
    });
    expect(await Promise.all(codes)).to.deep.equal(['RedisFailed', 'RedisFailed']);
    expect(Date.now() - stopped).to.be.within(0.9 * lease - 5, 2 * lease);
    calls.server.signal('SIGCONT');
    await until(async () => (await calls.waiting(service)) === 0);
    const served: unknown[] = [];
    calls.serve(service, { work: (_asi, [ms]) => `${served.push(ms)}` });
    expect(await codeOf(run(call(service, 'work', [2])))).to.equal('ok');
    expect(served).to.deep.equal([2]);
  });

  it('Redis is emptied, is lost here and left there at the next renewal', async () => {
    const service = calls.service<Work>({ lease });
    const server = await started('server', service);
    const code = codeOf(run(call(service, 'work', [60_000])));
    await until(() => server.said('begins') === 1);
    await calls.shop.command('', 'FLUSHALL');
    const emptied = Date.now();
    expect(await code).to.equal('CallLost');
    await until(() => server.said('left') === 1);
    expect(Date.now() - emptied).to.be.below(lease / 3 + 200);
    expect(await codeOf(run(call(service, 'work', [1])))).to.equal('ok');
  });

  it('its server gets SIGTERM, ends in its time, or is lost, and the process ends by the signal', async () => {
    const service = calls.service<Work>({ lease });
    const server = await started('server', service, { drainOn: 'SIGTERM', grace: 500 });
    const codes = [50, 60_000].map((ms) => codeOf(run(call(service, 'work', [ms]))));
    await until(() => server.said('begins') === 2);
    server.signal('SIGTERM');
    expect(await server.ended).to.equal('SIGTERM');
    expect(await Promise.all(codes)).to.deep.equal(['ok', 'CallLost']);
    expect(server.lines.slice(2)).to.deep.equal(['ends', 'left']);
  });

  it('its reply is refused for ever, is left by a server that has drained', async () => {
    const bad = await faultyClient(calls.server.url);
    const { name } = calls.service<Work>();
    const shop = new RedisConnection(bad, { prefix: 'shop' });
    const service = new RedisService<Work>(shop, name, { lease });
    const code = codeOf(run(call(service, 'work', [1])));
    const { sha } = scriptOf('calls/reply');
    let replies = 0;
    bad.only = (args) => args[1] === sha && replies++ >= 0;
    bad.answers = 'drop';
    const server = serve(service, { work: () => 'x' }, { report() {} });
    await until(() => replies > 0);
    await server.drain(0);
    expect(await code).to.equal('CallLost');
    const before = replies;
    await new Promise((resolve) => setTimeout(resolve, 1100));
    expect(replies).to.equal(before);
    shop.close();
    bad.close();
  });
});
