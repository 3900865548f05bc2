import { expect } from 'chai';
import { type RedisServer, startRedis } from '../../tools/redis/server.js';
import { run, sync } from '../src/index.js';
import {
  RedisConnection,
  RedisMutex,
  type RedisMutexOptions,
  RedisThrottle,
} from '../src/redis.js';
import './scripts.js';
import { type Client, clients } from './clients.js';
import { Relay } from './relay.js';

const lease = 6000;
const patience = 2000;
const rounds = 50;
const pause = (ms: number) => new Promise<void>((resolve) => setTimeout(resolve, ms));

async function until(is: () => boolean | Promise<boolean>): Promise<void> {
  while (!(await is())) await pause(5);
}

for (const name of Object.keys(clients) as (keyof typeof clients)[])
  describe(`a guard over Redis with a replica, by ${name}`, () => {
    let master: RedisServer;
    let replica: RedisServer;
    let relay: Relay;
    /** From the replica to the master. */
    let link: Relay;
    let direct: Client;
    const used: Client[] = [];
    const connections: RedisConnection[] = [];

    beforeEach(async () => {
      master = await startRedis('--repl-diskless-sync-delay', '0');
      link = new Relay(master.port);
      await link.start();
      replica = await startRedis('--replicaof', '127.0.0.1', `${link.port}`);
      direct = await clients.redis(replica.url);
      relay = new Relay(master.port);
      await relay.start();
      await until(async () => (await asks('INFO', 'replication')).includes('link_status:up'));
    });
    afterEach(async () => {
      for (const each of [...connections.splice(0), ...used.splice(0), direct]) each.close();
      relay.stop();
      link.stop();
      await Promise.all([master.stop(), replica.stop()]);
    });

    const asks = async (...command: string[]): Promise<string> =>
      (direct.client as any).sendCommand(command);
    async function connected(): Promise<RedisConnection> {
      const client = await clients[name](relay.url);
      const shop = new RedisConnection(client.client, { prefix: 'shop' });
      used.push(client);
      connections.push(shop);
      return shop;
    }
    /** As of a process. */
    const mutexOf = async (options: RedisMutexOptions) =>
      new RedisMutex(await connected(), 'm', { lease, patience, ...options });

    function held(mutex: RedisMutex) {
      const state = { isIn: false, end: () => {}, said: Promise.resolve('') };
      const section = sync(mutex, (asi) => {
        state.isIn = true;
        asi.waitExternal();
        state.end = () => (asi as any).success();
      });
      state.said = run(section).then(
        () => 'ok',
        (error) => error.message,
      );
      return state;
    }
    async function failover(): Promise<void> {
      await master.kill();
      link.stop();
      await asks('REPLICAOF', 'NO', 'ONE');
      relay.lead(replica.port);
    }

    it('that hears nothing lets two in after a failover to it, but not if it has to hear', async () => {
      const plain = await mutexOf({});
      const safe = await mutexOf({ replicas: 1 });
      const other = await mutexOf({ whenDown: 'wait' });
      link.hold();
      const first = held(plain);
      await until(() => first.isIn);
      first.end();
      await first.said;
      const refused = held(safe);
      expect(await refused.said).to.equal("RedisFailed: mutex 'm': only 0 of 1 replicas have it");
      expect(refused.isIn).to.equal(false);
      const one = held(plain);
      await until(() => one.isIn);
      await failover();
      const two = held(other);
      await until(() => two.isIn);
      expect(one.isIn && two.isIn).to.equal(true);
      two.end();
      await two.said;
    });

    it('that has to hear keeps places over a failover to it, and entries', async () => {
      const safe = { replicas: 1, whenDown: 'wait' } as const;
      const [a, b] = [await mutexOf(safe), await mutexOf(safe)];
      const rate = { max: 1, period: 60_000, ...safe, patience };
      const throttle = new RedisThrottle(await connected(), 't', rate);
      await run(sync(throttle, () => {}));
      const one = held(a);
      await until(() => one.isIn);
      await failover();
      const two = held(b);
      const entry = run(sync(throttle, () => 'in').timeout(lease)).catch(({ code }) => code);
      await pause(1000);
      expect(two.isIn).to.equal(false);
      await asks('FLUSHALL'); // no replica has it now: what is in is lost
      expect(await one.said).to.match(/^LeaseLost: mutex 'm'/);
      expect(await entry).to.equal('Timeout');
      expect(two.isIn).to.equal(false);
    });

    it('lets in who has waited once it has heard', async () => {
      const safe = { replicas: 1, whenDown: 'wait' } as const;
      const [a, b] = [await mutexOf(safe), await mutexOf(safe)];
      const one = held(a);
      await until(() => one.isIn);
      const two = held(b);
      await pause(100);
      link.hold();
      one.end();
      await one.said;
      await pause(500);
      expect(two.isIn).to.equal(false);
      link.goOn();
      await until(() => two.isIn);
      two.end();
      expect(await two.said).to.equal('ok');
    });

    it('has a lease that is no longer once it hears nothing', async () => {
      const mutex = await mutexOf({ replicas: 1, whenDown: 'wait', lease: 1500, patience: 500 });
      const one = held(mutex);
      await until(() => one.isIn);
      await pause(1600); // it has been renewed
      expect(one.isIn).to.equal(true);
      link.hold();
      expect(await one.said).to.match(
        /^LeaseLost: .* not been heard of for the time of the lease$/,
      );
    });

    it('costs some time for each lock', async function () {
      const figures: string[] = [];
      for (const replicas of [0, 1]) {
        const mutex = await mutexOf({ replicas, max: 100 });
        const lock = () => run(sync(mutex, () => {}));
        await lock();
        const begun = performance.now();
        for (let i = 0; i < rounds; i++) await lock();
        const alone = (performance.now() - begun) / rounds;
        const again = performance.now();
        await Promise.all(Array.from({ length: 100 }, lock));
        const each = (performance.now() - again) / 100;
        figures.push(`${replicas}: ${alone.toFixed(2)} ms, of 100 at once ${each.toFixed(2)} ms`);
      }
      if (this.test) this.test.title += ` (${figures.join('; ')})`;
    });
  });
