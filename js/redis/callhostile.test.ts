import { expect } from 'chai';
import { run } from '../src/index.js';
import {
  call,
  type RedisService,
  type RedisServiceOptions,
  type ServedCall,
} from '../src/redis.js';
import { Calls } from './calls.js';
import { until } from './jobs.js';

interface Work {
  work(value: unknown): unknown;
}

describe('what anybody has written into a service', () => {
  const calls = new Calls();
  const send = ({ base }: RedisService<any>, ...args: (string | number)[]) =>
    calls.shop.script('calls/send', base, ['caller', 10_000, ...args]);

  /** The reply to a call that is written so; one behind it has to be answered. */
  async function reply(
    method: string,
    args: string,
    options: RedisServiceOptions = {},
  ): Promise<string> {
    const service = calls.service<Work>(options);
    const begun: unknown[] = [];
    const accepts = ([value]: readonly unknown[]) => value !== 'bad';
    await send(service, 'caller/1', method, args, '', '', '');
    const work = (_asi: unknown, [value]: [unknown]) => void begun.push(value);
    calls.serve(service, { work }, { accepts });
    await run(call(service, 'work', ['good']));
    expect(begun).to.deep.equal(['good']);
    const key = `${service.base}:replies:caller`;
    return calls.shop.command(key, 'HGET', key, 'caller/1');
  }

  const failure = (code: string, info: string) => `-${JSON.stringify([{ code, info, path: '' }])}`;

  it('is answered with UnknownMethod if there is no such method', async () => {
    for (const method of ['what', '__proto__', 'constructor', '', 'work\0'])
      expect(await reply(method, '[]')).to.match(/^-\[{"code":"UnknownMethod","info":"service /);
  });

  it('is answered with InvalidCall if its arguments are none for the method', async () => {
    for (const text of ['', '{', 'NaN', '[1}', '\u0000'])
      expect(await reply('work', text)).to.equal(
        failure('InvalidCall', 'the list of arguments is no JSON'),
      );
    for (const text of ['{}', '1', 'null', '"x"'])
      expect(await reply('work', text)).to.equal(
        failure('InvalidCall', 'the arguments are no list'),
      );
    for (const depth of [4, 100_000])
      expect(await reply('work', '['.repeat(depth) + ']'.repeat(depth), { maxDepth: 3 })).to.equal(
        failure('InvalidCall', 'the list of arguments is more than 3 levels deep'),
      );
    expect(await reply('work', '["bad"]')).to.equal(
      failure('InvalidCall', 'the method does not accept the arguments'),
    );
    const long = JSON.stringify(['x'.repeat(99)]);
    expect(JSON.parse((await reply('work', long, { maxBytes: 100 })).slice(1))).to.deep.equal([
      { code: 'InvalidCall', info: 'its arguments have 103 bytes', path: '' },
    ]);
  });

  it('is taken if its arguments have as many bytes as are allowed, whatever its method is called', async () => {
    const service = calls.service<Work>({ maxBytes: 100 });
    calls.serve(service, { work: () => 'good' });
    const value = 'x'.repeat(96);
    expect(JSON.stringify([value])).to.have.length(100);
    expect(await run(call(service, 'work', [value]))).to.equal('good');
  });

  it('is answered with InvalidCall if its method is very long, and has no trace if that is', async () => {
    const [refused] = JSON.parse((await reply('x'.repeat(65_537), '[]')).slice(1));
    expect(refused).to.include({ code: 'InvalidCall', info: 'its method has 65537 bytes' });
    const service = calls.service<Work>();
    const traces: string[] = [];
    await send(service, 'caller/1', 'work', '[]', '', 'x'.repeat(513), '');
    const work = (_asi: unknown, _args: unknown, { traceparent }: ServedCall) =>
      void traces.push(traceparent);
    calls.serve(service, { work });
    await until(() => traces.length === 1);
    expect(traces).to.deep.equal(['']);
  });

  it('stops nothing if it is no call at all', async () => {
    const service = calls.service<Work>();
    const { base } = service;
    const write = (...args: string[]) => calls.shop.command(base, ...args);
    await send(service, 'caller/1', 'work', '[]', '', '', '');
    await write('SET', `${base}:call:text`, 'no hash');
    await write(
      'HSET',
      `${base}:call:caller/2`,
      'method',
      'work',
      'args',
      '[1]',
      'deadline',
      'soon',
    );
    for (const id of ['nowhere', 'text', 'caller/2', 'caller/3', ' ', '/'])
      await write('ZADD', `${base}:queue`, '0', id);
    await write('PUBLISH', `${base}:to:nobody`, 'x');
    calls.serve(service, { work: (_asi, [value]) => value });
    expect(await run(call(service, 'work', [1]))).to.equal(1);
    await until(async () =>
      (await calls.keys(service)).every((key) => !/^:(queue|call)/.test(key)),
    );
  });

  it('stops neither a caller nor a server that is told it', async () => {
    const service = calls.service<Work>();
    const { base } = service;
    let go = () => {};
    const goes = new Promise<void>((resolve) => (go = resolve));
    const server = calls.serve(service, { work: () => goes.then(() => 'good') });
    const made = run(call(service, 'work', [] as any));
    await until(() => server.size === 1);
    const sessions = await calls.shop.command(base, 'ZRANGE', `${base}:sessions`, '0', '-1');
    for (const session of sessions)
      for (const text of ['', 'x', ' ', 'x -', 'x/1 +{', '\u0000', 'x'.repeat(100_000)])
        await calls.shop.command(base, 'PUBLISH', `${base}:to:${session}`, text);
    go();
    expect(await made).to.equal('good');
  });

  it('is a reply only if it is one', async () => {
    const service = calls.service<Work>({ maxDepth: 2 });
    const server = calls.serve(service, { work: () => new Promise(() => {}) });
    const { base } = service;
    const answered = async (text: string): Promise<string> => {
      const made: Promise<any> = run(call(service, 'work', [1])).catch((error) => error);
      await until(() => server.size > 0);
      const [key]: string[] = await calls.shop.command('', 'KEYS', `${base}:call:*`);
      const id = key!.slice(`${base}:call:`.length);
      await calls.shop.command(base, 'PUBLISH', `${base}:to:${id.split('/')[0]}`, `${id} ${text}`);
      const { code, info } = await made;
      await calls.shop.command('', 'DEL', key!);
      return `${code}: ${info}`;
    };
    expect(await answered('+{')).to.equal('InternalError: the reply is no JSON');
    expect(await answered('+[[[]]]')).to.equal(
      'InternalError: the reply is more than 2 levels deep',
    );
    for (const text of ['-', '-{', '-[]', '-[1]', 'x'])
      expect(await answered(text)).to.equal('InternalError: the reply is none');
    expect(await answered('-[{}]')).to.equal('InternalError: ');
    for (const text of [
      '-[{"code":7,"info":{},"path":[],"retry_after":"x"}]',
      '-[{"code":{"toString":1},"info":{"toString":1},"path":{"toString":1}}]', // it's no text for JavaScript, either
    ])
      expect(await answered(text)).to.equal('InternalError: ');
  });

  it('fails the call if the reply of a handler is too large or no JSON', async () => {
    const service = calls.service<Work>({ maxBytes: 20 });
    calls.serve(service, { work: (_asi, [value]) => (value === 1 ? 1n : 'x'.repeat(99)) });
    for (const value of [1, 2]) {
      const error: any = await run(call(service, 'work', [value])).catch((error) => error);
      expect(error.code).to.equal('InternalError');
      expect(error.info).to.match(/^the reply: /);
    }
  });
});
