import { expect } from 'chai';
import { createSentinel } from 'redis';
import { type RedisServer, startRedis } from '../../tools/redis/server.js';
import * as redis from '../src/redis.js';
import './scripts.js';
import { type Client, clients } from './clients.js';

const { RedisConnection, JobQueue, RedisMutex, RedisRwLock } = redis;
/** As a program without types has it. */
const entry: any = redis;

const none = (v: unknown) => v === undefined;
const noText = (v: unknown) => typeof v !== 'string';
const always = () => true;
const isNoHandler = (v: unknown) => !none(v) && !(typeof v === 'function' && v.length === 0);
const generator = function* (_asi: unknown) {};
const values = [
  undefined,
  null,
  1.5,
  'ä{',
  {},
  [],
  () => {},
  generator,
  Symbol('s'),
  Object.create(null),
];

describe('what is wrong with the arguments of steptree/redis', () => {
  let server: RedisServer;
  let client: Client;
  let shop: redis.RedisConnection;

  before(async () => {
    server = await startRedis();
    client = await clients.redis(server.url);
    shop = new RedisConnection(client.client, { prefix: 'shop' });
  });
  after(async () => {
    client?.close();
    await server?.stop();
  });

  /** Calls it with each value that is wrong: what it says then. */
  async function said(call: (v: any) => any, isWrong: (v: unknown) => boolean): Promise<string[]> {
    const all: string[] = [];
    for (const value of values.filter(isWrong))
      try {
        await call(value);
        all.push(`nothing, of ${typeof value}`);
      } catch (error: any) {
        all.push(`${error.code}: ${error.info}`);
      }
    return all;
  }

  it('is said at the call, by what is expected and what was given', async () => {
    const queue = new JobQueue(shop, 'q');
    const service = new redis.RedisService(shop, 's');
    const mutex = new RedisMutex(shop, 'm');
    const lock = new RedisRwLock(shop, 'l');
    const options: Record<string, object> = {
      RedisThrottle: { max: 1 },
      RedisLimiter: { rate: 1 },
    };
    const own: Record<string, string[]> = {
      JobQueue: ['limit'],
      RedisService: ['lease', 'patience', 'maxQueue'],
    };
    const calls: [string, (v: any) => any, (v: unknown) => boolean][] = [
      ['RedisConnection', (v) => new RedisConnection(v, { prefix: 'x' }), always],
      ['RedisConnection', (v) => new RedisConnection(client.client, { prefix: v }), always],
      ['enqueue', (v) => redis.enqueue(v, 1), always],
      ['enqueue', (v) => redis.enqueue(queue, 1, { key: v }), (v) => noText(v) && !none(v)],
      ['worker', (v) => redis.worker(v, () => {}), always],
      ['worker', (v) => redis.worker([v], () => {}), always],
      [
        'worker',
        (v) => redis.worker(queue, () => {}, { drainOn: v }),
        (v) => noText(v) && !none(v),
      ],
      [
        'serve: drainOn',
        (v) => redis.serve(service, { work: () => {} }, { drainOn: v }),
        (v) => noText(v) && !none(v),
      ],
      ['serve: handlers', (v) => redis.serve(service, v), (v) => typeof v !== 'function'],
      ['serve: work', (v) => redis.serve(service, { work: v }), isNoHandler],
      ['worker: handler', (v) => redis.worker(queue, v), (v) => none(v) || isNoHandler(v)],
      ['revive', (v) => queue.revive(v), noText],
      ['look', (v) => queue.look(v), noText],
      ['remove', (v) => queue.remove(v), noText],
      ['discard', (v) => queue.discard(v), noText],
      ['dead', (v) => queue.dead(v), (v) => !none(v)],
      ['places', (v) => mutex.places(v), always],
      ['token', (v) => mutex.token(v), always],
      ['token', (v) => lock.token(v), always],
    ];
    for (const kind of [
      'RedisMutex',
      'RedisThrottle',
      'RedisLimiter',
      'RedisRwLock',
      'JobQueue',
      'RedisService',
    ]) {
      const more = options[kind] ?? {};
      calls.push([kind, (v) => new entry[kind](v, 'n', more), always]);
      calls.push([kind, (v) => new entry[kind](shop, v, more), always]);
      const names = own[kind] ?? ['lease', 'patience', 'whenDown', 'maxQueue'];
      for (const name of names)
        calls.push([
          kind,
          (v) => new entry[kind](shop, 'n', { ...more, [name]: v }),
          (v) => !none(v) && typeof v !== 'number',
        ]);
    }
    for (const [name, call, isWrong] of calls)
      for (const text of await said(call, isWrong))
        expect(text, String(call)).to.match(
          new RegExp(`^InternalError: ${name}\\b.*expected|^InternalError: token: the line`),
        );
  });

  it('is said of a service whose calls would be lost before their patience is over', () => {
    const options = { lease: 1000, patience: 1001 };
    expect(() => new redis.RedisService(shop, 'n', options)).to.throw(
      /patience: expected the lease, 1000, at most, got 1001$/,
    );
  });

  it('is said of a client of Sentinel of the package redis, which has no such commands', () => {
    const sentinelRootNodes = [{ host: 'localhost', port: 1 }];
    const sentinel: any = createSentinel({ name: 'shop', sentinelRootNodes });
    expect(() => new RedisConnection(sentinel, { prefix: 'shop' })).to.throw(
      /^InternalError: RedisConnection: expected .* by Sentinel one of ioredis/,
    );
  });
});
