import { expect } from 'chai';
import { type RedisServer, startRedis } from '../../tools/redis/server.js';
import { AsyncSteps, type IAsyncSteps, Mutex, run, step, sync, delay } from '../src/index.js';
import { RedisConnection, RedisMutex, type RedisMutexOptions } from '../src/redis.js';
import './scripts.js';
import { type Client, clients } from './clients.js';

for (const [name, connect] of Object.entries(clients)) {
  describe(`a mutex over Redis by ${name}`, () => {
    let server: RedisServer;
    let client: Client;
    const connections: RedisConnection[] = [];
    let count = 0;

    before(async () => {
      server = await startRedis();
      client = await connect(server.url);
    });
    after(async () => {
      for (const each of connections) each.close();
      client?.close();
      await server?.stop();
    });

    /** As of one process each. */
    function mutexes(n: number, options: RedisMutexOptions = {}): RedisMutex[] {
      const named = `m${count++}`;
      return Array.from({ length: n }, () => {
        const shop = new RedisConnection(client.client, { prefix: 'shop' });
        connections.push(shop);
        return new RedisMutex(shop, named, options);
      });
    }
    const keys = () => client.client as any;
    const allKeys = async (): Promise<string[]> =>
      name === 'redis' ? keys().sendCommand(['KEYS', '*']) : keys().call('KEYS', '*');

    it('tokens grow though nobody was in between, and nobody listens at the end', async () => {
      const [a, b] = mutexes(2) as [RedisMutex, RedisMutex];
      const tokens: string[] = [];
      const body = (guard: RedisMutex) => sync(guard, (asi) => void tokens.push(guard.token(asi)));
      for (let i = 0; i < 100; i++) await run(body(i % 2 ? a : b));
      const numbers = tokens.map(Number);
      for (let i = 1; i < 100; i++) expect(numbers[i]).to.be.above(numbers[i - 1]!);
      await Promise.all([a, b, a, b].map((guard) => run(sync(guard, delay(2)))));
      const channels = async () =>
        name === 'redis'
          ? keys().sendCommand(['PUBSUB', 'CHANNELS'])
          : keys().call('PUBSUB', 'CHANNELS');
      while ((await channels()).length > 0) await run(delay(5));
    });

    const servesAll = async (max: number) => {
      const [a, b] = mutexes(2, { max }) as [RedisMutex, RedisMutex];
      let active = 0;
      let most = 0;
      const order: number[] = [];
      const tokens: bigint[] = [];
      const one = (mutex: RedisMutex, i: number) =>
        sync(mutex, (asi) => {
          order.push(i);
          tokens.push(BigInt(mutex.token(asi)));
          most = Math.max(most, ++active);
          asi.add(delay(2)).add(() => void active--);
        });
      const runs: Promise<unknown>[] = [];
      for (let i = 0; i < 40; i++) {
        runs.push(run(one(i % 3 === 0 ? a : b, i)));
        if (i % 5 === 0) await new Promise((resolve) => setTimeout(resolve, 1));
      }
      await Promise.all(runs);
      expect(most).to.equal(max);
      expect(order.length).to.equal(40);
      const sorted = [...tokens].sort((x, y) => Number(x - y));
      if (max === 1) expect(sorted).to.deep.equal(tokens);
      expect(new Set(tokens).size).to.equal(40);
      expect(a.waiting + b.waiting).to.equal(0);
    };
    it('lets in so many of all processes, first come, first served', async () => {
      await servesAll(1);
      await servesAll(3);
    });

    it('a waiter that is cancelled or times out leaves the queue, and nothing is left at the end', async () => {
      const [a, b] = mutexes(2) as [RedisMutex, RedisMutex];
      const holder = new AsyncSteps();
      let release: any;
      holder.sync(a, (asi) => void (release = asi.waitExternal())).execute();
      while (release === undefined) await new Promise((resolve) => setTimeout(resolve, 1));
      const codes: string[] = [];
      const waits = (ms: number) =>
        run(sync(b, () => codes.push('in')).timeout(ms)).catch((error) => codes.push(error.code));
      await Promise.all([waits(20), waits(40)]);
      expect(codes).to.deep.equal(['Timeout', 'Timeout']);
      const last = run(sync(b, () => {}));
      await new Promise((resolve) => setTimeout(resolve, 20));
      release.success();
      await last;
      await new Promise((resolve) => setTimeout(resolve, 50));
      expect(await allKeys()).to.deep.equal([]);
    });

    it('a line that is in enters again, a branch of it gets Deadlock', async () => {
      const [a] = mutexes(1) as [RedisMutex];
      const seen: string[] = [];
      const inner = sync(a, () => void seen.push('inner'));
      await run(
        sync(a, (asi) => {
          asi.add(inner);
          asi
            .parallel((branch, code) => {
              seen.push(code);
              branch.success();
            })
            .add((branch: IAsyncSteps) => void branch.add(inner));
        }),
      );
      expect(seen).to.deep.equal(['inner', 'Deadlock']);
    });

    it('refuses who comes to a full queue', async () => {
      const [a, b] = mutexes(2, { maxQueue: 1 }) as [RedisMutex, RedisMutex];
      const ends = [a, b, a, b].map(async (each) => {
        await run(sync(each, step(delay(20)))).catch((error) => {
          throw error;
        });
      });
      const results = await Promise.allSettled(ends);
      const refused = results.filter(({ status }) => status === 'rejected') as any[];
      expect(refused.map(({ reason }) => reason.code)).to.deep.equal(
        Array(2).fill('DefenseRejected'),
      );
      expect(refused[0].reason.guard).to.equal(`m${count - 1}`);
    });

    it('what Redis has forgotten is lost, the token grows all the same', async () => {
      const [a, b] = mutexes(2, { lease: 1000 }) as [RedisMutex, RedisMutex];
      const tokens: bigint[] = [];
      const held = run(
        sync(a, (asi) => {
          tokens.push(BigInt(a.token(asi)));
          asi.waitExternal();
        }),
      ).catch((error) => error.message);
      while (tokens.length === 0) await new Promise((resolve) => setTimeout(resolve, 1));
      await (name === 'redis' ? keys().sendCommand(['FLUSHALL']) : keys().call('FLUSHALL'));
      expect(await held).to.equal(
        `LeaseLost: mutex '${a.name}': Redis does not know the place any more`,
      );
      await run(sync(b, (asi) => void tokens.push(BigInt(b.token(asi)))));
      expect(tokens[1]! > tokens[0]!).to.equal(true);
    });

    it('an abandoned promise keeps its place, and that is renewed', async () => {
      const [a, b] = mutexes(2, { lease: 1000 }) as [RedisMutex, RedisMutex];
      let settle = () => {};
      const section = sync(a, () => new Promise<void>((resolve) => (settle = resolve)));
      const code = await run(section.timeout(50)).catch((error) => error.code);
      expect(code).to.equal('Timeout');
      let isIn = false;
      const other = run(sync(b, () => void (isIn = true)));
      await new Promise((resolve) => setTimeout(resolve, 1500));
      expect(isIn).to.equal(false);
      settle();
      await other;
    });
  });
}

describe('a mutex over Redis', () => {
  it('refuses bad options, and has no token without a place', async () => {
    const client = { status: 'ready', call() {}, duplicate() {} } as any;
    const shop = new RedisConnection(client, { prefix: 'shop' });
    const bad: unknown[] = [
      { max: 0 },
      { max: 1.5 },
      { maxQueue: -1 },
      { lease: 10 },
      { lease: Number.NaN },
      { patience: 0 },
      { whenDown: 'x' },
      { whenDown: { local: 0 } },
      { whenDown: null },
      { abandoned: 'x' },
      { places: 1 },
      null,
    ];
    for (const each of bad)
      expect(() => new RedisMutex(shop, 'm', each as any)).to.throw('RedisMutex');
    expect(() => new RedisMutex(shop, '', {})).to.throw('name');
    const mutex = new RedisMutex(shop, 'm');
    const codes: string[] = [];
    await run(
      step((asi) => {
        try {
          mutex.token(asi);
        } catch (error: any) {
          codes.push(error.code);
        }
      }),
    );
    expect(codes).to.deep.equal(['InternalError']);
    expect(mutex).to.not.be.instanceOf(Mutex);
  });
});
