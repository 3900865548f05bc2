import { expect } from 'chai';
import { type RedisServer, startRedis } from '../../tools/redis/server.js';
import { type Guard, Limiter, Mutex, RwLock, Throttle, VirtualTool } from '../src/index.js';
import {
  type RedisConnection,
  RedisLimiter,
  RedisMutex,
  RedisRwLock,
  RedisThrottle,
} from '../src/redis.js';
import './scripts.js';
import { type Client, clients } from './clients.js';
import { programOf, second, start } from './program.js';
import { VirtualRedis } from './virtual.js';

/** What a section may lock: of a guard of this process, and of one over Redis. */
interface Kind {
  local(name: string): (which: number) => Guard;
  remote(shop: RedisConnection, name: string): (which: number) => Guard;
}

const lease = 86_400_000;
const period = second;
const maxQueue = 6;
const places = { max: 3, maxQueue };
const severalOf = (mutex: Mutex | RedisMutex) => (which: number) =>
  which < 8 ? mutex : mutex.places(1 + (which % 3));
const sideOf = (lock: RwLock | RedisRwLock) => (which: number) =>
  which < 8 ? lock.read : lock.write;

const limiter = (options: object): Kind => ({
  local(name) {
    const guard = new Limiter({ maxQueue, ...options, name });
    return () => guard;
  },
  remote(shop, name) {
    const guard = new RedisLimiter(shop, name, { maxQueue, lease, ...options });
    return () => guard;
  },
});
const throttle = (options: object): Kind => ({
  local(name) {
    const guard = new Throttle({ max: 4, period, maxQueue, ...options, name });
    return () => guard;
  },
  remote(shop, name) {
    const guard = new RedisThrottle(shop, name, { max: 4, period, maxQueue, lease, ...options });
    return () => guard;
  },
});

const kinds: Readonly<Record<string, Kind>> = {
  'a mutex': {
    local: (name) => severalOf(new Mutex({ ...places, name })),
    remote: (shop, name) => severalOf(new RedisMutex(shop, name, { ...places, lease })),
  },
  'a read-write lock': {
    local: (name) => sideOf(new RwLock({ maxQueue, name })),
    remote: (shop, name) => sideOf(new RedisRwLock(shop, name, { maxQueue, lease })),
  },
  'a throttle by windows': throttle({ algorithm: 'fixed' }),
  'a sliding throttle': throttle({ algorithm: 'sliding' }),
  'a throttle with a bucket': throttle({ max: 3, burst: 2 }),
  'a limiter': limiter({ concurrent: 3, rate: 5, period }),
  'a limiter with a burst': limiter({ concurrent: 2, rate: 4, period, burst: 3 }),
  'a limiter of places': limiter({ concurrent: 2 }),
  'a limiter of entries': limiter({ rate: 4, period }),
};

/** At one and the same time branches may go on in any order. */
const sorted = (lines: string[]) => [...lines].sort();

const programs = Number(process.env['STEPTREE_PROGRAMS'] ?? 2);
const only = process.env['STEPTREE_SEED'];
const seeds = only ? [Number(only)] : Array.from({ length: programs }, (_, i) => i + 1);

for (const [kind, { local, remote }] of Object.entries(kinds))
  describe(`${kind} over Redis and one of this process`, function () {
    this.timeout(60_000 + 5000 * programs);
    let server: RedisServer;
    let client: Client;

    before(async () => {
      server = await startRedis();
      client = await clients.redis(server.url);
    });
    after(async () => {
      client?.close();
      await server?.stop();
    });

    it('let in at the same times, with the same errors', async () => {
      for (const seed of seeds) {
        const name = `${kind} ${seed}`;
        const program = programOf(seed);
        const tool = new VirtualTool();
        const guardOf = local(name);
        const expected = start(program, tool, (_flow, which) => guardOf(which));
        await tool.run();
        const redis = new VirtualRedis(client);
        const processes = [0, 1, 2].map(() => remote(redis.shop, name));
        const seen = start(program, redis.tool, (flow, which) => processes[flow % 3]!(which));
        await redis.run();
        redis.close();
        expect(seen.map(sorted), `STEPTREE_SEED=${seed} npm test -- Redis`).to.deep.equal(
          expected.map(sorted),
        );
      }
    });
  });
