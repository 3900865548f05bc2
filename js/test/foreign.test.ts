import { expect } from 'chai';
import { runInNewContext } from 'node:vm';
import { type IOutcome, retry, run, StepError } from '../src/index.js';
import { bench } from './bench.js';

/** How a flow ends whose body throws that. */
async function throwing(thrown: unknown): Promise<IOutcome> {
  const { flow, run } = bench();
  flow.add(() => {
    throw thrown;
  });
  return (await run())!;
}

/** The code and the info that a handler is told. */
async function toldOf(thrown: unknown): Promise<string> {
  const { flow, run } = bench();
  let told = '';
  flow.add(
    () => {
      throw thrown;
    },
    (asi, code) => {
      expect(asi.state.last_exception).to.equal(thrown);
      told = `${code} ${asi.state.error_info}`;
    },
  );
  await run();
  return told;
}

describe('foreign exceptions', () => {
  it('only an own code that is an identifier is taken from an Error', async () => {
    const coded = (code: unknown) => Object.assign(new Error('m'), { code });
    expect((await throwing(coded('ECONNREFUSED'))).code).to.equal('ECONNREFUSED');
    expect((await throwing(coded('_a1'))).code).to.equal('_a1');
    for (const code of ['', 'two words', '1a', 'a-b', 5, null, undefined, {}]) {
      expect((await throwing(coded(code))).code).to.equal('InternalError');
    }
    class Coded extends Error {}
    Object.assign(Coded.prototype, { code: 'INHERITED' });
    expect((await throwing(new Coded('m'))).code).to.equal('InternalError');
    expect((await throwing({ code: 'NOERROR' })).code).to.equal('InternalError');
  });

  it('the first portable code along the causes of an Error is its code', async () => {
    const by = (cause: unknown, code?: unknown) =>
      Object.assign(new TypeError('fetch failed', { cause }), code === undefined ? {} : { code });
    const refused = Object.assign(new AggregateError([], ''), { code: 'ECONNREFUSED' });
    expect(await toldOf(by(refused))).to.equal('ECONNREFUSED fetch failed');
    expect((await throwing(by(by(refused, 'two words')))).code).to.equal('ECONNREFUSED');
    expect((await throwing(by(refused, 'EPIPE'))).code).to.equal('EPIPE');
    expect((await throwing(by(new StepError('NotFound')))).code).to.equal('NotFound');
    expect((await throwing(by(new StepError('no such')))).code).to.equal('InternalError');
    const elsewhere = runInNewContext('Object.assign(new Error, { code: "EPIPE" })');
    expect((await throwing(by(elsewhere))).code).to.equal('EPIPE');
    for (const cause of [{ code: 'NOERROR' }, 'TEXT', 5, null, () => refused]) {
      expect((await throwing(by(cause))).code).to.equal('InternalError');
    }
  });

  it('an Error without a code is known by the names that platforms give a time that is over, and a stop', async () => {
    const named = (name: string, code?: string) => Object.assign(new Error('m'), { name, code });
    const late = new DOMException('late', 'TimeoutError');
    expect(await toldOf(late)).to.equal('Timeout late');
    expect(await toldOf(new DOMException('stop', 'AbortError'))).to.equal('Canceled stop');
    expect(await toldOf(named('TimeoutError'))).to.equal('Timeout m');
    expect(await toldOf(named('AbortError'))).to.equal('Canceled m');
    expect(await toldOf(named('AbortError', 'ABORT_ERR'))).to.equal('ABORT_ERR m');
    expect(await toldOf(new Error('m', { cause: late }))).to.equal('Timeout m');
    for (const name of ['NotFoundError', 'Timeout', 'toString', ''])
      expect(await toldOf(new DOMException('m', name))).to.equal('InternalError m');
  });

  it('what fetch rejects with when its signal has timed out is tried again', async () => {
    const { tool } = bench();
    let attempts = 0;
    const late = retry({ max: 3, backoff: { base: 1 } }, async () => {
      attempts++;
      throw new DOMException('The operation was aborted due to timeout', 'TimeoutError');
    });
    const failed = run(late, { tool }).catch((error: DOMException) => error.name);
    await tool.run();
    expect([await failed, attempts]).to.deep.equal(['TimeoutError', 3]);
  });

  it('causes that are a circle, that cannot be read or have no end cost the message nothing', async () => {
    const self: Error = new Error('self');
    self.cause = self;
    const one: Error = new Error('one', { cause: new Error('two') });
    (one.cause as Error).cause = one;
    let reads = 0;
    const endless = (): Error =>
      Object.defineProperty(new Error('endless'), 'cause', {
        get() {
          reads++;
          return endless();
        },
      });
    const unreadable = (field: string) =>
      Object.defineProperty(new Error('unreadable'), field, {
        get() {
          throw new Error('no');
        },
      });
    const { proxy, revoke } = Proxy.revocable(new Error('proxy'), {});
    revoke();
    expect(await toldOf(self)).to.equal('InternalError self');
    expect(await toldOf(one)).to.equal('InternalError one');
    expect(await toldOf(endless())).to.equal('InternalError endless');
    expect(reads).to.equal(7);
    expect(await toldOf(unreadable('cause'))).to.equal('InternalError unreadable');
    for (const cause of [unreadable('cause'), unreadable('code'), proxy]) {
      expect(await toldOf(new Error('m', { cause }))).to.equal('InternalError m');
    }
  });

  it('a message never becomes a code', async () => {
    expect((await throwing(new Error('Timeout'))).code).to.equal('InternalError');
  });

  it('last_exception of a foreign exception is that very object', async () => {
    const thrown = new TypeError('bug');
    const { flow, run } = bench();
    let seen: unknown;
    let info: unknown;
    flow.add(
      () => {
        throw thrown;
      },
      (asi) => {
        seen = asi.state.last_exception;
        info = asi.state.error_info;
      },
    );
    const outcome = await run();
    expect(seen).to.equal(thrown);
    expect(info).to.equal('bug');
    expect(outcome?.error).to.equal(thrown);
  });

  it('a thrown non-empty string is a code', async () => {
    const outcome = await throwing('MyCode');
    expect(outcome.code).to.equal('MyCode');
    expect(outcome.error).to.be.instanceOf(StepError);
    expect((await throwing('')).code).to.equal('InternalError');
  });

  it('nothing that a body throws leaves the engine', async () => {
    const hostile = new Proxy(new Error('x'), {
      get() {
        throw new Error('no');
      },
      getPrototypeOf() {
        throw new Error('no');
      },
      getOwnPropertyDescriptor() {
        throw new Error('no');
      },
    });
    const things = [null, undefined, 5, 0, true, Symbol('s'), {}, [], () => {}, 5n, hostile];
    for (const thing of [...things, Object.freeze(new Error('frozen')), Object.create(null)]) {
      const outcome = await throwing(thing);
      expect(outcome.kind).to.equal('error');
      expect(outcome.code).to.equal('InternalError');
    }
  });

  it('a primitive that was thrown is the cause of an InternalError', async () => {
    const { error } = (await throwing(5)) as { error: StepError };
    expect([error.code, error.cause]).to.deep.equal(['InternalError', 5]);
  });

  it('an Error of another realm keeps its code', async () => {
    const { runInNewContext } = await import('node:vm');
    const foreign = runInNewContext(`Object.assign(new Error('far'), { code: 'EFAR' })`);
    expect(foreign).not.to.be.instanceOf(Error);
    const outcome = await throwing(foreign);
    expect(outcome.code).to.equal('EFAR');
    expect(outcome.error).to.equal(foreign);
  });
});
