import { expect } from 'chai';
import { delay, Keyed, run, step, steps, sync } from '../src/index.js';
import {
  RedisConnection,
  RedisLimiter,
  RedisRwLock,
  RedisThrottle,
  type RedisThrottleOptions,
} from '../src/redis.js';
import { type RedisServer, startRedis } from '../../tools/redis/server.js';
import './scripts.js';
import { type Client, clients } from './clients.js';

const pause = (ms: number) => new Promise<void>((resolve) => setTimeout(resolve, ms));
const lease = 1000;

describe('rates over Redis', () => {
  let server: RedisServer;
  let client: Client;
  const connections: RedisConnection[] = [];
  let count = 0;

  before(async () => {
    server = await startRedis();
    client = await clients.redis(server.url);
  });
  afterEach(() => {
    server.signal('SIGCONT');
    for (const each of connections.splice(0)) each.close();
  });
  after(async () => {
    client?.close();
    await server?.stop();
  });

  /** As of one process. */
  function connected(): RedisConnection {
    const shop = new RedisConnection(client.client, { prefix: 'shop' });
    connections.push(shop);
    return shop;
  }
  function throttles(n: number, options: RedisThrottleOptions): RedisThrottle[] {
    const name = `t${count++}`;
    return Array.from(
      { length: n },
      () => new RedisThrottle(connected(), name, { patience: 10_000, ...options }),
    );
  }
  const keysOf = ({ name }: RedisThrottle): Promise<string[]> =>
    connections[0]!.command('', 'KEYS', `*:${name}}*`);

  it('let in so many of all processes in a period, first come, first served', async () => {
    for (const algorithm of ['fixed', 'sliding', 'bucket'] as const) {
      const all = throttles(3, { max: 4, period: 100, algorithm, lease });
      const entered: number[] = [];
      const order: number[] = [];
      const ends: Promise<unknown>[] = [];
      for (let i = 0; i < 12; i++) {
        const section = sync(all[i % 3]!, () => {
          order.push(i);
          entered.push(performance.now());
        });
        ends.push(run(section));
      }
      await Promise.all(ends);
      expect([...order].sort((a, b) => a - b)).to.deep.equal(
        Array.from({ length: 12 }, (_, i) => i),
      );
      // Heard late is not let in late: only the whole can be judged.
      expect(entered[11]! - entered[0]!).to.be.above(algorithm === 'bucket' ? 170 : 150);
      for (const each of all) expect(each.waiting).to.equal(0);
    }
  });

  it('refuse who comes to a full queue, and say when to come again', async () => {
    const [a, b] = throttles(2, { max: 1, period: 60_000, maxQueue: 1 }) as [any, any];
    await run(sync(a, () => {}));
    const waits = run(sync(a, () => {}).timeout(200)).catch((error) => error.code);
    await pause(50);
    const refused = await run(sync(b, () => {})).catch((error) => error);
    expect(refused.code).to.equal('DefenseRejected');
    expect(refused.info).to.equal(`throttle '${b.name}': the queue is full`);
    expect(refused.retry_after).to.be.within(1000, 60_000);
    expect(await waits).to.equal('Timeout');
  });

  it('forget what they remember when that is over', async () => {
    const [a] = throttles(1, { max: 2, period: 400, lease }) as [RedisThrottle];
    await Promise.all([1, 2].map(() => run(sync(a, () => {}))));
    expect((await keysOf(a)).length).to.be.above(0);
    await pause(500);
    expect(await keysOf(a)).to.deep.equal([]);
    await Promise.all([1, 2, 3, 4].map(() => run(sync(a, () => {}))));
    await pause(2.2 * lease);
    expect(await keysOf(a)).to.deep.equal([]);
  });

  it('go on when the process that looks for all has gone', async () => {
    const [gone, other] = throttles(2, { max: 1, period: 100, lease }) as [any, any];
    await run(sync(gone, () => {}));
    const first = run(sync(gone, () => {}).timeout(20_000)).catch(() => {});
    await pause(20);
    // Its timers, and what it would hear, are those of a process that doesn't run.
    connections.at(-2)!.close();
    const begun = performance.now();
    await Promise.all([1, 2, 3].map(() => run(sync(other, () => {}))));
    expect(performance.now() - begun).to.be.below(2 * lease);
    await first;
  });

  it('keep a share of their own while Redis is down, if they are told to', async () => {
    const [a] = throttles(1, {
      max: 100,
      period: 60_000,
      patience: 50,
      whenDown: { local: 2 },
    }) as [RedisThrottle];
    server.signal('SIGSTOP');
    const ends = [1, 2, 3].map(() => run(sync(a, () => 'in').timeout(400)).catch((e) => e.code));
    expect(await Promise.all(ends)).to.deep.equal(['in', 'in', 'Timeout']);
  });

  it('of a limiter stand behind its places, and a nested section spends an entry only', async () => {
    const shop = connected();
    const limits = { concurrent: 2, rate: 3, period: 300 };
    const limiter = new RedisLimiter(shop, `l${count++}`, { ...limits, lease });
    const seen: number[] = [];
    const begun = performance.now();
    const inner = sync(limiter, () => void seen.push(performance.now() - begun));
    await Promise.all([1, 2].map(() => run(sync(limiter, steps(inner, delay(1))))));
    expect(seen.length).to.equal(2);
    expect(seen[0]).to.be.below(250);
    expect(seen[1]).to.be.above(250);
  });

  it('are one for each key, of which nothing stays', async () => {
    const shop = connected();
    const of = (user: string) => new RedisLimiter(shop, `user ${user}`, { concurrent: 1, lease });
    const perUser = new Keyed(of);
    let most = 0;
    const active = new Map<string, number>();
    const one = (user: string) =>
      run(
        sync(
          perUser.of(user),
          step((asi) => {
            const now = (active.get(user) ?? 0) + 1;
            active.set(user, now);
            most = Math.max(most, now);
            asi.add(delay(5)).add(() => void active.set(user, active.get(user)! - 1));
          }),
        ),
      );
    await Promise.all(['ann', 'bob', 'ann', 'bob', 'ann'].map(one));
    expect(most).to.equal(1);
    expect(perUser.size).to.equal(0);
  });

  it('and read-write locks refuse bad options', () => {
    const shop = connected();
    const bad: [new (...args: any[]) => unknown, unknown[]][] = [
      [
        RedisThrottle,
        [
          undefined,
          {},
          { max: 0 },
          { max: 1, period: 0.5 },
          { max: 1, algorithm: 'x' },
          { max: 1, algorithm: 'fixed', burst: 2 },
          { max: 1, abandoned: 'keep' },
          { max: 1, lease: 1 },
        ],
      ],
      [
        RedisLimiter,
        [
          undefined,
          {},
          { period: 7, concurrent: 1 },
          { burst: 7, concurrent: 1 },
          { concurrent: 0 },
          { rate: 0.5 },
          { concurrent: 1, whenDown: {} },
        ],
      ],
      [RedisRwLock, [null, { max: 1 }, { whenDown: { local: 1 } }, { abandoned: 1 }]],
    ];
    for (const [Kind, options] of bad)
      for (const each of options)
        expect(() => new Kind(shop, 'x', each), JSON.stringify(each)).to.throw(/^\w*: |expected/);
    expect(() => new RedisThrottle(shop, '{', { max: 1 })).to.throw('name');
  });
});
