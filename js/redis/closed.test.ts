import { expect } from 'chai';
import { Redis } from 'ioredis';
import { type AddressInfo, createServer } from 'node:net';
import { createClient } from 'redis';
import { RedisConnection } from '../src/redis.js';
import './scripts.js';

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
