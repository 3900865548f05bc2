import { expect } from 'chai';
import {
  delay,
  type IAsyncSteps,
  run,
  type Step,
  StepError,
  step,
  steps,
  sync,
  Throttle,
} from '../src/index.js';
import { call, RedisService, type ServedCall } from '../src/redis.js';
import { Calls } from './calls.js';
import { clients } from './clients.js';
import { until } from './jobs.js';

interface Prices {
  quote(isbn: string, copies: number): { isbn: string; total: number };
  fail(text: string): void;
  nothing(): void;
}

const errorOf = (made: Promise<unknown>): Promise<any> =>
  made.then(
    () => undefined,
    (error) => error,
  );

for (const name of Object.keys(clients) as (keyof typeof clients)[]) {
  describe(`calls with the package ${name}`, () => {
    const calls = new Calls(name);

    it('leave the reply of their method, and nothing in Redis for longer than two leases', async () => {
      const prices = calls.service<Prices>();
      calls.serve(await calls.other(prices), {
        quote: (_asi, [isbn, copies]) => ({ isbn, total: 7 * copies }),
        nothing: () => undefined,
      });
      expect(await run(call(prices, 'quote', ['978', 2]))).to.deep.equal({
        isbn: '978',
        total: 14,
      });
      expect(await run(call(prices, 'nothing', []))).to.equal(undefined);
      const many = Array.from({ length: 50 }, (_, n) => run(call(prices, 'quote', ['9', n])));
      expect((await Promise.all(many)).map(({ total }) => total)).to.deep.equal(
        many.map((_, n) => 7 * n),
      );
      const left = await calls.keys(prices);
      expect(left.map((key) => key.replace(/:[-\da-f]{36}$/, ''))).to.deep.equal([
        ...[':idle', ':replies', ':seq', ':sessions'],
      ]);
      for (const key of left)
        expect(await calls.shop.command('', 'PTTL', prices.base + key)).to.be.within(1, 20_000);
    });

    it('fail as their handlers do, with code, info, causes, and a path that goes on', async () => {
      const prices = calls.service<Prices>();
      const inner = step((asi) => asi.error('NoHost', 'for 978', new Error('net'))).named('ask');
      const fail = step((asi) => void asi.add(inner)).named('shop');
      calls.serve(await calls.other(prices), { fail });
      const outer = step((asi) => void asi.add(call(prices, 'fail', ['x']))).named('page');
      const error = await errorOf(run(outer));
      expect(error).to.be.instanceOf(StepError);
      const path = `page/${prices.name}.fail/shop/ask`;
      expect(error).to.include({ code: 'NoHost', info: 'for 978', path });
      expect(error.cause.info).to.equal('net');
      const asked = call(prices, 'fail', ['x']);
      const [alone, both] = [asked.named('price'), steps(asked).named('price')];
      expect((await errorOf(run(alone))).path).to.equal('price/shop/ask');
      expect((await errorOf(run(both))).path).to.equal(`price/${prices.name}.fail/shop/ask`);
    });
  });
}

