import { expect } from 'chai';
import { type RedisServer, startRedis } from '../../tools/redis/server.js';
import { RedisConnection } from '../src/redis.js';
import './scripts.js';
import { type Client, clients } from './clients.js';

const pause = (ms: number) => new Promise<void>((resolve) => setTimeout(resolve, ms));
const noRate = ['', '', '', ''];

describe('of a guard over Redis, what the dead have', () => {
  let server: RedisServer;
  let client: Client;
  let count = 0;

  before(async () => {
    server = await startRedis();
    client = await clients.redis(server.url);
  });
  after(async () => {
    client?.close();
    await server?.stop();
  });

  /** Its scripts, which are what processes are. `now`: the time; else it's the server's, and keys expire. */
  function guard(max: number | '', lease: number, rate: readonly unknown[], now?: () => number) {
    const shop = new RedisConnection(client.client, { prefix: 'shop' }, now!);
    const key = shop.key('limiter', `l${count++}`, 'test');
    const run = (script: string, session: string, ...own: unknown[]) =>
      shop.script(`guard/${script}`, key, [session, lease, max, ...rate, ...own] as string[]);
    return {
      run,
      acquire: (session: string, ticket: string) => run('acquire', session, ticket, '', ''),
      keys: () => shop.command('', 'KEYS', `${key}*`),
    };
  }

  it('is free at once, however many died', async () => {
    let now = 1_000_000;
    const { run, acquire } = guard(300, 1000, noRate, () => now);
    for (let i = 0; i < 300; i++) await acquire(`dead.${i}`, '0.1');
    now += 1001;
    let [, looks] = await acquire('one.0', '0.300');
    while (looks >= 0) looks = await run('look', 'one.0');
    expect((await acquire('one.0', '0.300'))[0]).to.equal(1);
  });

  it('is free though nobody has come for a long time, and the rate remembers more', async () => {
    const lease = 500;
    const { run, acquire, keys } = guard(1, lease, ['fixed', 5, 60_000, 5]);
    expect((await acquire('dead.0', '0.1'))[0]).to.equal(1);
    await acquire('dead.1', '0.1');
    await pause(3 * lease);
    expect((await acquire('one.0', '0.1'))[0]).to.equal(1);
    expect((await run('release', 'one.0', '0.1'))[0]).to.equal(1);
    expect((await keys()).length).to.equal(1); // what the rate remembers
  });

  it('is free though Redis has been stopped for long', async () => {
    const lease = 200;
    const { run, acquire } = guard(1, lease, noRate);
    for (let i = 0; i < 4; i++) {
      await acquire(`dead.${i}`, '0.1');
      await pause(0.8 * lease);
      await acquire(`one.${i}`, '0.1');
      server.signal('SIGSTOP');
      await pause((1.3 + 0.1 * i) * lease);
      server.signal('SIGCONT');
      await acquire(`one.${i}`, '0.1');
      expect((await acquire(`one.${i}`, '0.1'))[0]).to.equal(1);
      await run('release', `one.${i}`, '0.1');
    }
  });

  it('is not given back by one who comes again after all', async () => {
    const lease = 500;
    const { run, acquire } = guard(1, lease, ['fixed', 50, 60_000, 50]);
    for (let i = 0; i < 2; i++) {
      await acquire(`dead.${i}`, '0.1');
      await pause((1.2 + 0.6 * i) * lease);
      await acquire(`one.${i}`, '0.1');
      expect((await run('release', `dead.${i}`, '0.1'))[0]).to.equal(0);
      expect((await run('renew', `dead.${i}`, ''))[0]).to.equal(0);
      expect((await acquire('two.0', '0.1'))[0]).to.equal(0);
      await run('release', 'two.0', '0.1');
      await run('release', `one.${i}`, '0.1');
    }
  });
});
