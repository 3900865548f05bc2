import { expect } from 'chai';
import { Cluster, Redis } from 'ioredis';
import { once } from 'node:events';
import { createClient, createCluster } from 'redis';
import { type RedisServer, startRedis } from '../../tools/redis/server.js';
import { run } from '../src/index.js';
import {
  call,
  enqueue,
  JobQueue,
  type RedisClient,
  RedisConnection,
  RedisService,
  serve,
  worker,
} from '../src/redis.js';
import { until } from './jobs.js';
import './scripts.js';

/** Has all slots. */
async function startCluster(): Promise<RedisServer> {
  const address = ['--cluster-announce-ip', '127.0.0.1'];
  const server = await startRedis('--cluster-enabled', 'yes', ...address);
  const admin = new Redis(server.url);
  await admin.call('CLUSTER', 'ADDSLOTSRANGE', '0', '16383');
  await until(async () => String(await admin.call('CLUSTER', 'INFO')).includes('state:ok'));
  admin.disconnect();
  return server;
}

interface Kind {
  connect(server: RedisServer): Promise<RedisClient>;
  close(client: any): unknown;
}

const destroy = (client: any) => client.destroy();
const disconnect = (client: any) => client.disconnect();
const kinds: Readonly<Record<string, Kind>> = {
  'a cluster of redis': {
    connect: ({ url }) => createCluster({ rootNodes: [{ url }] }).connect() as any,
    close: destroy,
  },
  'a cluster of ioredis': {
    async connect({ port }) {
      const cluster = new Cluster([{ host: '127.0.0.1', port }]);
      await once(cluster, 'ready');
      return cluster as unknown as RedisClient;
    },
    close: disconnect,
  },
  'redis with the third protocol': {
    connect: ({ url }) => createClient({ url, RESP: 3 }).connect() as any,
    close: destroy,
  },
  'ioredis with pipelines': {
    connect: async ({ url }) => new Redis(url, { enableAutoPipelining: true }),
    close: disconnect,
  },
};

describe('jobs and calls of a cluster', () => {
  let redis: RedisServer;
  before(async () => {
    redis = await startCluster();
  });
  after(() => redis?.stop());

  for (const [name, { connect, close }] of Object.entries(kinds)) {
    it(`are run with any client of it: ${name}`, async () => {
      const client = await connect(redis);
      const shop = new RedisConnection(client, { prefix: 'shop' });
      const queue = new JobQueue<number>(shop, name);
      const done: number[] = [];
      const working = worker(queue, (_asi, n) => void done.push(n));
      for (const n of [1, 2, 3]) await enqueue(queue, n, { key: 'ann', delay: n === 2 ? 30 : 0 });
      await until(() => done.length === 3);
      expect(done).to.deep.equal([1, 2, 3]);
      await working.drain(1000);
      expect(await queue.counts()).to.deep.equal({ jobs: 0, due: 0, run: 0, dead: 0 });
      const service = new RedisService(shop, name);
      const server = serve(service, { double: (_asi, [n]) => 2 * n });
      expect(await run(call(service, 'double', [21]))).to.equal(42);
      await server.drain(1000);
      shop.close();
      await close(client);
    });

    it(`leave no connection that is closed at whatever moment: ${name}`, async () => {
      const client = await connect(redis);
      const admin = new Redis(redis.url);
      const there = async () =>
        String(await admin.call('CLIENT', 'LIST'))
          .trim()
          .split('\n').length;
      const shop = new RedisConnection(client, { prefix: 'shop' });
      await shop.command('', 'PING');
      const before = await there();
      for (let turns = 0; turns < 15; turns++) {
        const other = new RedisConnection(client, { prefix: 'shop' });
        const heard = other.listen('x', { heard() {}, again() {} }).catch(() => {});
        for (let i = 0; i < turns; i++) await new Promise(setImmediate);
        await other.close();
        if (!name.includes('ioredis')) await heard;
      }
      await until(async () => (await there()) <= before);
      admin.disconnect();
      await close(client);
    }).timeout(10_000);
  }
});
