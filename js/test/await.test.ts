// biome-ignore-all lint/suspicious/noThenProperty: thenables are what is tested

import { expect } from 'chai';
import { type IAsyncSteps, StepError } from '../src/index.js';
import { bench, thrownBy } from './bench.js';

/** Lets everything that is pending in this process happen. */
const macrotask = () => new Promise((resolve) => setImmediate(resolve));

describe('await', () => {
  const unhandled: unknown[] = [];
  const note = (reason: unknown) => void unhandled.push(reason);

  before(() => {
    process.on('unhandledRejection', note);
  });

  after(() => {
    process.off('unhandledRejection', note);
  });

  afterEach(async () => {
    await macrotask();
    expect(unhandled.splice(0)).to.deep.equal([]);
  });

  it('an awaited native promise is handled even if its step is never reached', async () => {
    const { flow, run } = bench();
    flow.add((asi) => asi.error('E'));
    flow.await(Promise.reject(new Error('early')));
    await macrotask();
    expect((await run())?.code).to.equal('E');
  });

  it('an awaited native promise is handled when its step is dropped, or stays queued, as the body that added it ends', async () => {
    const ends: ((asi: IAsyncSteps) => any)[] = [
      (asi) => asi.error('E'),
      (asi) => asi.success(),
      (asi) => new Promise((resolve) => (asi.state.later = resolve)),
      async () => await macrotask(),
      () => flow.cancel(),
    ];
    const { flow, run } = bench();
    for (const end of ends) {
      flow.add((asi) => {
        asi.await(Promise.reject(new Error('early')));
        return end(asi);
      });
      const outcome = run();
      await macrotask();
      flow.cancel();
      expect((await outcome)?.kind).not.to.equal('ok');
    }
  });

  it('a thenable is not touched before its step starts', async () => {
    const { tool, flow, run } = bench();
    const order: string[] = [];
    const lazy = {
      then(resolve: (value: string) => void) {
        order.push('then');
        resolve('value');
      },
    };
    flow.add((asi) => {
      const done = asi.waitExternal();
      tool.deferred(5, () => {
        order.push('step');
        done.success();
      });
    });
    flow.await(lazy as PromiseLike<string>);
    expect((await run())?.values).to.deep.equal(['value']);
    expect(order).to.deep.equal(['step', 'then']);
  });

  it('a lazy subclass of Promise is started by its step', async () => {
    let started = 0;
    class Lazy extends Promise<number> {
      override then(...handlers: any[]): any {
        started++;
        return super.then(...handlers);
      }
    }
    const { flow, run } = bench();
    const lazy = new Lazy((resolve) => resolve(7));
    flow.await(lazy);
    expect(started).to.equal(0);
    expect((await run())?.values).to.deep.equal([7]);
    expect(started).to.be.greaterThan(0);
  });

  it('awaiting what is not awaitable throws InternalError', async () => {
    const { flow, run } = bench();
    for (const thing of [5, null, undefined, 'x', {}, { then: 5 }, []]) {
      expect(thrownBy(() => flow.await(thing as never)).code).to.equal('InternalError');
    }
    expect(await run()).to.deep.equal({ kind: 'ok', values: [] });
  });

  it('rejections of whatever kind fail the step as throws do', async () => {
    const bug = new Error('bug');
    const reasons: [unknown, string][] = [
      [bug, 'InternalError'],
      ['Code', 'Code'],
      [null, 'InternalError'],
      [undefined, 'InternalError'],
      [5, 'InternalError'],
      [Object.assign(new Error('x'), { code: 'EX' }), 'EX'],
    ];
    for (const [reason, code] of reasons) {
      const { flow, run } = bench();
      flow.await(Promise.reject(reason));
      expect((await run())?.code).to.equal(code);
    }
  });

  it('async bodies may add steps, succeed, fail and return', async () => {
    const { flow, run } = bench();
    const seen: unknown[] = [];
    flow.add(async (asi) => {
      await null;
      asi.add((inner) => inner.success('sub'));
    });
    flow.add(async (asi, value) => {
      seen.push(value);
      await null;
      asi.success('said');
      return 'returned';
    });
    flow.add(async (_asi, value) => {
      seen.push(value);
      await null;
      return 'returned';
    });
    flow.add(
      async (asi, value) => {
        seen.push(value);
        await null;
        asi.error('E');
      },
      (asi, code) => asi.success(code),
    );
    expect((await run())?.values).to.deep.equal(['E']);
    expect(seen).to.deep.equal(['sub', 'said', 'returned']);
  });

  it('an async error handler is refused, and what it rejects with is reported', async () => {
    const { flow, told, run } = bench();
    flow.add(
      (asi) => asi.error('E'),
      async () => {
        await null;
        throw 'Later';
      },
    );
    expect((await run())?.code).to.equal('InternalError');
    expect(told).to.deep.equal(['report Later']);
  });

  it('an error that an async handler latched goes to the parent and is not reported too', async () => {
    const { flow, told, run } = bench();
    flow.add(
      (asi) => asi.error('First'),
      async (asi) => asi.error('Second'),
    );
    expect((await run())?.code).to.equal('Second');
    expect(told).to.deep.equal([]);
  });

  it('a late settlement of a closed step is ignored', async () => {
    for (const late of ['resolve', 'reject'] as const) {
      const { tool, flow, run } = bench();
      flow.add(
        (asi) => {
          asi.setTimeout(5);
          asi.await(
            new Promise((resolve, reject) => {
              const settle = { resolve, reject }[late];
              tool.deferred(10, () => settle(new Error('late')));
            }),
          );
        },
        (asi) => asi.success('recovered'),
      );
      expect((await run())?.values).to.deep.equal(['recovered']);
    }
  });

  it('a promise that settles before an async body has returned reaches its step all the same', async () => {
    const seen: unknown[] = [];
    for (const settle of [() => Promise.resolve(7), () => Promise.reject(new StepError('E'))]) {
      const { flow, run } = bench();
      flow.add(async (asi) => {
        asi.await(settle());
        for (let i = 0; i < 9; i++) await undefined;
      });
      const { values, code } = (await run())!;
      seen.push(values ?? code);
    }
    expect(seen).to.deep.equal([[7], 'E']);
  });

  it('what an async source has given, and is left, can be cancelled by another step', async () => {
    let cancels = 0;
    const shared = Object.assign(new Promise(() => {}), { cancel: () => void cancels++ });
    const first = bench();
    first.flow.forEach({ [Symbol.asyncIterator]: () => ({ next: () => shared }) } as any, () => {});
    first.tool.deferred(1, () => first.flow.cancel());
    expect((await first.run())?.kind).to.equal('cancelled');
    const second = bench();
    second.flow.await(shared);
    second.tool.deferred(1, () => second.flow.cancel());
    expect((await second.run())?.kind).to.equal('cancelled');
    expect(cancels).to.equal(1);
  });

  it('an error in the place of a code or an info is the cause', async () => {
    const given = new Error('orig');
    const calls: ((asi: any) => void)[] = [
      (asi) => asi.error(given),
      (asi) => asi.waitExternal().error(given),
      (asi) => asi.waitExternal().error('Db', given),
    ];
    for (const call of calls) {
      const { flow, run } = bench();
      flow.add(call);
      const error = (await run())?.error as StepError;
      expect([error.code, error.cause]).to.deep.equal(['InternalError', given]);
      expect(error.info).to.match(/^error: expected a (code|string as info), got object$/);
    }
  });
});