describe('calls', () => {
  const calls = new Calls();

  it('are taken in their order, so many at a time, by whoever has room', async () => {
    const service = calls.service<{ work(n: number): void }>();
    const begun: number[] = [];
    let [running, most] = [0, 0];
    const work = step<[args: [number], call: ServedCall], []>((asi, [n]) => {
      begun.push(n);
      most = Math.max(most, ++running);
      asi.defer(() => void running--);
      return delay(5);
    });
    const made = [];
    for (let n = 0; n < 20; n++) {
      made.push(run(call(service, 'work', [n])));
      await until(async () => (await calls.waiting(service)) === n + 1);
    }
    expect(await (await calls.other(service)).waiting()).to.equal(20);
    for (let i = 0; i < 2; i++) calls.serve(service, { work }, { concurrency: 2 });
    await Promise.all(made);
    expect(begun).to.deep.equal([...begun].sort((a, b) => a - b));
    expect(most).to.equal(4);
    const before = begun.length;
    await Promise.all(made.map((_, n) => run(call(service, 'work', [n])))); // they're told, as they were idle
    expect(begun.length - before).to.equal(20);
  });

  it('are refused when too many wait, or when the guard of the handler says so', async () => {
    const service = calls.service<{ work(): void }>({ maxQueue: 1 });
    const waits = run(call(service, 'work', []));
    await until(async () => (await calls.waiting(service)) === 1);
    const full = await errorOf(run(call(service, 'work', [])));
    expect(full).to.include({ code: 'DefenseRejected' });
    expect(full.info).to.equal(`service "${service.name}": 1 calls wait`);
    const throttle = new Throttle({ max: 1, period: 60_000, maxQueue: 0 });
    calls.serve(service, { work: sync(throttle, () => undefined) });
    await waits;
    const refused = await errorOf(run(call(service, 'work', [])));
    expect(refused.code).to.equal('DefenseRejected');
    expect(refused.retry_after).to.be.within(50_000, 60_000);
  });

  it('have the time that is left where they are made, and no more wherever it went', async () => {
    const service = calls.service<{ work(): number }>();
    const work = (asi: IAsyncSteps) => asi.remaining();
    const late = run(call(service, 'work', []).timeout(50));
    expect((await errorOf(late)).code).to.equal('Timeout');
    const waits = run(call(service, 'work', []).timeout(5000));
    await until(async () => (await calls.waiting(service)) === 1);
    await new Promise((resolve) => setTimeout(resolve, 200));
    calls.serve(await calls.other(service), { work });
    expect(await waits).to.be.within(3000, 4801);
    expect(await run(call(service, 'work', []))).to.equal(null); // JSON has no Infinity
    const limited = step((asi) => void asi.add(call(service, 'work', []))).timeout(1000);
    expect(await run(limited)).to.be.within(500, 1001);
  });

  it('end over there when their time is over, though nobody has cancelled them', async () => {
    const service = calls.service();
    let left = 0;
    const work = step((asi) => {
      asi.setCancel(() => void left++);
      return delay(60_000);
    });
    calls.serve(service, { work });
    const args = ['caller', 10_000, 'caller/1', 'work', '[]', 100, '', ''];
    await calls.shop.script('calls/send', service.base, args);
    const key = `${service.base}:replies:caller`;
    let reply: string | null = null;
    await until(async () => {
      reply = await calls.shop.command(key, 'HGET', key, 'caller/1');
      return reply !== null;
    });
    expect(reply).to.match(/^-\[\{"code":"Timeout"/);
    expect(left).to.equal(1);
  });

  it('bring their trace along', async () => {
    const service = calls.service<{ trace(): string }>();
    calls.serve(service, { trace: (_asi, _args, { traceparent }) => traceparent });
    const traceparent = '00-0af7651916cd43dd8448eb211c80319c-b7ad6b7169203331-01';
    expect(await run(call(service, 'trace', [], { traceparent }))).to.equal(traceparent);
    expect(await run(call(service, 'trace', [], { traceparent: () => traceparent }))).to.equal(
      traceparent,
    );
    expect(await run(call(service, 'trace', []))).to.equal('');
    const bad = run(call(service, 'trace', [], { traceparent: () => 'ff' }));
    expect((await errorOf(bad)).code).to.equal('InternalError');
    expect(() => call(service, 'trace', [], { traceparent: 'ff' })).to.throw(/traceparent/);
  });

  it('tell their server of a mistake of its handler, and of nothing that has a code', async () => {
    const told: unknown[] = [];
    const service = calls.service();
    const mistake = new TypeError('none');
    const handlers = {
      bad: step(() => {
        throw mistake;
      }).named('ask'),
      odd: () => 1n,
      net: () => {
        throw Object.assign(new Error('away'), { code: 'ECONNREFUSED' });
      },
      no: (asi: IAsyncSteps) => asi.error('NotFound'),
    };
    calls.serve(service, handlers, { report: (error) => void told.push(error) });
    const codes: string[] = [];
    for (const method of Object.keys(handlers))
      codes.push((await errorOf(run(call(service, method, [])))).code);
    expect(codes).to.deep.equal(['InternalError', 'InternalError', 'ECONNREFUSED', 'NotFound']);
    expect(told[0]).to.equal(mistake);
    expect(mistake.stack).to.match(/\n {4}at step service \d+\.bad\/ask$/);
    expect(String(told[1])).to.contain('the reply: expected what JSON can say');
    expect((told[1] as Error).stack).to.match(/\n {4}at step service \d+\.odd$/);
    expect(told).to.have.length(2);
  });

  it('warn of a mistake of a handler, with its stack, without `report`', async () => {
    const warnings: any[] = [];
    const warned = (warning: Error) => void warnings.push(warning);
    process.on('warning', warned);
    const service = calls.service();
    calls.serve(service, { bad: () => (undefined as any).price, odd: () => 1n });
    await errorOf(run(call(service, 'bad', [])));
    await errorOf(run(call(service, 'odd', [])));
    await until(() => warnings.length > 1);
    process.off('warning', warned);
    expect(warnings[0].message).to.match(/^serve: TypeError: /);
    expect(warnings[0].detail)
      .to.contain('call.test.ts')
      .and.match(/\n {4}at step service \d+\.bad\/0$/);
    expect(warnings[1].detail).to.match(/\n {4}at step service \d+\.odd$/);
  });

  it('are made once by a command that is sent twice', async () => {
    const service = calls.service();
    const args = ['caller', 1000, 'caller/1', 'work', '[]', '', '', ''];
    for (let i = 0; i < 2; i++)
      expect(await calls.shop.script('calls/send', service.base, args)).to.equal(1);
    expect(await calls.waiting(service)).to.equal(1);
    let begun = 0;
    calls.serve(service, { work: () => void begun++ });
    await until(async () => (await calls.keys(service)).includes(':replies:caller'));
    expect(await calls.shop.script('calls/send', service.base, args)).to.equal(1); // it's answered
    expect([begun, await calls.waiting(service)]).to.deep.equal([1, 0]);
  });

  it('and services refuse what is wrong before anything is sent', async () => {
    const { shop } = calls;
    const service = calls.service({ maxBytes: 10, maxDepth: 1 });
    for (const bad of [
      () => new RedisService(shop, 'a{b'),
      () => new RedisService(shop, 'a', { lease: 999 }),
      () => new RedisService(shop, 'a', { maxQueue: 0 }),
      () => new RedisService(shop, 'a', { leases: 1 } as any),
      () => call({} as RedisService, 'work', []),
      () => call(service, '', []),
      () => call(service, 'work', 'x' as any),
      () => call(service, 'work', [1n]),
      () => call(service, 'work', ['1234567']),
      () => call(service, 'work', [[]]),
      () => call(service, 'work', [], { timeout: 1 } as any),
      () => calls.serve(service, {}),
      () => calls.serve(service, { work: 'x' } as any),
      () => calls.serve(service, { work: () => 1 }, { concurrency: 0 }),
    ])
      expect(bad).to.throw(StepError).with.property('code', 'InternalError');
    expect(await calls.keys(service)).to.deep.equal([]);
  });

  it('take and leave what the type of the service says', () => {
    const prices = calls.service<Prices>();
    const quoted: Step<any, [{ isbn: string; total: number }]> = call(prices, 'quote', ['978', 1]);
    const nothing: Step<any, []> = call(prices, 'nothing', []);
    expect([quoted, nothing].every(({ with: bind }) => typeof bind === 'function')).to.equal(true);
    // @ts-expect-error there is no such method
    call(prices, 'what', []);
    // @ts-expect-error its second argument is a number
    call(prices, 'quote', ['978', '1']);
    // @ts-expect-error it takes two
    call(prices, 'quote', ['978']);
    // @ts-expect-error there is no such method
    calls.serve(prices, { what: () => 1 });
    // @ts-expect-error the first argument is a text
    calls.serve(prices, { quote: (_asi, [isbn]) => isbn * 2 });
  });
});
