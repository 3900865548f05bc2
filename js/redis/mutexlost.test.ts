import { expect } from 'chai';
import { type ChildProcess, spawn } from 'node:child_process';
import { fileURLToPath } from 'node:url';
import { type RedisServer, startRedis } from '../../tools/redis/server.js';
import { run, sync } from '../src/index.js';
import { RedisConnection, RedisMutex, type RedisMutexOptions } from '../src/redis.js';
import './scripts.js';
import { type Client, clients } from './clients.js';

const lease = 1000;
const holder = fileURLToPath(new URL('holder.ts', import.meta.url));
const pause = (ms: number) => new Promise<void>((resolve) => setTimeout(resolve, ms));

async function until(is: () => boolean): Promise<void> {
  while (!is()) await pause(5);
}

describe('a mutex over Redis, when something goes wrong', () => {
  let server: RedisServer;
  let client: Client;
  let shop: RedisConnection;
  const children: ChildProcess[] = [];
  let count = 0;

  beforeEach(async () => {
    server = await startRedis();
    client = await clients.redis(server.url);
    shop = new RedisConnection(client.client, { prefix: 'shop' });
  });
  afterEach(async () => {
    server.signal('SIGCONT');
    for (const child of children.splice(0)) child.kill('SIGKILL');
    shop.close();
    client.close();
    await server.stop();
  });

  const named = () => `m${count++}`;
  const made = (name: string, options: RedisMutexOptions = {}) =>
    new RedisMutex(shop, name, { lease, ...options });

  function started(name: string): { child: ChildProcess; said: string[] } {
    const child = spawn(process.execPath, [
      '--import',
      'tsx',
      holder,
      server.url,
      name,
      `${lease}`,
    ]);
    const said: string[] = [];
    children.push(child);
    child.stdout.setEncoding('utf8').on('data', (text) => said.push(...text.trim().split('\n')));
    return { child, said };
  }
  const held = (mutex: RedisMutex, seen: string[] = []) => {
    const code = run(
      sync(mutex, (asi) => {
        seen.push('in');
        asi.waitExternal();
      }),
    ).catch((error) => error.code);
    return { code, seen };
  };

  it('gives what a killed process had, and waited for, to others within its lease', async () => {
    const name = named();
    const one = started(name);
    await until(() => one.said.length === 2);
    const two = started(name);
    await until(() => two.said.length === 1);
    await pause(100);
    const order: string[] = [];
    const mine = run(sync(made(name), () => void order.push('mine')));
    await pause(lease + 200);
    expect(order).to.deep.equal([]);
    two.child.kill('SIGKILL');
    one.child.kill('SIGKILL');
    const killed = Date.now();
    await mine;
    expect(Date.now() - killed).to.be.below(1.5 * lease);
    expect(two.said).to.deep.equal(['asks']);
  });

  it('lets a process that was paused lose its lock when it resumes', async () => {
    const name = named();
    const one = started(name);
    await until(() => one.said.length === 2);
    one.child.kill('SIGSTOP');
    const mutex = made(name);
    let token = '';
    await run(sync(mutex, (asi) => void (token = mutex.token(asi))));
    one.child.kill('SIGCONT');
    await until(() => one.said.length === 3);
    expect(one.said[2]).to.equal('LeaseLost');
    expect(BigInt(token) > BigInt(one.said[1]!.slice(3))).to.equal(true);
  });

  it('loses its locks before the end of the lease, and fails who asks, when Redis is silent', async () => {
    const mutex = made(named());
    const seen: string[] = [];
    const section = sync(mutex, (asi) => {
      seen.push('in');
      asi.waitExternal();
    });
    const lost = run(section).catch((error) => error);
    await until(() => seen.length === 1);
    const begun = Date.now();
    server.signal('SIGSTOP');
    const failed = await run(sync(made('other', { patience: 100 }), () => {})).catch((e) => e);
    expect(failed.code).to.equal('RedisFailed');
    expect(failed.info).to.contain('no answer in time');
    const { code, guard, info } = await lost;
    expect({ code, guard, info }).to.deep.equal({
      code: 'LeaseLost',
      guard: mutex.name,
      info: `mutex '${mutex.name}': Redis has not been heard of for the time of the lease`,
    });
    expect(Date.now() - begun).to.be.below(lease);
    server.signal('SIGCONT');
    await run(sync(made('other'), () => {}));
  });

  it('waits for Redis if it is told to, and what was given without an answer comes back', async () => {
    const name = named();
    server.signal('SIGSTOP');
    const gone = made(name, { patience: 50 });
    const kept = held(gone);
    expect(await kept.code).to.equal('RedisFailed');
    const waits = run(sync(made(name, { whenDown: 'wait', patience: 50 }), () => 'in'));
    await pause(200);
    server.signal('SIGCONT');
    await waits;
    expect(kept.seen).to.deep.equal([]);
  });

  it('goes on by itself with its share if it is told to, and with Redis when that is back', async () => {
    const mutex = made(named(), { max: 5, whenDown: { local: 2 }, patience: 50 });
    server.signal('SIGSTOP');
    let active = 0;
    let most = 0;
    const order: number[] = [];
    const one = (i: number) =>
      run(
        sync(mutex, async () => {
          order.push(i);
          most = Math.max(most, ++active);
          await pause(10);
          active--;
        }),
      );
    await Promise.all([0, 1, 2, 3, 4].map(one));
    expect(most).to.equal(2);
    expect(order).to.deep.equal([0, 1, 2, 3, 4]);
    server.signal('SIGCONT');
    await pause(100);
    let token = '';
    await run(sync(mutex, (asi) => void (token = mutex.token(asi))));
    expect(token).to.match(/^\d+$/);
  });

  it('fails who asks when Redis has no memory, and renews and gives back all the same', async () => {
    const name = named();
    const mutex = made(name);
    let end = () => {};
    const mine = run(sync(mutex, () => new Promise<void>((resolve) => (end = resolve))));
    await pause(100);
    const waits = run(sync(made(name), () => {}));
    await pause(100);
    await shop.command('', 'CONFIG', 'SET', 'maxmemory', '1');
    const failed = await run(sync(made(named()), () => {})).catch((error) => error);
    expect(failed.code).to.equal('RedisFailed');
    expect(failed.info).to.contain('OOM');
    await pause(1.5 * lease);
    end();
    await Promise.all([mine, waits]);
  });
});
