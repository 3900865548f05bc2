import { expect } from 'chai';
import { format } from 'node:util';
import { runInNewContext } from 'node:vm';
import {
  AsyncSteps,
  delay,
  type IAsyncSteps,
  type ICompletion,
  StepError,
  VirtualTool,
  map,
  retry,
  shield,
} from '../src/index.js';
import { bench, thrownBy } from './bench.js';
import { countsRejections, endOf, fail, type Fill, revokedProxy } from './hostile.js';

const unprintable = { toString: fail, [Symbol.toPrimitive]: fail };

/** An error whose field can't be read. */
function without(field: string): object {
  return Object.defineProperty(new Error('text'), field, { get: fail });
}

const traps = [
  'get',
  'has',
  'getPrototypeOf',
  'getOwnPropertyDescriptor',
  'ownKeys',
  'defineProperty',
];
const trapped = Object.fromEntries(traps.map((trap) => [trap, fail]));

/** Things that are thrown, with the codes that they become. */
const things: { [name: string]: [() => unknown, string] } = {
  undefined: [() => undefined, 'InternalError'],
  null: [() => null, 'InternalError'],
  'a number': [() => 5, 'InternalError'],
  'a BigInt': [() => 5n, 'InternalError'],
  'a symbol': [() => Symbol('s'), 'InternalError'],
  'an empty text': [() => '', 'InternalError'],
  'a text': [() => 'Text', 'Text'],
  'a function': [() => fail, 'InternalError'],
  'an object without a prototype': [() => Object.create(null), 'InternalError'],
  'an object that cannot be printed': [() => unprintable, 'InternalError'],
  'a revoked proxy': [() => revokedProxy({}), 'InternalError'],
  'a revoked function': [() => revokedProxy(() => {}), 'InternalError'],
  'a proxy of which nothing can be asked': [() => new Proxy({}, trapped), 'InternalError'],
  'a proxy of an error': [() => new Proxy(Object.assign(new Error(), { code: 'X' }), {}), 'X'],
  'a proxy of a StepError': [() => new Proxy(new StepError('X'), {}), 'X'],
  'an error without a readable message': [() => without('message'), 'InternalError'],
  'an error without a readable code': [() => without('code'), 'InternalError'],
  'an error without a readable cause': [() => without('cause'), 'InternalError'],
  'an error without a readable stack': [() => without('stack'), 'InternalError'],
  'a symbol as message': [() => Object.assign(new Error(), { message: Symbol() }), 'InternalError'],
  'an unprintable message': [
    () => Object.assign(new Error(), { message: unprintable }),
    'InternalError',
  ],
  'a symbol as code': [() => Object.assign(new Error(), { code: Symbol() }), 'InternalError'],
  'a BigInt as code': [() => Object.assign(new Error(), { code: 5n }), 'InternalError'],
  'an unprintable code': [() => Object.assign(new Error(), { code: unprintable }), 'InternalError'],
  'a frozen error': [() => Object.freeze(Object.assign(new Error(), { code: 'X' })), 'X'],
  'an error of another realm': [
    () => runInNewContext('Object.assign(new TypeError, { code: "X" })'),
    'X',
  ],
  'a frozen StepError': [() => Object.freeze(new StepError('X')), 'X'],
  'a StepError with a symbol as code': [() => new StepError(Symbol() as never), 'InternalError'],
  'a StepError with a symbol as info': [() => new StepError('X', Symbol() as never), 'X'],
  'a StepError without a readable info': [
    () => Object.defineProperty(new StepError('X'), 'info', { get: fail }),
    'InternalError',
  ],
  'a StepError without a readable cause': [
    () => Object.defineProperty(new StepError('X'), 'cause', { get: fail }),
    'InternalError',
  ],
};

const raise = (make: () => unknown) => (): never => {
  throw make();
};

