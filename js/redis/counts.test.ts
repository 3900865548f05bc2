import { expect } from 'chai';
import { type RedisServer, startRedis } from '../../tools/redis/server.js';
import { type Guard, run, step, sync } from '../src/index.js';
import {
  RedisConnection,
  RedisLimiter,
  RedisMutex,
  RedisRwLock,
  RedisThrottle,
} from '../src/redis.js';
import './scripts.js';
import { type Client, clients } from './clients.js';
import { until } from './jobs.js';

describe('how a guard over Redis stands', () => {
  let server: RedisServer;
  let client: Client;
  /** As two processes have it. */
  let shops: RedisConnection[];
  let time = 1_000_000;
  let end: AbortController;
  let ended: Promise<unknown>[];

  before(async () => {
    server = await startRedis();
    client = await clients.redis(server.url);
  });
  beforeEach(() => {
    shops = [1, 2].map(() => new RedisConnection(client.client, { prefix: 'shop' }, () => time));
    end = new AbortController();
    ended = [];
  });
  afterEach(async () => {
    end.abort();
    await Promise.all(ended);
    for (const shop of shops) await shop.close();
  });
  after(async () => {
    client?.close();
    await server?.stop();
  });

  /** A section that lasts till the test ends. */
  function held(guard: Guard): void {
    const section = sync(
      guard,
      step((asi) => void asi.waitExternal()),
    );
    ended.push(run(section, { signal: end.signal }).catch(() => {}));
  }
  const enter = (guard: Guard) => run(sync(guard, () => {}));

  it('counts the places that are taken, and who waits, of all processes', async () => {
    const [a, b] = shops.map((shop) => new RedisMutex(shop, 'm', { max: 3 }));
    expect(await a!.counts()).to.deep.equal({ active: 0, waiting: 0, entries: Infinity });
    held(a!.places(2));
    held(b!);
    await until(async () => (await a!.counts()).active === 3);
    held(b!);
    await until(async () => (await a!.counts()).waiting === 1);
    expect(await b!.counts()).to.deep.equal({ active: 3, waiting: 1, entries: Infinity });
    const lock = new RedisRwLock(shops[0]!, 'l');
    held(lock.read);
    held(lock.read);
    await until(async () => (await lock.counts()).active === 2);
    const other = new RedisRwLock(shops[1]!, 'o');
    held(other.write);
    held(other.read);
    await until(async () => (await other.counts()).waiting === 1);
    expect(await other.counts()).to.deep.equal({ active: 1, waiting: 1, entries: Infinity });
  });

  it('counts nobody whose lease is over', async () => {
    const [a, b] = shops.map((shop) => new RedisMutex(shop, 'd', { lease: 1000 }));
    held(a!);
    await until(async () => (await b!.counts()).active === 1);
    time += 1001;
    expect((await b!.counts()).active).to.equal(0);
  });

  for (const [algorithm, burst] of [
    ['fixed', undefined],
    ['sliding', undefined],
    ['bucket', 5],
  ] as const)
    it(`says what a rate has left: ${algorithm}`, async () => {
      const options = { max: 5, period: 1000, algorithm, burst };
      const [a, b] = shops.map((shop) => new RedisThrottle(shop, algorithm, options));
      const left = async () => (await b!.counts()).entries;
      expect(await left()).to.equal(5);
      for (let i = 0; i < 3; i++) await enter(a!);
      expect(await left()).to.equal(2);
      time += 400;
      for (let i = 0; i < 2; i++) await enter(b!);
      expect(await left()).to.equal(algorithm === 'bucket' ? 2 : 0);
      time += 600;
      expect(await left()).to.equal({ fixed: 5, sliding: 3, bucket: 5 }[algorithm]);
      time += 1000;
      expect(await left()).to.equal(5);
    });

  it('says both of a limiter', async () => {
    const limiter = new RedisLimiter(shops[0]!, 'both', { concurrent: 2, rate: 3, period: 60_000 });
    for (let i = 0; i < 3; i++) held(limiter);
    await until(async () => (await limiter.counts()).waiting === 1);
    expect(await limiter.counts()).to.deep.equal({ active: 2, waiting: 1, entries: 1 });
  });
});
