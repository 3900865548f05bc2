import { expect } from 'chai';
import { run } from '../src/index.js';
import { call, RedisConnection, RedisService } from '../src/redis.js';
import { scriptOf } from '../src/redisscripts.js';
import { Calls } from './calls.js';
import { faultyClient } from './faulty.js';
import { until } from './jobs.js';

interface Work {
  work(n: number): number;
}

describe('the scripts of a service', () => {
  const calls = new Calls();
  const script = (
    { base }: RedisService<any>,
    name: string,
    session: string,
    ...args: (string | number)[]
  ) => calls.shop.script(`calls/${name}`, base, [session, 1000, ...args]);
  const send = (service: RedisService<any>, session: string, n: number) =>
    script(service, 'send', session, `${session}/${n}`, 'work', `[${n}]`, '', '', '');

  it('put back what was taken by an answer that never came, in its place, and nothing else', async () => {
    const service = calls.service<Work>();
    for (let n = 0; n < 4; n++) await send(service, 'caller', n);
    await script(service, 'take', 'server', 3, 100, 1);
    await script(service, 'renew', 'server', 0, 0, 'caller/1'); // it was sent before, and comes behind
    expect(await calls.waiting(service)).to.equal(1);
    await script(service, 'renew', 'server', 1, 0, 'caller/1');
    expect(await script(service, 'reply', 'server', 'caller/0', '+1')).to.equal(0);
    expect(await script(service, 'reply', 'server', 'caller/1', '+1')).to.equal(1);
    const [taken] = await script(service, 'take', 'other', 9, 100, 1);
    expect(taken.map(([id]: [string]) => id)).to.deep.equal(['caller/0', 'caller/2', 'caller/3']);
    await script(service, 'putback', 'other', 'caller/2', 'caller/1', 'nothing');
    expect(await calls.waiting(service)).to.equal(1);
  });

  it('ignore what a server says of a call that is not its own any more', async () => {
    const service = calls.service<Work>();
    await send(service, 'caller', 0);
    await script(service, 'take', 'server', 1, 100, 1);
    const key = `${service.base}:sessions`;
    await calls.shop.command(key, 'ZADD', key, '1', 'server'); // its lease is over
    const [, , said] = await script(service, 'renew', 'caller', '', 0, 'caller/0');
    expect(said[0]).to.equal('caller/0');
    expect(said[1]).to.match(/^-\[.*CallLost/);
    expect(await script(service, 'reply', 'server', 'caller/0', '+1')).to.equal(0);
    const [, , again] = await script(service, 'renew', 'caller', '', 1, 'caller/0', 'caller/0');
    expect(again).to.deep.equal(['caller/0', '']);
  });

  it('drop 100,000 calls of a caller that has died a few at a time', async () => {
    const service = calls.service<Work>({ lease: 60_000 });
    const count = 100_000;
    for (let n = 0; n < count; n += 1000)
      await Promise.all(Array.from({ length: 1000 }, (_, i) => send(service, 'dead', n + i)));
    const key = `${service.base}:sessions`;
    await calls.shop.command(key, 'ZADD', key, '1', 'dead');
    await calls.shop.command('', 'CONFIG', 'RESETSTAT');
    calls.serve(service, { work: (_asi, [n]) => n });
    expect(await run(call(service, 'work', [1]))).to.equal(1);
    await until(async () => (await calls.waiting(service)) === 0);
    const stats: string = await calls.shop.command('', 'INFO', 'commandstats');
    const scripts = Number(stats.match(/cmdstat_evalsha:calls=(\d+)/)![1]);
    expect(scripts).to.be.within(count / 500, count / 500 + 50);
    expect(
      (await calls.keys(service)).filter((key) => /^:(call|has|queue)/.test(key)),
    ).to.deep.equal([]);
  });

  /** How many calls each script cancels when 1100 of them are left in that way. */
  async function cancelled(leave: (shop: RedisConnection, stop: AbortController) => void) {
    const client = await faultyClient(calls.server.url);
    const counts: number[] = [];
    const { sha } = scriptOf('calls/cancel');
    client.sent = (args) => args[1] === sha && counts.push(args.length - 7);
    const shop = new RedisConnection(client, { prefix: 'shop' });
    const service = new RedisService<Work>(shop, calls.service().name);
    const stop = new AbortController();
    const { signal } = stop;
    const made = Array.from({ length: 1100 }, () =>
      run(call(service, 'work', [1]), { signal }).catch(() => {}),
    );
    await until(async () => (await calls.waiting(service)) === 1100);
    await shop.command('', 'PING'); // the answers to all that was sent before are here, too
    leave(shop, stop);
    await Promise.all(made);
    await until(async () => (await calls.waiting(service)) === 0);
    shop.close();
    client.close();
    return counts;
  }

  it('cancel some hundred calls at most', async () => {
    expect(await cancelled((shop) => shop.close())).to.deep.equal([500, 500, 100]);
  });

  it('cancel each of many calls that are left once', async () => {
    const counts = await cancelled((_shop, stop) => stop.abort());
    expect(counts.reduce((all, one) => all + one, 0)).to.equal(1100);
  });
});
