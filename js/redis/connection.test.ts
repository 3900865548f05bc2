import { expect } from 'chai';
import { createHash } from 'node:crypto';
import { type RedisServer, startRedis } from '../../tools/redis/server.js';
import { type RedisClient, RedisConnection } from '../src/redis.js';
import './scripts.js';
import { type Client, clients } from './clients.js';

const text = "return {KEYS[1], ARGV[1], ARGV[2], redis.call('INCR', KEYS[1] .. ':n')}";
const sha = createHash('sha1').update(text).digest('hex');
Object.assign((globalThis as any).redisScripts, { test: { text, sha } });

for (const [name, connect] of Object.entries(clients)) {
  describe(`a connection of the package ${name}`, () => {
    let server: RedisServer;
    let client: Client;
    let shop: RedisConnection;

    before(async () => {
      server = await startRedis();
      client = await connect(server.url);
      shop = new RedisConnection(client.client, { prefix: 'shop' });
    });
    after(async () => {
      shop?.close();
      client?.close();
      await server?.stop();
    });

    it('runs scripts, also when the server knows them no more', async () => {
      const key = shop.key('test', 'a', 'test');
      expect(await shop.script('test', key, ['x'])).to.deep.equal([key, '', 'x', 1]);
      expect(await shop.script('test', key, [7])).to.deep.equal([key, '', '7', 2]);
      await shop.command('', 'SCRIPT', 'FLUSH');
      const both = await Promise.all(['x', 'y'].map((text) => shop.script('test', key, [text])));
      expect(both.map((answer) => answer[3])).to.deep.equal([3, 4]);
    });

    it('gives scripts a time of its own in tests only', async () => {
      const timed = new RedisConnection(client.client, { prefix: 'timed' }, () => 42);
      expect((await timed.script('test', timed.key('test', 'a', 'test'), ['']))[1]).to.equal('42');
    });

    it('hears what is said once it listens, and looks again after a restart', async () => {
      const heard: string[] = [];
      let tell = () => {};
      const next = () => new Promise<void>((resolve) => (tell = resolve));
      const say = (what: string) => {
        heard.push(what);
        tell();
      };
      const listener = { heard: say, again: () => say('again') };
      const leave = await shop.listen('news', listener);
      let one = next();
      await shop.command('', 'PUBLISH', 'news', 'one');
      await one;
      await server.kill();
      one = next();
      await server.start();
      await one;
      expect(heard).to.deep.equal(['one', 'again']);
      one = next();
      await shop.command('', 'PUBLISH', 'news', 'two');
      await one;
      leave();
      const other = await shop.listen('other', listener);
      await shop.command('', 'PUBLISH', 'news', 'three');
      one = next();
      await shop.command('', 'PUBLISH', 'other', 'four');
      await one;
      other();
      expect(heard).to.deep.equal(['one', 'again', 'two', 'four']);
    });
  });
}

describe('a connection', () => {
  it('refuses what is no client, and one that changes keys or types', () => {
    const one: any = { status: 'ready', call() {}, duplicate() {}, options: { keyPrefix: 'a:' } };
    expect(() => new RedisConnection(one, { prefix: 'shop' })).to.throw('without keyPrefix');
    const strings = { ...one, options: { stringNumbers: true } };
    expect(() => new RedisConnection(strings, { prefix: 'shop' })).to.throw('stringNumbers');
    const buffers: any = { isOpen: true, sendCommand() {}, duplicate() {} };
    for (const own of [
      { _commandOptions: { typeMapping: {} } },
      { options: { commandOptions: { typeMapping: {} } } },
    ])
      expect(() => new RedisConnection({ ...buffers, ...own }, { prefix: 'shop' })).to.throw(
        'typeMapping',
      );
    for (const none of [undefined, null, {}, { duplicate() {} }])
      expect(() => new RedisConnection(none as any, { prefix: 'shop' })).to.throw(
        'expected a client of the package redis or ioredis, 5 or newer',
      );
  });

  it('has keys that meet those of no other application, kind or name', () => {
    const client = { status: 'ready', call() {}, duplicate() {} } as unknown as RedisClient;
    for (const prefix of ['', 'a:b', 'a{', 'a}', 'a b', 7])
      expect(() => new RedisConnection(client, { prefix: prefix as string })).to.throw('prefix');
    const shop = new RedisConnection(client, { prefix: 'shop' });
    expect(shop.key('jobs', 'mails:fast', 'test')).to.equal('{shop:jobs:mails:fast}');
    for (const bad of ['', 'a{b', 'a}b', 7])
      expect(() => shop.key('jobs', bad as string, 'test')).to.throw('test: name: expected');
  });
});
