import { expect } from 'chai';
import { type Guard, run, type StepError, sync } from '../src/index.js';
import { call, RedisConnection, RedisMutex, RedisService } from '../src/redis.js';
import { scriptOf } from '../src/redisscripts.js';
import { type RedisServer, startRedis } from '../../tools/redis/server.js';
import './scripts.js';
import { type Client, clients } from './clients.js';
import { Untold } from '../src/untold.js';
import { countedTimers } from './counted.js';
import { type FaultyClient, faultyClient } from './faulty.js';
import { until } from './jobs.js';

const codeOf = (ends: Promise<unknown>) =>
  ends.then(
    () => 'ok',
    ({ code }: StepError) => code,
  );

describe('a connection that is closed, and then its client', () => {
  let server: RedisServer;
  let watcher: Client;
  let watch: RedisConnection;
  let bad: FaultyClient;

  before(async () => {
    server = await startRedis();
    watcher = await clients.redis(server.url);
    watch = new RedisConnection(watcher.client, { prefix: 'watch' });
  });
  beforeEach(async () => {
    await watch.command('', 'FLUSHALL');
    bad = await faultyClient(server.url);
  });
  afterEach(() => {
    bad.pass();
    bad.close();
  });
  after(async () => {
    watcher?.close();
    await server?.stop();
  });

  const keys = async (word: string): Promise<string[]> =>
    ((await watch.command('', 'KEYS', '*')) as string[]).filter((key) => key.includes(word));
  const flushed = () => watch.command('', 'SCRIPT', 'FLUSH');

  for (const name of Object.keys(clients) as (keyof typeof clients)[])
    it(`leaves no place and no call, though no script is known any more, with ${name}`, async () => {
      const client = await clients[name](server.url);
      const shop = new RedisConnection(client.client, { prefix: 'shop' });
      const service = new RedisService(shop, 'prices');
      const asked = codeOf(run(call(service, 'quote', [])));
      await until(async () => (await keys('queue')).length === 1);
      await run(sync(new RedisMutex(shop, 'm'), flushed));
      await shop.close();
      client.close();
      expect(await asked).to.equal('CallLost');
      expect([...(await keys('mutex')), ...(await keys('queue'))]).to.deep.equal([]);
    });

  it('leaves no place that it had asked for and not heard of', async () => {
    const shop = new RedisConnection(bad, { prefix: 'shop' });
    await run(sync(new RedisMutex(watch, 'm'), () => {})); // the scripts are known
    bad.answers = 'late';
    const code = codeOf(run(sync(new RedisMutex(shop, 'm'), () => {})));
    await until(async () => (await keys('mutex')).length > 0);
    let isClosed = false;
    const closed = shop.close().then(() => (isClosed = true));
    expect(await code).to.equal('Closed');
    await watch.command('', 'PING');
    expect(isClosed).to.equal(false);
    bad.pass();
    await closed;
    expect(await keys('mutex')).to.deep.equal([]);
    expect(shop.close()).to.equal(shop.close());
  });

  it('lets nobody in by itself who waited while Redis was down, and leaves in who was', async () => {
    const shop = new RedisConnection(bad, { prefix: 'shop' });
    const mutex = new RedisMutex(shop, 'm', { max: 2, lease: 1000, whenDown: { local: 2 } });
    let begun = 0;
    let goOn = (): void => {};
    const gone = new Promise<void>((go) => (goOn = go));
    const enter = (guard: Guard) =>
      codeOf(
        run(
          sync(guard, () => {
            begun++;
            return gone;
          }),
        ),
      );
    bad.answers = 'drop';
    const held = enter(mutex);
    await until(() => begun === 1);
    const waits = [enter(mutex.places(2)), enter(mutex)];
    await until(() => mutex.waiting === 2);
    await new Promise((resolve) => setTimeout(resolve, 20)); // it's known that Redis is down
    const closed = shop.close();
    await new Promise((resolve) => setTimeout(resolve, 20));
    expect(begun).to.equal(1);
    expect(await Promise.all(waits)).to.deep.equal(['Closed', 'Closed']);
    goOn();
    expect(await held).to.equal('ok');
    await closed;
  });

  it('leaves no place that it could not give back at first', async () => {
    const shop = new RedisConnection(bad, { prefix: 'shop' });
    const { sha } = scriptOf('guard/release');
    let drops = 0;
    bad.only = (args) => args[1] === sha && drops++ >= 0;
    bad.answers = 'drop';
    await run(sync(new RedisMutex(shop, 'm', { lease: 1000 }), () => {}));
    await until(() => drops > 0);
    bad.answers = 'pass';
    await shop.close();
    expect(await keys('mutex')).to.deep.equal([]);
  });

  it('waits for however many there are', async () => {
    const { live, timers } = countedTimers();
    const untold = new Untold();
    for (let i = 0; i < 150_000; i++) untold.add(Promise.resolve(), 1000);
    await untold.told(timers);
    expect(live.size).to.equal(0);
  });

  it('waits for the longest patience, and no longer', async () => {
    const shop = new RedisConnection(bad, { prefix: 'shop' });
    const patient = new RedisMutex(shop, 'p', { lease: 60_000, patience: 30_000 });
    await run(sync(patient, () => {})); // it's answered, so its patience doesn't count
    const mutex = new RedisMutex(shop, 'm', { lease: 1000, patience: 200 });
    await run(sync(mutex, () => void (bad.answers = 'hold')));
    const begun = performance.now();
    await shop.close();
    expect(performance.now() - begun).to.be.within(199, 20_000);
  });
});
