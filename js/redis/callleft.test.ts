import { expect } from 'chai';
import { AsyncSteps, delay, type IAsyncSteps, race, run, step } from '../src/index.js';
import { call, RedisConnection, RedisService } from '../src/redis.js';
import { scriptOf } from '../src/redisscripts.js';
import { Calls } from './calls.js';
import { countedTimers } from './counted.js';
import { faultyClient } from './faulty.js';
import { until } from './jobs.js';

interface Work {
  work(): void;
  long(length: number): string;
}

const lease = 1000;

describe('a call, or its reply,', () => {
  const calls = new Calls();
  let [begun, left] = [0, 0];
  const work = step((asi: IAsyncSteps) => {
    begun++;
    asi.setCancel(() => void left++);
    return delay(60_000);
  });

  beforeEach(() => void ([begun, left] = [0, 0]));

  const codeOf = (made: Promise<unknown>): Promise<string> =>
    made.then(
      () => 'ok',
      ({ code }) => code,
    );

  /** Nobody hears it any more, and it doesn't know. */
  const deafen = async ({ base }: RedisService<any>) => {
    const channels = await calls.shop.command('', 'PUBSUB', 'CHANNELS', `${base}:to:*`);
    expect(channels.length).to.be.above(0);
    await calls.shop.command('', 'CLIENT', 'KILL', 'TYPE', 'pubsub');
  };

  it('that is left, in whatever way, is cancelled over there, and leaves the queue', async () => {
    const service = calls.service<Work>();
    calls.serve(await calls.other(service), { work }, { concurrency: 1 });
    const made = call(service, 'work', []);
    const flow = new AsyncSteps().add(made as any);
    const ended = codeOf(flow.promise());
    await until(() => begun === 1);
    const waits = codeOf(run(made.timeout(100)));
    await until(async () => (await calls.waiting(service)) === 1);
    expect(await waits).to.equal('Timeout');
    await until(async () => (await calls.waiting(service)) === 0);
    flow.cancel();
    await ended;
    await until(() => left === 1);
    await run(race(made, delay(100)));
    await until(() => left === 2);
    expect(begun).to.equal(2);
  });

  it('that is left while its server is deaf is cancelled at its next renewal', async () => {
    const service = calls.service<Work>({ lease });
    calls.serve(await calls.other(service, { lease }), { work });
    const code = codeOf(run(call(service, 'work', []).timeout(5000)));
    await until(() => begun === 1);
    const { base } = service;
    const [key] = await calls.shop.command('', 'KEYS', `${base}:call:*`);
    await calls.shop.command('', 'DEL', key); // as a cancel does that nobody is told of
    await until(() => left === 1);
    expect(await code).to.equal('CallLost');
  });

  it('that is left while the answer which gives it is on its way is not begun', async () => {
    const service = calls.service<Work>();
    calls.serve(calls.slow(service, 300), { work, long: () => 'x' });
    await until(async () => (await calls.keys(service)).includes(':idle'));
    await new Promise((resolve) => setTimeout(resolve, 400)); // it has heard of that, and asks at once now
    expect(await codeOf(run(call(service, 'work', []).timeout(150)))).to.equal('Timeout');
    expect(await run(call(service, 'long', [1]))).to.equal('x');
    expect(begun).to.equal(0);
  });

  it('that is left before Redis has heard of it is cancelled behind that', async () => {
    const service = calls.service<Work>();
    const late = run(call(calls.slow(service, 200, 'work'), 'work', []).timeout(50));
    expect(await codeOf(late)).to.equal('Timeout');
    const has = async (key: string) => (await calls.keys(service)).includes(key);
    await until(() => has(':seq')); // it has come
    await until(async () => !(await has(':queue')));
  });

  it('that nobody heard is there when the caller hears again', async () => {
    const service = calls.service<Work>({ lease: 60_000 });
    const other = await calls.other(service, { lease: 60_000 });
    let go = () => {};
    const goes = new Promise<void>((resolve) => (go = resolve));
    calls.serve(other, {
      work: () => {
        begun++;
        return goes;
      },
    });
    const code = codeOf(run(call(service, 'work', [])));
    await until(() => begun === 1);
    await deafen(service);
    go();
    expect(await code).to.equal('ok');
  });

  it('that is long is fetched, not told', async () => {
    const service = calls.service<Work>();
    calls.serve(await calls.other(service), { long: (_asi, [length]) => 'x'.repeat(length) });
    for (const length of [10, 65_000, 66_000, 1_000_000])
      expect((await run(call(service, 'long', [length]))).length).to.equal(length);
  });

  it('fails when the connection is closed, and so does the next one', async () => {
    const service = calls.service<Work>();
    const other = await calls.other(service);
    calls.serve(service, { work, long: () => 'x' });
    const code = codeOf(run(call(other, 'work', [])));
    await until(() => begun === 1);
    other.connection.close();
    expect(await code).to.equal('CallLost');
    await until(() => left === 1);
    expect(await codeOf(run(call(other, 'long', [1])))).to.equal('Closed');
  });

  it('that is long, and announced before Redis has said that it has the call, is fetched at once', async () => {
    const service = calls.service<Work>();
    const own = calls.slow(service, 200);
    calls.serve(service, { work, long: (_asi, [length]) => 'x'.repeat(length) });
    expect(await run(call(own, 'long', [1]))).to.equal('x'); // now it hears
    const made = Date.now();
    expect(await run(call(own, 'long', [100_000]))).to.have.length(100_000);
    expect(Date.now() - made).to.be.below(1500); // a third of the lease is 3333
  });

  it('is none for what was called before its process was paused for a lease, and one for what it calls then', async () => {
    let paused = 0;
    const { timers } = countedTimers();
    const clock = () => timers.clock() + paused;
    const shop = new RedisConnection(calls.client.client, { prefix: 'shop' }, undefined as never, {
      ...timers,
      clock,
    });
    const service = new RedisService<Work>(shop, calls.service().name);
    const before = codeOf(run(call(service, 'long', [1])));
    await until(async () => (await calls.waiting(service)) === 1);
    paused = 10_000;
    const after = codeOf(run(call(service, 'long', [1])));
    expect(await before).to.equal('CallLost');
    calls.serve(await calls.other(service), { long: () => 'x' });
    expect(await after).to.equal('ok');
    await shop.close();
  });

  it('that is over before Redis has said that it has the call leaves no timer', async () => {
    const client = await faultyClient(calls.server.url);
    const { live, timers } = countedTimers();
    const shop = new RedisConnection(client, { prefix: 'shop' }, undefined as never, timers);
    const service = new RedisService<Work>(shop, calls.service().name);
    calls.serve(await calls.other(service), { long: () => 'x' });
    await run(call(service, 'long', [1])); // now it hears
    const { sha } = scriptOf('calls/send');
    client.only = (args) => args[1] === sha;
    client.answers = 'late';
    await run(call(service, 'long', [1]));
    client.pass();
    await new Promise((resolve) => setTimeout(resolve, 50));
    expect(live.size).to.equal(0);
    shop.close();
    client.close();
  });
});
