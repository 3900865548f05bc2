// biome-ignore-all lint/suspicious/noThenProperty: thenables are what is tested

import { expect } from 'chai';
import { AsyncSteps, StepError } from '../src/index.js';
import { bench, thrownBy } from './bench.js';

const revoked = () => {
  const { proxy, revoke } = Proxy.revocable<any>({ then() {} }, {});
  return { proxy, revoke };
};

describe('hostile objects', () => {
  it('a cancel wherever a loop or a returned value asks user code ends the flow without another body', async () => {
    const cases: ((flow: AsyncSteps) => unknown)[] = [
      (flow) =>
        flow.forEach(
          {
            [Symbol.iterator]: () => ({ next: () => ({ done: true, value: flow.cancel() }) }),
          } as never,
          () => {},
        ),
      (flow) =>
        flow.forEach(
          new Proxy({} as Record<string, number>, {
            ownKeys() {
              flow.cancel();
              return [];
            },
          }),
          () => {},
        ),
      (flow) =>
        flow.add(() => ({
          get then() {
            flow.cancel();
            return 1;
          },
        })),
    ];
    for (const fill of cases) {
      const { flow, run } = bench();
      let bodies = 0;
      fill(flow);
      flow.add(() => void bodies++);
      expect((await run())?.kind).to.equal('cancelled');
      expect(bodies).to.equal(0);
    }
  });

  it('an iterator is not asked when making it has cancelled the flow', async () => {
    const { flow, run } = bench();
    const asked: string[] = [];
    const source = {
      [Symbol.iterator]() {
        flow.cancel();
        return { next: () => asked.push('next'), return: () => asked.push('return') };
      },
    };
    flow.forEach(source as never, () => {});
    expect((await run())?.kind).to.equal('cancelled');
    expect(asked).to.deep.equal(['return']);
  });

  it('an async iterator that answers nonsense fails the loop step', async () => {
    const answers: [() => unknown, string][] = [
      [() => 5, 'InternalError'],
      [
        () => ({
          get done() {
            throw 'Done';
          },
        }),
        'Done',
      ],
    ];
    for (const [answer, code] of answers) {
      const { flow, run } = bench();
      flow.forEach(
        { [Symbol.asyncIterator]: () => ({ next: async () => answer() }) } as never,
        () => {},
      );
      expect((await run())?.code).to.equal(code);
    }
  });

  it('a handler may throw a frozen StepError', async () => {
    const { flow, run } = bench();
    flow.add(
      (asi) => asi.error('A'),
      () => {
        throw Object.freeze(new StepError('B'));
      },
    );
    expect((await run())?.code).to.equal('B');
  });

  it('a StepError without a readable code is an InternalError', async () => {
    const unreadable = Object.defineProperty(new StepError('B'), 'code', {
      get() {
        throw 1;
      },
    });
    for (const thrown of [unreadable, new StepError(42 as never), new StepError('')]) {
      const { flow, run } = bench();
      let seen: unknown;
      flow.add(
        () => {
          throw thrown;
        },
        (_asi, code) => {
          seen = code;
        },
      );
      expect((await run())?.code).to.equal('InternalError');
      expect(seen).to.equal('InternalError');
    }
  });

  it('what can not be read is an InternalError that shows it', async () => {
    const { flow, run } = bench();
    const { proxy, revoke } = revoked();
    revoke();
    let shown: unknown;
    flow.add(
      () => {
        throw proxy;
      },
      (asi) => {
        shown = asi.state.last_exception;
      },
    );
    expect((await run())?.code).to.equal('InternalError');
    expect(shown === proxy).to.equal(true);
  });

  it('a then that throws when a handler has returned it is what goes on', async () => {
    const { flow, run } = bench();
    const returned = {
      get then() {
        throw 'Then';
      },
    };
    flow.add(
      (asi) => asi.error('E'),
      () => returned as never,
    );
    expect((await run())?.code).to.equal('Then');
  });

  it('an awaitable that became unusable before its step fails it', async () => {
    class Strict extends Promise<number> {
      static strict = false;
      constructor(fn: ConstructorParameters<typeof Promise<number>>[0]) {
        super(fn);
        if (Strict.strict) throw 'Strict';
      }
    }
    const { proxy, revoke } = revoked();
    const first = bench();
    first.flow.add(() => revoke()).await(proxy);
    expect((await first.run())?.code).to.equal('InternalError');
    const second = bench();
    second.flow.add((asi) => {
      asi.add(() => {});
      asi.await(new Strict(() => {}));
      Strict.strict = true;
    });
    expect((await second.run())?.code).to.equal('Strict');
  });

  it('a revoked proxy and an unusable state are refused with InternalError', () => {
    const { proxy, revoke } = revoked();
    revoke();
    const taken = Object.defineProperty({}, 'error_info', { value: 1 });
    const calls = [
      () => new AsyncSteps().await(proxy),
      () => new AsyncSteps({ state: proxy }),
      () => new AsyncSteps({ state: taken }),
      () => new AsyncSteps({ state: 5 as never }),
    ];
    for (const call of calls) {
      const thrown = thrownBy(call);
      expect(thrown).to.be.instanceOf(StepError);
      expect(thrown.code).to.equal('InternalError');
    }
  });

  it('the then of a returned thenable is read once', async () => {
    const { flow, run } = bench();
    let reads = 0;
    flow.add(() => ({
      get then() {
        reads++;
        return (ok: (value: number) => void) => ok(7);
      },
    }));
    expect((await run())?.values).to.deep.equal([7]);
    expect(reads).to.equal(1);
  });
});
