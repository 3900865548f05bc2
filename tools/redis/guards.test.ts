import { expect } from 'chai';
import { type ChildProcess, spawn } from 'node:child_process';
import { once } from 'node:events';
import { createInterface } from 'node:readline';
import { fileURLToPath } from 'node:url';
import { type Client, clients } from '../../js/redis/clients.js';
import '../../js/redis/scripts.js';
import { delay, type Guard, run, step, sync } from '../../js/src/index.js';
import { RedisConnection, RedisLimiter, RedisMutex } from '../../js/src/redis.js';
import { type RedisServer, startRedis } from './server.js';

const program = fileURLToPath(
  new URL('../../build/dev/cpp/steptree-redis-guards', import.meta.url),
);
const options = { lease: 1000, patience: 20_000 };
const pause = (ms: number) => new Promise<void>((resolve) => setTimeout(resolve, ms));

/** A section that was in, by the clock of the machine. */
interface Stay {
  readonly who: string;
  readonly token: bigint;
  readonly from: bigint;
  to: bigint;
}

describe('guards of processes in JavaScript and C++', function () {
  this.timeout(60_000);
  let server: RedisServer;
  let client: Client;
  let shop: RedisConnection;
  let stays: Stay[] = [];
  const children: ChildProcess[] = [];
  let count = 0;

  before(async () => {
    server = await startRedis();
    client = await clients.redis(server.url);
    shop = new RedisConnection(client.client, { prefix: 'shop' });
  });
  beforeEach(() => void (stays = []));
  afterEach(() => {
    for (const child of children.splice(0)) child.kill('SIGKILL');
  });
  after(async () => {
    shop?.close();
    client?.close();
    await server?.stop();
  });

  const inCpp = (who: string, kind: string, name: string, sections: number, ms: number) => {
    const args = [server.port, kind, name, sections, ms].map(String);
    const child = spawn(program, args, { stdio: ['ignore', 'pipe', 'inherit'] });
    children.push(child);
    createInterface(child.stdout!).on('line', (line) => {
      const [what, ...more] = line.split(' ') as [string, ...string[]];
      if (what === 'in') {
        const [token, from] = more.map(BigInt) as [bigint, bigint];
        stays.push({ who, token, from, to: 0n });
      } else {
        const stay = stays.find((each) => each.who === who && each.to === 0n)!;
        stay.to = BigInt(more[0]!);
      }
    });
    return child;
  };
  const ended = async (child: ChildProcess) => expect((await once(child, 'close'))[0]).to.equal(0);
  const inJs = (who: string, guard: Guard, ms: number) => {
    const body = step((asi) => {
      const token = guard instanceof RedisMutex ? BigInt(guard.token(asi)) : 0n;
      const stay = { who, token, from: process.hrtime.bigint(), to: 0n };
      stays.push(stay);
      asi.add(delay(ms)).add(() => void (stay.to = process.hrtime.bigint()));
    });
    return run(sync(guard, body));
  };
  const waiting = async (name: string, wanted: number) => {
    const key = `{shop:mutex:${name}}:q`;
    while (Number(await shop.command(key, 'ZCARD', key)) !== wanted) await pause(2);
  };
  /** How many were in at a time. Each that stays beside a first one is in when that comes, or comes later. */
  const most = () =>
    Math.max(
      ...stays.map(({ from }) => stays.filter((at) => at.from <= from && from < at.to).length),
    );

  it('are one mutex: never two are in, and tokens grow in that order', async () => {
    const name = `g${count++}`;
    const mutex = new RedisMutex(shop, name, options);
    const cpp = ['a', 'b'].map((who) => ended(inCpp(who, 'mutex', name, 20, 3)));
    for (let i = 0; i < 20; i++) await inJs('js', mutex, 3);
    await Promise.all(cpp);
    expect(stays.length).to.equal(60);
    expect(most()).to.equal(1);
    const order = [...stays].sort((one, two) => Number(one.from - two.from));
    const byToken = [...stays].sort((one, two) => Number(one.token - two.token));
    expect(byToken).to.deep.equal(order);
  });

  it('are one limiter: as many are in as may be, and enter in a period', async () => {
    const name = `g${count++}`;
    const limiter = new RedisLimiter(shop, name, {
      ...options,
      concurrent: 2,
      rate: 10,
      period: 100,
    });
    const cpp = ended(inCpp('a', 'limiter', name, 20, 2));
    const js = Array.from({ length: 20 }, () => inJs('js', limiter, 2));
    await Promise.all([...js, cpp]);
    expect(stays.length).to.equal(40);
    expect(most()).to.be.within(1, 2);
    const times = stays.map(({ from }) => from).sort((one, two) => Number(one - two));
    expect(Number(times.at(-1)! - times[0]!) / 1e6).to.be.above(250);
  });

  it('let in who has come first, and go on when who is in is killed', async () => {
    const name = `g${count++}`;
    const mutex = new RedisMutex(shop, name, options);
    const holder = inCpp('holder', 'mutex', name, 1, 60_000);
    while (stays.length === 0) await pause(2);
    const ends: Promise<unknown>[] = [];
    for (const who of ['1 js', '2 cpp', '3 js', '4 cpp']) {
      ends.push(who.endsWith('js') ? inJs(who, mutex, 1) : ended(inCpp(who, 'mutex', name, 1, 1)));
      await waiting(name, ends.length);
    }
    expect(stays.length).to.equal(1);
    holder.kill('SIGKILL');
    const killed = performance.now();
    await Promise.all(ends);
    expect(performance.now() - killed).to.be.below(2500);
    const order = stays.slice(1).sort((one, two) => Number(one.from - two.from));
    expect(order.map(({ who }) => who)).to.deep.equal(['1 js', '2 cpp', '3 js', '4 cpp']);
    expect(most()).to.equal(1);
  });

  it('that a process in JavaScript has lost go to one in C++', async () => {
    const name = `g${count++}`;
    const mutex = new RedisMutex(shop, name, options);
    const held = inJs('js', mutex, 60_000).catch((error) => error.code);
    while (stays.length === 0) await pause(2);
    const cpp = ended(inCpp('cpp', 'mutex', name, 1, 1));
    await waiting(name, 1);
    await shop.command('', 'FLUSHALL');
    expect(await held).to.equal('LeaseLost');
    await cpp;
    expect(stays[1]!.token > stays[0]!.token).to.equal(true);
  });
});
