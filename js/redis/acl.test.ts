import { expect } from 'chai';
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { type RedisServer, startRedis } from '../../tools/redis/server.js';
import { delay, run, sync } from '../src/index.js';
import {
  call,
  enqueue,
  JobQueue,
  RedisConnection,
  RedisLimiter,
  RedisMutex,
  RedisService,
  serve,
  worker,
} from '../src/redis.js';
import './scripts.js';
import { type Client, clients } from './clients.js';

const docs = readFileSync(join(import.meta.dirname, '../../docs/jobs.md'), 'utf8');
const [, rights = ''] = /An ACL user needs `([^`]+)`/.exec(docs) ?? [];

describe('an ACL user with the rights that docs/jobs.md names', () => {
  let server: RedisServer;
  let admin: Client;
  const own: Client[] = [];
  const connections: RedisConnection[] = [];

  before(async () => {
    server = await startRedis();
    admin = await clients.redis(server.url);
  });
  after(async () => {
    for (const each of connections) each.close();
    for (const each of [admin, ...own]) each?.close();
    await server?.stop();
  });

  function connected(client: Client): RedisConnection {
    const shop = new RedisConnection(client.client, { prefix: 'shop' });
    connections.push(shop);
    return shop;
  }

  async function as(name: 'redis' | 'ioredis', ...more: string[]): Promise<RedisConnection> {
    const words = ['RESETKEYS', 'on', '>secret', ...rights.split(' '), ...more];
    await connected(admin).command('', 'ACL', 'SETUSER', `${name}er`, ...words);
    const client = await clients[name](server.url.replace('//', `//${name}er:secret@`));
    own.push(client);
    return connected(client);
  }

  for (const name of ['redis', 'ioredis'] as const) {
    it(`has jobs, calls and guards, with the package ${name}`, async () => {
      const shop = await as(name, '+info'); // by which ioredis looks whether Redis is ready, or else warns
      const queue = new JobQueue<number>(shop, name);
      let done = 0;
      const own = worker(queue, () => void done++);
      await enqueue(queue, 1);
      while (done === 0) await run(delay(5));
      await own.drain(0);
      const service = new RedisService<{ work(): string }>(shop, name);
      const served = serve(service, { work: () => 'done' });
      expect(await run(call(service, 'work', []))).to.equal('done');
      await served.drain(0);
      const mutex = new RedisMutex(shop, name);
      const limiter = new RedisLimiter(shop, name, { concurrent: 1, rate: 100 });
      const section = sync(mutex, sync(limiter, delay(5)));
      await Promise.all([run(section), run(section), run(section)]);
    });
  }

  it('that may not wait for replicas keeps nothing of a guard that has to', async () => {
    const shop = await as('redis', '-wait');
    const [name, lease] = ['far', 60_000];
    const mutex = new RedisMutex(shop, name, { lease, replicas: 1 });
    const { code, info } = await run(sync(mutex, () => {})).catch((error) => error);
    expect(code).to.equal('RedisFailed');
    expect(info).to.match(/wait/);
    await run(sync(new RedisMutex(connected(admin), name, { lease }), () => {}).timeout(2000));
  });
});