/** Where something that is thrown is an error of the flow. */
const places: { [name: string]: (make: () => unknown) => Fill } = {
  'a body': (make) => (flow) => flow.add(raise(make)),
  'an async body': (make) => (flow) => flow.add(async () => raise(make)()),
  'a rejection': (make) => (flow) => flow.await(Promise.reject(make())),
  'a thenable': (make) => (flow) =>
    // biome-ignore lint/suspicious/noThenProperty: a hostile thenable
    flow.add((asi) => asi.await({ then: raise(make) as never })),
  'an error handler': (make) => (flow) => flow.add((asi) => asi.error('E'), raise(make)),
  'a branch': (make) => (flow) => flow.parallel().add(raise(make)),
  'a shield': (make) => (flow) => flow.add(shield(5000, raise(make))),
  'a lock': (make) => (flow) => flow.sync({ lock: raise(make), unlock() {} }, () => {}),
  'a deferred function': (make) => (flow) => flow.add((asi) => asi.defer(raise(make))),
  'a body of a map': (make) => (flow) => flow.add(map([1], { limit: 1 }, raise(make))),
  'a sink': (make) => (flow) => flow.add(map([1], { limit: 1, sink: raise(make) }, () => {})),
  'an iterable': (make) => (flow) =>
    flow.forEach({ [Symbol.iterator]: raise(make) } as never, () => {}),
  'an async iterator': (make) => (flow) =>
    flow.forEach(
      { [Symbol.asyncIterator]: () => ({ next: async () => raise(make)() }) } as never,
      () => {},
    ),
  'the source of a map': (make) => (flow) =>
    flow.add(
      map(
        { [Symbol.asyncIterator]: () => ({ next: async () => raise(make)() }) } as never,
        { limit: 1 },
        () => {},
      ),
    ),
  'who knows when to try again': (make) => (flow) =>
    flow.add(retry({ max: 2, on: raise(make) }, (asi) => asi.error('E'))),
};

/** Where it goes to the report hook. */
const reported: { [name: string]: (make: () => unknown) => Fill } = {
  'a cancel handler': (make) => (flow) =>
    flow.add((asi) => {
      asi.setCancel(raise(make));
      asi.error('E');
    }),
  'an async cancel handler': (make) => (flow) =>
    flow.add((asi) => {
      asi.setCancel(async () => raise(make)());
      asi.error('E');
    }),
  'an unlock': (make) => (flow) =>
    flow.sync({ lock() {}, unlock: raise(make) }, (asi) => asi.error('E')),
  'the return of an iterator': (make) => (flow) =>
    flow.forEach(
      {
        [Symbol.iterator]: () => ({ next: () => ({ done: false }), return: raise(make) }),
      } as never,
      (asi) => asi.error('E'),
    ),
  'a cancel of an awaitable': (make) => (flow) =>
    flow
      .parallel()
      .add(() => Object.assign(new Promise(() => {}), { cancel: raise(make) }))
      .add((asi) => asi.error('E')),
};

