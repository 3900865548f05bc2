import { expect } from 'chai';
import { type RedisServer, startRedis } from '../../tools/redis/server.js';
import { run, sync } from '../src/index.js';
import { RedisConnection, RedisThrottle } from '../src/redis.js';
import { scriptOf } from '../src/redisscripts.js';
import './scripts.js';
import { type FaultyClient, faultyClient } from './faulty.js';

const processes = 5;
const each = 5;
const period = 40;

describe('processes that wait for entries over Redis', () => {
  let server: RedisServer;
  const clients: FaultyClient[] = [];
  const connections: RedisConnection[] = [];

  before(async () => {
    server = await startRedis();
    for (let i = 0; i < processes; i++) clients.push(await faultyClient(server.url));
  });
  after(async () => {
    for (const one of [...connections, ...clients]) one.close();
    await server?.stop();
  });

  it('poll nothing: one of them looks, once for each entry', async () => {
    const sent = clients.map(() => [] as string[]);
    const names = ['acquire', 'look', 'renew', 'release'];
    const shas = new Map(names.map((name) => [scriptOf(`guard/${name}`).sha, name]));
    const throttles = clients.map((client, i) => {
      client.sent = ([command, sha]) => {
        if (command === 'EVALSHA') sent[i]!.push(shas.get(sha!)!);
      };
      const shop = new RedisConnection(client, { prefix: 'shop' });
      connections.push(shop);
      return new RedisThrottle(shop, 'polled', { max: 1, period, lease: 86_400_000 });
    });
    const all: Promise<unknown>[] = [];
    for (let i = 0; i < each; i++)
      for (const throttle of throttles) all.push(run(sync(throttle, () => {})));
    await Promise.all(all);
    const count = (name: string) => sent.flat().filter((one) => one === name).length;
    // A timer that is early by a part of a millisecond looks twice. If each process looked for itself there would be five times as many.
    expect(count('look')).to.be.within(all.length / 2, 2 * all.length);
    expect(count('acquire')).to.equal(all.length);
    // Each when it hears; if one runs then, there is another one behind it.
    expect(count('renew')).to.be.at.most(2 * processes);
    expect(count('release')).to.equal(0);
  });
});
