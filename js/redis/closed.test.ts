import { expect } from 'chai';
import { Redis } from 'ioredis';
import { type AddressInfo, createServer } from 'node:net';
import { createClient } from 'redis';
import { retry, run, type StepError, sync } from '../src/index.js';
import { call, RedisConnection, RedisMutex, RedisService } from '../src/redis.js';
import { startRedis } from '../../tools/redis/server.js';
import './scripts.js';
import { clients as connected } from './clients.js';
import { until } from './jobs.js';

const pause = (ms: number) => new Promise<void>((resolve) => setTimeout(resolve, ms));

/** Unconnected. */
const clients = {
  redis: (port: number) => createClient({ url: `redis://127.0.0.1:${port}` }),
  ioredis: (port: number) => new Redis({ port, lazyConnect: true }),
};
const uses = {
  hears: (shop: RedisConnection) => shop.listen('x', { heard() {}, again() {} }),
  'waits for replicas': (shop: RedisConnection) =>
    shop.replicated('guard/acquire', 'k', [], { count: 1, patience: 100 }),
};

describe('a connection that is closed while Redis is down', () => {
  let tries = 0;
  const server = createServer((socket) => {
    tries++;
    socket.destroy();
  });

  before(() => new Promise<void>((resolve) => server.listen(0, resolve)));
  after(() => server.close());

  for (const name of ['redis', 'ioredis'] as const)
    for (const [what, use] of Object.entries(uses))
      it(`that ${what} tries no more, with the package ${name}`, async () => {
        const shop = new RedisConnection(clients[name]((server.address() as AddressInfo).port), {
          prefix: 'shop',
        });
        const before = tries;
        use(shop).catch(() => {});
        while (tries < before + 2) await pause(5);
        shop.close();
        await pause(20);
        const closed = tries;
        await pause(300);
        expect(tries).to.equal(closed);
      });
});

const codeOf = (ends: Promise<unknown>) =>
  ends.then(
    () => 'ok',
    ({ code }: StepError) => code,
  );

for (const name of ['redis', 'ioredis'] as const)
  describe(`a connection that is closed, of the package ${name}`, () => {
    it('fails what waits and what comes with Closed, and nothing is connected', async () => {
      const server = await startRedis();
      const client = await connected[name](server.url);
      try {
        const shop = new RedisConnection(client.client, { prefix: 'shop' });
        const mutex = new RedisMutex(shop, 'm');
        const prices = new RedisService(shop, 'prices');
        let goOn = (): void => {};
        const held = codeOf(run(sync(mutex, () => new Promise<void>((go) => (goOn = go)))));
        const keys = () => shop.command('', 'KEYS', '*') as Promise<string[]>;
        while (!(await keys()).some((key) => key.includes('mutex'))) await pause(2);
        const waits = codeOf(run(sync(mutex, () => {})));
        const asked = codeOf(run(retry({ max: 3 }, call(prices, 'quote', []))));
        while (!(await keys()).some((key) => key.includes('queue'))) await pause(2);
        await pause(50);
        shop.close();
        const replicated = new RedisMutex(shop, 'r', { replicas: 1 });
        const late = [mutex, replicated].map((one) => codeOf(run(sync(one, () => {}))));
        const codes = await Promise.all([
          waits,
          asked,
          ...late,
          codeOf(run(call(prices, 'x', []))),
        ]);
        expect(codes).to.deep.equal(['Closed', 'Closed', 'Closed', 'Closed', 'Closed']);
        goOn();
        expect(await held).to.equal('ok');
        while ((await keys()).some((key) => key.includes('mutex'))) await pause(2);
        const list: string = await shop.command('', 'CLIENT', 'LIST');
        expect(list.trim().split('\n')).to.have.length(1);
      } finally {
        client.close();
        await server.stop();
      }
    });
  });

describe('a connection that is closed while the one is made by which it hears', () => {
  for (const name of ['redis', 'ioredis'] as const)
    for (const [what, use] of Object.entries(uses))
      it(`leaves none, at whatever moment, that ${what}, with the package ${name}`, async () => {
        const server = await startRedis();
        const client = await connected[name](server.url);
        try {
          for (let turns = 0; turns < 12; turns++) {
            const shop = new RedisConnection(client.client, { prefix: 'shop' });
            const used = codeOf(use(shop));
            for (let i = 0; i < turns; i++) await new Promise(setImmediate);
            await shop.close();
            await used;
          }
          const watch = new RedisConnection(client.client, { prefix: 'watch' });
          const others = async (): Promise<number> => {
            const list: string = await watch.command('', 'CLIENT', 'LIST');
            return list.trim().split('\n').length - 1;
          };
          await until(async () => (await others()) === 0);
        } finally {
          client.close();
          await server.stop();
        }
      }).timeout(10_000);

  it('does not wait for a server that never answers', async () => {
    let isLeft = false;
    let isThere = false;
    const silent = createServer((socket) => {
      isThere = true;
      socket.on('error', () => {}).on('close', () => (isLeft = true));
      socket.resume();
    });
    await new Promise<void>((resolve) => silent.listen(0, resolve));
    const { port } = silent.address() as AddressInfo;
    const shop = new RedisConnection(clients.redis(port), { prefix: 'shop' });
    const used = codeOf(uses.hears(shop));
    await until(() => isThere);
    await shop.close();
    await until(() => isLeft);
    expect(await used).to.not.equal('ok');
    silent.close();
  }).timeout(10_000);
});
