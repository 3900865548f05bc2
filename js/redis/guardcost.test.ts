import { expect } from 'chai';
import { type RedisServer, startRedis } from '../../tools/redis/server.js';
import { RedisConnection } from '../src/redis.js';
import './scripts.js';
import { type Client, clients } from './clients.js';

const lease = 86_400_000;

describe('the queue of a guard over Redis', function () {
  this.timeout(300_000);
  let server: RedisServer;
  let client: Client;
  let shop: RedisConnection;
  let now = 1_000_000;

  before(async () => {
    server = await startRedis();
    client = await clients.redis(server.url);
    shop = new RedisConnection(client.client, { prefix: 'shop' }, () => now);
  });
  after(async () => {
    shop?.close();
    client?.close();
    await server?.stop();
  });

  const rates = { mutex: ['', '', '', ''], limiter: ['bucket', 1, 1000, 1] };
  const scripts = (kind: keyof typeof rates, name: string) => {
    const key = shop.key(kind, name, 'test');
    const run = (script: string, session: string, ...own: (string | number)[]) =>
      shop.script(`guard/${script}`, key, [session, lease, 1, ...rates[kind], ...own]);
    const waiters = async (session: string, count: number) => {
      for (let i = 0; i < count; i += 1000) {
        const some = Array.from({ length: Math.min(1000, count - i) }, (_, n) => `${i + n}.1`);
        await Promise.all(some.map((ticket) => run('acquire', session, ticket, '', '')));
      }
    };
    return { key, run, waiters };
  };

  /** What the server has run so far, by itself or in scripts, and for how long. */
  async function spent(): Promise<{ calls: number; usec: number }> {
    let [calls, usec] = [0, 0];
    const text: string = await shop.command('', 'INFO', 'commandstats');
    for (const [, name, some, us] of text.matchAll(/cmdstat_(\S+):calls=(\d+),usec=(\d+)/g)) {
      if (name === 'info') continue;
      calls += Number(some);
      if (name === 'evalsha') usec += Number(us);
    }
    return { calls, usec };
  }

  it('costs as many commands with 10, 1,000 and 100,000 waiters', async function () {
    const figures: string[] = [];
    const { run: warm } = scripts('mutex', 'warm');
    for (const script of ['release', 'renew']) await warm(script, 'one.0', '0.1');
    for (const kind of ['mutex', 'limiter'] as const) {
      const costs = [];
      for (const count of [10, 1000, 100_000]) {
        const { run, waiters } = scripts(kind, `of ${count}`);
        await waiters('one.0', count);
        const before = await spent();
        for (let i = 0; i < 100; i++) {
          await run('acquire', 'two.0', `${i}.1`, '', '');
          await run('release', 'two.0', `${i}.1`);
        }
        await run('renew', 'one.0', '');
        await run('release', 'one.0', '0.1'); // the next one is let in
        const after = await spent();
        costs.push(after.calls - before.calls);
        figures.push(`${count}: ${Math.round((after.usec - before.usec) / 202)} us`);
      }
      expect(costs, kind).to.deep.equal(Array(3).fill(costs[0]));
    }
    if (this.test) this.test.title += ` (a script: ${figures.join(', ')})`;
  });

  it('costs little where nobody else is', async () => {
    const mutex = scripts('mutex', 'alone');
    const limiter = scripts('limiter', 'alone');
    const ofEntry = async () => limiter.run('acquire', 'one.0', '0.0', 0, '');
    const ofPlace = async () => {
      await mutex.run('acquire', 'one.0', '0.1', '', '');
      await mutex.run('release', 'one.0', '0.1');
    };
    await Promise.all([ofEntry(), mutex.run('release', 'one.0', '0.1')]); // which send the scripts
    const costs = [];
    for (const operation of [ofPlace, ofEntry]) {
      const before = await spent();
      await operation();
      costs.push((await spent()).calls - before.calls);
    }
    // This one is refused. Without a time that is given it's one more, and of a place five: the times of two scripts, the ends of three keys.
    expect(costs).to.deep.equal([11, 3]);
  });

  it('ends no later than a period when the clock of the server goes back', async () => {
    const key = shop.key('throttle', 'back', 'test');
    const enter = () =>
      shop.script('guard/acquire', key, ['one.0', lease, '', 'fixed', 1, 1000, 1, '0.0', 0, '']);
    expect(await enter()).to.deep.equal([1, -1]);
    now -= 50_000;
    expect(await enter()).to.deep.equal([-1, 1000]);
    now += 1000;
    expect(await enter()).to.deep.equal([1, -1]);
  });

  it('drops the 100,000 waiters of a process that has died a few at a time', async () => {
    const { key, run, waiters } = scripts('mutex', 'dead');
    const left = () => shop.command('', 'ZCARD', `${key}:q`).then(Number);
    await waiters('dead.0', 100_000);
    now += lease + 1;
    let before = await left();
    let isIn = (await run('acquire', 'two.0', '0.1', '', ''))[0] === 1;
    let looks = 0;
    while (!isIn || looks >= 0) {
      const after = await left();
      expect(before - after).to.be.within(0, 1000);
      before = after;
      looks = await run('look', 'two.0');
      isIn ||= (await run('acquire', 'two.0', '0.1', '', ''))[0] === 1;
    }
    expect(await left()).to.equal(0);
    await run('release', 'two.0', '0.1');
    expect(await shop.command('', 'KEYS', `${key}*`)).to.deep.equal([]);
  });
});
