import { expect } from 'chai';
import { type RedisServer, startRedis } from '../../tools/redis/server.js';
import { delay, run, step, sync } from '../src/index.js';
import { RedisConnection, RedisLimiter, RedisMutex, type RedisMutexOptions } from '../src/redis.js';
import { scriptOf } from '../src/redisscripts.js';
import './scripts.js';
import { countedTimers } from './counted.js';
import { type FaultyClient, faultyClient } from './faulty.js';

const lease = 1000;
const pause = (ms: number) => new Promise<void>((resolve) => setTimeout(resolve, ms));

async function until(is: () => boolean): Promise<void> {
  while (!is()) await pause(5);
}

describe('a guard over Redis, when answers are lost', () => {
  let server: RedisServer;
  let bad: FaultyClient;
  let good: FaultyClient;
  let count = 0;
  const connections: RedisConnection[] = [];

  beforeEach(async () => {
    server ??= await startRedis();
    [bad, good] = await Promise.all([faultyClient(server.url), faultyClient(server.url)]);
  });
  afterEach(() => {
    for (const each of connections.splice(0)) each.close();
    for (const each of [bad, good]) {
      each.pass();
      each.close();
    }
  });
  after(() => server?.stop());

  function connected(client: FaultyClient): RedisConnection {
    const shop = new RedisConnection(client, { prefix: 'shop' });
    connections.push(shop);
    return shop;
  }
  /** One of a process whose answers are lost, and one of another process. */
  function mutexes(options: RedisMutexOptions = {}): [RedisMutex, RedisMutex] {
    const name = `f${count++}`;
    const of = (client: FaultyClient) =>
      new RedisMutex(connected(client), name, { lease, ...options });
    return [of(bad), of(good)];
  }
  /** A section that stays in till it's told. */
  function held(mutex: RedisMutex) {
    const state = { isIn: false, end: () => {}, code: Promise.resolve('') };
    const section = sync(mutex, (asi) => {
      state.isIn = true;
      asi.waitExternal();
      state.end = () => (asi as any).success();
    });
    state.code = run(section).then(
      () => 'ok',
      (error) => error.code,
    );
    return state;
  }

  it('is let in by nothing that was said before its lease was over', async () => {
    const [late, other] = mutexes();
    const first = held(other);
    await until(() => first.isIn);
    const stale = held(late);
    await pause(100);
    bad.deafen();
    bad.answers = 'hold';
    first.end();
    await first.code; // it's given to the one that doesn't hear
    const second = held(other);
    await until(() => second.isIn); // whose lease is over
    bad.hear();
    bad.pass();
    await pause(lease / 5);
    expect(stale.isIn).to.equal(false);
    second.end();
    await until(() => stale.isIn);
    stale.end();
    expect(await Promise.all([second.code, stale.code])).to.deep.equal(['ok', 'ok']);
  });

  it('gives back what it has not heard of, though it never rests', async () => {
    const [lossy, other] = mutexes({ max: 2 });
    bad.answers = 'lose';
    const failed = await run(sync(lossy, () => {})).catch((error) => error.code);
    expect(failed).to.equal('RedisFailed');
    bad.answers = 'pass';
    let isOver = false;
    const goesOn = (async () => {
      while (!isOver) {
        await run(sync(lossy, () => {}));
        await pause(20);
      }
    })();
    const begun = Date.now();
    await run(sync(other.places(2), () => {}).timeout(4 * lease)).finally(() => (isOver = true));
    expect(Date.now() - begun).to.be.below(lease / 2);
    await goesOn;
  });

  it('gives back what it has given back unheard', async () => {
    for (const fault of ['lose', 'drop'] as const) {
      const [lossy, other] = mutexes();
      const one = held(lossy);
      await until(() => one.isIn);
      bad.answers = fault;
      one.end();
      expect(await one.code).to.equal('ok');
      bad.answers = 'pass';
      const begun = Date.now();
      await run(sync(other, () => {}));
      expect(Date.now() - begun, fault).to.be.below(lease / 2);
    }
  });

  it('a section that goes on by itself gives back what Redis has given', async () => {
    const [lossy, other] = mutexes({ whenDown: { local: 1 }, patience: 50 });
    bad.answers = 'lose';
    const alone = held(lossy);
    await until(() => alone.isIn);
    bad.answers = 'pass';
    await run(sync(lossy, () => {}).timeout(50)).catch(() => {}); // it's heard of
    const begun = Date.now();
    await run(sync(other, () => {}));
    expect(Date.now() - begun).to.be.below(lease / 2);
    alone.end();
    await alone.code;
  });

  it('loses what an abandoned promise keeps, and nothing else happens', async () => {
    const [lossy, other] = mutexes();
    let settle = () => {};
    const section = sync(lossy, () => new Promise<void>((resolve) => (settle = resolve)));
    const code = await run(section.timeout(20)).catch((error) => error.code);
    expect(code).to.equal('Timeout');
    bad.answers = 'drop';
    await run(sync(other, () => {}));
    bad.answers = 'pass';
    settle();
    await run(sync(lossy, () => {}));
  });

  it('is let in by no renewal that is answered after its lease', async () => {
    const [late, other] = mutexes({ patience: 5 * lease });
    const first = held(other);
    await until(() => first.isIn);
    const stale = held(late);
    await pause(100);
    bad.deafen();
    first.end();
    await first.code;
    bad.answers = 'late'; // what it hears is that it's in
    const second = held(other);
    await until(() => second.isIn);
    bad.pass();
    await pause(lease / 5);
    expect(stale.isIn).to.equal(false);
    second.end();
    await until(() => stale.isIn);
    stale.end();
    expect(await Promise.all([second.code, stale.code])).to.deep.equal(['ok', 'ok']);
  });

  it('cancelled at any time, leaves nothing', async () => {
    const [a, b] = mutexes({ max: 2 });
    const shop = connected(good);
    const limiter = new RedisLimiter(shop, a.name, { concurrent: 1, rate: 1000, lease });
    const guards = [a, b, a.places(2), limiter];
    const runs: Promise<unknown>[] = [];
    for (let i = 0; i < 200; i++) {
      const section = sync(guards[i % 4]!, step(delay(2))).timeout(1 + (i % 7));
      runs.push(run(section).catch(() => {}));
      if (i % 10 === 0) await pause(1);
    }
    await Promise.all(runs);
    await run(sync(b.places(2), () => {}));
    await run(sync(limiter, () => {}));
    await pause(50);
    expect(await shop.command('', 'KEYS', `*mutex:${a.name}}*`)).to.deep.equal([]);
  });

  it('has no timer left once the renewal behind its last section is answered', async () => {
    const { live, timers } = countedTimers();
    const shop = new RedisConnection(bad, { prefix: 'shop' }, undefined as never, timers);
    connections.push(shop);
    const one = held(new RedisMutex(shop, `f${count++}`, { lease }));
    await until(() => one.isIn);
    let renewals = 0;
    const { text, sha } = scriptOf('guard/renew');
    await bad.sendCommand(['SCRIPT', 'LOAD', text]);
    bad.only = (args) => args[1] === sha && renewals++ >= 0;
    bad.answers = 'late';
    await until(() => renewals > 0);
    one.end();
    await one.code;
    await pause(50);
    bad.pass();
    await pause(50);
    expect(live.size).to.equal(0);
  });
});
