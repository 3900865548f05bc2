import { expect } from 'chai';
import { type IAsyncSteps, run } from '../src/index.js';
import {
  call,
  enqueue,
  JobQueue,
  RedisConnection,
  RedisService,
  serve,
  worker,
} from '../src/redis.js';
import { type RedisServer, startRedis } from '../../tools/redis/server.js';
import './scripts.js';
import { type Client, clients } from './clients.js';
import { until } from './jobs.js';

const endless = (asi: IAsyncSteps) => void asi.waitExternal();

for (const name of Object.keys(clients) as (keyof typeof clients)[])
  describe(`workers and servers of a connection that is closed, of the package ${name}`, () => {
    let server: RedisServer;
    let client: Client;
    let watch: RedisConnection;
    let shop: RedisConnection;
    const said: string[] = [];
    const report = (error: any): void => void said.push(`${error.code}: ${error.info}`);

    before(async () => {
      server = await startRedis();
      client = await clients[name](server.url);
      watch = new RedisConnection(client.client, { prefix: 'shop' });
    });
    beforeEach(() => {
      said.length = 0;
      shop = new RedisConnection(client.client, { prefix: 'shop' });
    });
    after(async () => {
      await watch?.close();
      client?.close();
      await server?.stop();
    });

    it('are refused, with no listener of a signal', async () => {
      await shop.close();
      const before = process.listenerCount('SIGUSR2');
      const options = { drainOn: 'SIGUSR2' };
      expect(() => worker(new JobQueue(shop, 'q'), () => {}, options)).to.throw(/^Closed: worker/);
      const prices = new RedisService(shop, 'prices');
      expect(() => serve(prices, { a: () => {} }, options)).to.throw(/^Closed: serve/);
      expect(process.listenerCount('SIGUSR2')).to.equal(before);
    });

    it('give back what they run before it is closed, and say so once', async () => {
      const queue = new JobQueue(shop, 'letters');
      const one = worker(queue, endless, { report });
      const other = worker(new JobQueue(shop, 'idle'), endless, { report });
      const prices = serve(new RedisService(shop, 'prices'), { work: endless }, { report });
      const id = await enqueue(queue, 1);
      const asked = run(call(new RedisService(watch, 'prices'), 'work', [])).catch((e) => e.code);
      await until(() => one.size === 1 && prices.size === 1);
      await shop.close();
      expect((await new JobQueue(watch, 'letters').look(id))?.state).to.equal('waits');
      expect(await asked).to.equal('CallLost');
      expect(await one.drain(5000)).to.equal(1);
      expect(await prices.drain(5000)).to.equal(1);
      expect(await other.drain(5000)).to.equal(0);
      expect(said).to.deep.equal([
        'Closed: the connection is closed: what runs is cancelled, 1',
        'Closed: the connection is closed: what runs is cancelled, 1',
      ]);
    });

    it('stop, also if the client is closed at the same time', async () => {
      const own = await clients[name](server.url);
      const closing = new RedisConnection(own.client, { prefix: 'shop' });
      const queue = new JobQueue(closing, 'more');
      const one = worker(queue, endless, { report });
      const prices = serve(new RedisService(closing, 'more'), { work: endless }, { report });
      await enqueue(queue, 1);
      await until(() => one.size === 1);
      const closed = closing.close();
      own.close();
      await closed;
      await Promise.all([one.drain(0), prices.drain(0)]);
      expect(said).to.have.length(1);
    });
  });