describe('hostile errors', () => {
  countsRejections();

  for (const [place, fillWith] of Object.entries(places)) {
    it(`whatever is thrown is an error with a code: ${place}`, async () => {
      for (const [name, [make, code]] of Object.entries(things)) {
        expect(await endOf(fillWith(make)), name).to.equal(`error ${code}`);
      }
    });

    it(`what cancels the flow when it's looked at cancels it once: ${place}`, async () => {
      for (const field of ['message', 'code']) {
        const end = await endOf((flow, tool) => {
          const get = () => {
            flow.cancel();
            return 'X';
          };
          fillWith(() => Object.defineProperty(new Error(), field, { get }))(flow, tool);
        });
        expect(end, field).to.match(/^cancelled/);
      }
    });
  }

  for (const [place, fillWith] of Object.entries(reported)) {
    it(`whatever is thrown is reported: ${place}`, async () => {
      for (const [name, [make, code]] of Object.entries(things)) {
        expect(await endOf(fillWith(make)), name).to.equal(`error E, report ${code}`);
      }
    });
  }

  it('handlers see texts, whatever was thrown', async () => {
    for (const [name, [make, code]] of Object.entries(things)) {
      const { flow, run } = bench();
      const thrown = make();
      let seen: unknown[] = [];
      flow.add(
        () => {
          throw thrown;
        },
        ({ state }, given) => {
          seen = [given, typeof state.error_info, state.async_stack];
        },
      );
      await run();
      expect(seen, name).to.deep.equal([code, 'string', '0']);
    }
  });

  it('a handler may spoil the error that passes', async () => {
    const spoils: ((error: any) => unknown)[] = [
      Object.freeze,
      ...['code', 'info', 'cause', 'path', 'also', 'message', 'stack'].map(
        (field) => (error: any) => Object.defineProperty(error, field, { get: fail }),
      ),
    ];
    for (const spoil of spoils) {
      const fill = (asi: IAsyncSteps | AsyncSteps) => {
        const branches = asi.parallel();
        let done: ICompletion;
        branches.add((each) => {
          done = each.waitExternal();
        });
        branches.add(
          (each) => {
            done.error('Late');
            each.error('E');
          },
          ({ state }) => {
            spoil(state.last_exception);
          },
        );
      };
      expect(await endOf(fill), `${spoil}`).to.match(/^error \w+$/);
      const retried = await endOf((flow) =>
        flow.add(retry({ max: 2, backoff: { base: 0 } }, fill)),
      );
      expect(retried, `${spoil}`).to.match(/^error \w+$/);
    }
  });

  it('errors beside a frozen one are no trouble', async () => {
    const end = await endOf((flow) => {
      const branches = flow.parallel();
      for (const code of ['X', 'Y']) {
        branches.await(Promise.reject(Object.freeze(Object.assign(new Error(), { code }))));
      }
    });
    expect(end).to.equal('error X');
  });

  it('codes, infos, labels and names that are none are refused', async () => {
    for (const wrong of [-1, 5n, Symbol(), {}, unprintable, revokedProxy({}), fail]) {
      const calls: ((asi: any) => unknown)[] = [
        (asi) => asi.error(wrong),
        (asi) => asi.errorNoThrow(wrong),
        (asi) => asi.waitExternal().error(wrong),
        (asi) => asi.waitExternal().error('E', wrong),
        (asi) => asi.error('E', wrong),
        (asi) => asi.break(wrong),
        (asi) => asi.add(() => {}, undefined, wrong),
        (asi) => asi.loop(() => {}, wrong),
        (asi) => asi.setTimeout(wrong),
        () => delay(wrong as never),
        (asi) => asi.repeat(wrong, () => {}),
        () => shield(wrong as never, () => {}),
      ];
      for (const call of calls) {
        expect(await endOf((flow) => flow.add(call)), `${call}`).to.equal('error InternalError');
      }
    }
  });

  it('what is unhandled or reported by default is printed or thrown, whatever it is', async () => {
    const { error } = console;
    const printed: string[] = [];
    console.error = (...all: unknown[]) => void printed.push(format(...all));
    try {
      for (const [name, [make]] of Object.entries(things)) {
        const tool = new VirtualTool();
        new AsyncSteps({ tool })
          .add(
            (asi) => {
              asi.setCancel(raise(make));
              asi.error('E');
            },
            (asi) => asi.success(),
          )
          .execute();
        await tool.run();
        expect(printed.splice(0), name).to.have.length(1);
      }
    } finally {
      console.error = error;
    }
  });

  it('a revoked hook is refused by the platform, not by the flow', () => {
    for (const hook of ['report', 'unhandled']) {
      expect(() => new AsyncSteps({ [hook]: revokedProxy(() => {}) })).not.to.throw();
      expect(thrownBy(() => new AsyncSteps({ [hook]: revokedProxy({}) })).code).to.equal(
        'InternalError',
      );
    }
  });
});
