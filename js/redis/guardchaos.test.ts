import { expect } from 'chai';
import { type RedisServer, startRedis } from '../../tools/redis/server.js';
import { delay, type Guard, run, step, sync } from '../src/index.js';
import { RedisConnection, RedisLimiter, RedisMutex, RedisRwLock } from '../src/redis.js';
import { chanceOf } from '../test/chance.js';
import './scripts.js';
import { type FaultyClient, faultyClient } from './faulty.js';

const lease = 2000;
const seconds = Number(process.env['STEPTREE_SECONDS'] ?? 10);
const seed = Number(process.env['STEPTREE_SEED'] ?? Date.now() % 100_000);
const all = 1000;
const pause = (ms: number) => new Promise<void>((resolve) => setTimeout(resolve, ms));

/** Sections of one kind: how many places are taken, and how many there are. */
interface Kind {
  readonly max: number;
  used: number;
}

describe('guards over Redis by the thousand sections', function () {
  this.timeout(120_000 + 5000 * seconds);
  const clients: FaultyClient[] = [];
  const connections: RedisConnection[] = [];
  let server: RedisServer;

  before(async () => {
    server = await startRedis('--appendonly', 'yes', '--appendfsync', 'always');
    for (let i = 0; i < 5; i++) clients.push(await faultyClient(server.url));
    for (const one of clients) connections.push(new RedisConnection(one, { prefix: 'shop' }));
  });
  after(async () => {
    for (const one of [...connections, ...clients]) one.close();
    await server?.stop();
  });

  it('let in no more than they may, and everybody, whatever fails for less than a lease', async () => {
    const chance = chanceOf(seed);
    const kinds = {
      mutex: { max: 3, used: 0 },
      lock: { max: all, used: 0 },
      limiter: { max: 2, used: 0 },
    };
    const tooMany: string[] = [];
    let served = 0;
    let isOver = false;
    const section = (kind: Kind, guard: Guard, places: number) =>
      sync(
        guard,
        step((asi) => {
          kind.used += places;
          if (kind.used > kind.max) tooMany.push(`${kind.used} of ${kind.max}`);
          asi.defer(() => void (kind.used -= places));
          asi.add(delay(chance(20)));
        }),
      );
    const flows = connections.slice(1).map((shop) => {
      const options = { lease, whenDown: 'wait', patience: 100 } as const;
      const mutex = new RedisMutex(shop, 'm', { ...options, max: 3 });
      const lock = new RedisRwLock(shop, 'l', options);
      const rate = { concurrent: 2, rate: 200, period: 100 };
      const limiter = new RedisLimiter(shop, 'r', { ...options, ...rate });
      const one = () => {
        const places = 1 + chance(3);
        if (chance(3) === 0) return section(kinds.limiter, limiter, 1);
        if (chance(2) === 0) return section(kinds.mutex, mutex.places(places), places);
        if (places === 1) return section(kinds.lock, lock.write, all);
        return section(kinds.lock, lock.read, 1);
      };
      return Promise.all(
        Array.from({ length: 6 }, async () => {
          while (!isOver) {
            const next = chance(3) === 0 ? one().timeout(1 + chance(60)) : one();
            const code = await run(next).catch((error) => error.code);
            if (code === undefined) served++;
            else if (code !== 'Timeout') tooMany.push(code);
            await pause(chance(10));
          }
        }),
      );
    });
    const admin = connections[0]!;
    const fault = async (): Promise<unknown> => {
      const client = clients[1 + chance(4)]!;
      const which = chance(6);
      if (which < 2) client.answers = which === 0 ? 'lose' : 'drop';
      if (which === 2)
        await admin.command(
          '',
          'CLIENT',
          'KILL',
          'TYPE',
          chance(2) ? 'pubsub' : 'normal',
          'SKIPME',
          'yes',
        );
      if (which === 3) await admin.command('', 'SCRIPT', 'FLUSH');
      if (which === 4) server.signal('SIGSTOP');
      if (which === 5) await server.kill();
      await pause(chance(150));
      client.answers = 'pass';
      server.signal('SIGCONT');
      return which === 5 ? server.start() : undefined;
    };
    const end = Date.now() + 1000 * seconds;
    while (Date.now() < end) {
      await fault().catch(() => {});
      await pause(50 + chance(250));
    }
    isOver = true;
    await Promise.all(flows);
    if (this.tests[0]) this.tests[0].title += ` (${served} sections)`;
    expect(tooMany, `STEPTREE_SEED=${seed} npm run test:deep -- "Redis under load"`).to.deep.equal(
      [],
    );
    const keys = () => admin.command('', 'KEYS', '*');
    const gone = Date.now() + 3 * lease;
    while ((await keys()).length > 0 && Date.now() < gone) await pause(50);
    expect(await keys()).to.deep.equal([]);
  });
});
