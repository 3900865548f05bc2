import { expect } from 'chai';
import {
  AsyncSteps,
  AsyncTool,
  Barrier,
  Breaker,
  Channel,
  Gate,
  type IAsyncSteps,
  Limiter,
  Mutex,
  RetryBudget,
  RwLock,
  Scope,
  Throttle,
  VirtualTool,
  map,
  hedge,
  retry,
  run,
} from '../src/index.js';
import { thrownBy } from './bench.js';
import { countsRejections, endOf, fail, macrotask, revokedProxy } from './hostile.js';

const nothing = () => {};

/** Whoever takes an object of options, with a name of each. */
const takers: { [name: string]: [(options: any) => unknown, string[]] } = {
  AsyncSteps: [
    (options) => new AsyncSteps(options),
    ['tool', 'state', 'burst', 'grace', 'unhandled', 'report'],
  ],
  execute: [(options) => new AsyncSteps().execute(undefined, options), ['signal']],
  promise: [(options) => void new AsyncSteps().promise(options), ['signal']],
  run: [
    (options) => void run(nothing, options),
    ['tool', 'state', 'burst', 'grace', 'unhandled', 'report', 'signal'],
  ],
  AsyncTool: [(options) => new AsyncTool(options), ['seed']],
  VirtualTool: [(options) => new VirtualTool(options), ['seed']],
  Gate: [(options) => new Gate(options), ['open', 'maxQueue', 'name']],
  Barrier: [(options) => new Barrier(options), ['parties']],
  Breaker: [
    (options) => new Breaker(options),
    ['rate', 'calls', 'period', 'minCalls', 'openFor', 'probes', 'on', 'name'],
  ],
  Mutex: [(options) => new Mutex(options), ['max', 'maxQueue', 'abandoned', 'name']],
  Channel: [(options) => new Channel(options), ['capacity', 'name']],
  Throttle: [
    (options) => new Throttle(options),
    ['max', 'period', 'maxQueue', 'algorithm', 'burst', 'name'],
  ],
  Limiter: [
    (options) => new Limiter(options),
    ['concurrent', 'maxQueue', 'rate', 'period', 'burst', 'abandoned', 'name'],
  ],
  RwLock: [(options) => new RwLock(options), ['maxQueue', 'abandoned', 'name']],
  RetryBudget: [(options) => new RetryBudget(options), ['capacity', 'ratio']],
};

/** Those that add a step. */
const adders: { [name: string]: [(asi: IAsyncSteps, options: any) => unknown, string[]] } = {
  map: [(asi, options) => asi.add(map([1], options, nothing)), ['limit', 'ordered', 'sink']],
  retry: [(asi, options) => asi.add(retry(options, nothing)), ['max', 'backoff', 'on', 'budget']],
  hedge: [(asi, options) => asi.add(hedge(options, nothing)), ['after', 'max', 'on', 'budget']],
  backoff: [
    (asi, backoff) => asi.add(retry({ max: 2, backoff }, nothing)),
    ['base', 'factor', 'cap', 'jitter'],
  ],
};

const all = Object.entries({
  ...takers,
  ...Object.fromEntries(
    Object.entries(adders).map(([name, [call, keys]]) => [
      name,
      [(options: unknown) => call(new AsyncSteps() as never, options), keys] as const,
    ]),
  ),
});

/** The same, which copies what it is given. */
const named: typeof all = [
  ...all,
  [
    'start',
    [(options: any) => new VirtualTool().start(nothing, options), ['signal', 'done', 'burst']],
  ],
];

/** What has to be given. */
function good(keys: readonly string[]): object {
  const given = { after: 1, max: 1, limit: 1, capacity: 1, ratio: 1, parties: 1 };
  return Object.fromEntries(Object.entries(given).filter(([key]) => keys.includes(key)));
}

const unprintable = { toString: fail, valueOf: fail, [Symbol.toPrimitive]: fail };
const revoked = revokedProxy([]);
const wrongs = [null, 5n, Symbol('s'), unprintable, revoked, Number.NaN, -1, 'x', [fail]];

describe('hostile options', () => {
  countsRejections();

  for (const [name, [take, keys]] of all) {
    it(`options that are no object are refused: ${name}`, () => {
      for (const wrong of [null, 5, 5n, 'text', Symbol('s'), true]) {
        expect(thrownBy(() => take(wrong)).code, String(wrong)).to.equal('InternalError');
      }
    });

    it(`what a getter throws is thrown at the caller: ${name}`, () => {
      for (const key of keys) {
        const options = Object.defineProperty(good(keys), key, { get: fail });
        expect(
          thrownBy(() => take(options)),
          key,
        ).to.equal('Thrown');
      }
      expect(thrownBy(() => take(revokedProxy({})))).to.be.instanceOf(TypeError);
    });

    it(`options that are none are refused by name: ${name}`, () => {
      for (const key of keys) {
        for (const wrong of wrongs) {
          if (['state', 'backoff'].includes(key) && Object(wrong) === wrong) continue;
          if (['on', 'signal'].includes(key) && wrong === revoked) continue;
          if (key === 'name' && wrong === 'x') continue;
          const options = { ...good(keys), [key]: wrong };
          const { code, info } = thrownBy(() => take(options));
          expect(code, key).to.equal('InternalError');
          expect(info).to.contain(key);
        }
      }
    });
  }

  it('an option that nobody knows is refused, with the names of those that there are', () => {
    for (const [name, [take, keys]] of named) {
      const { code, info } = thrownBy(() => take({ ...good(keys), maxqueue: 3 }));
      expect(code, name).to.equal('InternalError');
      expect(info).to.match(new RegExp(`^${name}: expected one of .*, got 'maxqueue'$`));
      for (const key of keys) expect(info).to.contain(key);
    }
  });

  it('what has another class than an object of options is refused in its place, by that', () => {
    const { signal } = new AbortController();
    const error = new DOMException('over', 'AbortError');
    for (const [name, [take]] of named) {
      for (const wrong of [signal, error, new Error('E'), [], new Map(), new Date(), nothing]) {
        const { code, info } = thrownBy(() => take(wrong));
        const tag = Object.prototype.toString.call(wrong);
        expect([code, info]).to.deep.equal([
          'InternalError',
          `${name}: expected options, got '${tag}'`,
        ]);
      }
    }
  });

  it('a proxy that uses options itself when it is asked for its names is read all the same', () => {
    const own = {
      ownKeys: (target: { max: number }) => {
        new Channel({ capacity: 1 });
        return Reflect.ownKeys(target);
      },
    };
    expect(new Throttle(new Proxy({ max: 1 }, own)).waiting).to.equal(0);
  });

  it('a signal and a done that are none are told by the call that was given them', () => {
    const tool = new VirtualTool();
    const scope = new Scope({ tool });
    const calls: [string, (options: any) => unknown][] = [
      ['start', (options) => tool.start(nothing, options)],
      ['start', (options) => scope.start(nothing, options)],
      ['run', (options) => scope.run(nothing, options)],
      ['run', (options) => run(nothing, options)],
    ];
    for (const [name, call] of calls)
      expect(thrownBy(() => call({ signal: 5 })).info).to.equal(
        `${name}: expected a signal, got 5`,
      );
    for (const [name, call] of calls.slice(0, 2))
      expect(thrownBy(() => call({ done: 5 })).info).to.equal(
        `${name}: expected a function, got 5`,
      );
  });

  it('what only a run takes is no option of a flow', () => {
    for (const key of ['signal', 'done']) {
      const { info } = thrownBy(() => new AsyncSteps({ [key]: undefined } as object));
      expect(info).to.match(new RegExp(`^AsyncSteps: expected one of .*, got '${key}'$`));
    }
    for (const key of ['signal', 'done', 'state']) {
      const { info } = thrownBy(() => new Scope({ [key]: undefined } as object));
      expect(info).to.match(new RegExp(`^Scope: expected one of .*, got '${key}'$`));
    }
    expect(thrownBy(() => void run(nothing, { done() {} } as object)).info).to.match(
      /, got 'done'$/,
    );
  });

  it('a step whose options are refused is not added', async () => {
    for (const [name, [call]] of Object.entries(adders)) {
      const end = await endOf((flow) => {
        flow.add((asi) => {
          for (const wrong of [
            null,
            { [{ map: 'limit', retry: 'max', hedge: 'after' }[name] ?? 'base']: -1 },
            new Proxy({}, { get: fail }),
          ]) {
            try {
              call(asi, wrong);
            } catch {
              asi.state['refused'] = name;
            }
          }
          asi.success(asi.state['refused']);
        });
      });
      expect(end).to.equal(`ok ${name}`);
    }
  });

  it('a getter may use the accessor and the flow that it is asked for', async () => {
    const acts: [(asi: IAsyncSteps, flow: AsyncSteps) => unknown, RegExp][] = [
      [(asi) => asi.add(nothing), /^ok( object)?$/],
      [(asi) => asi.success(), /^error InternalError$/],
      [(asi) => asi.error('Inside'), /^error Inside$/],
      [(asi) => asi.errorNoThrow('Inside'), /^error Inside$/],
      [(_, flow) => flow.cancel(), /^cancelled$/],
      [(_, flow) => flow.execute(), /^error InternalError$/],
      [(_, flow) => flow.add(nothing), /^error InternalError$/],
      [(asi) => asi.setTimeout(1000), /^ok( object)?$/],
      [(asi) => asi.add(map([1], { limit: 1, sink: nothing }, nothing)), /^ok( object)?$/],
    ];
    for (const [name, [call, keys]] of Object.entries(adders)) {
      for (const key of keys) {
        for (const [act, end] of acts) {
          const fill = (flow: AsyncSteps) => {
            flow.add((asi) => {
              const options = good(keys);
              const get = () => {
                act(asi, flow);
                return { max: 2, limit: 1, after: 1 }[key];
              };
              call(asi, Object.defineProperty(options, key, { get }));
            });
          };
          expect(await endOf(fill), `${name} ${key} ${act}`).to.match(end);
        }
      }
    }
  });

  it('an accessor that becomes invalid while options are read adds nothing', async () => {
    for (const [name, [call, keys]] of Object.entries(adders)) {
      let thrown: any;
      let bodies = 0;
      const end = await endOf((flow, tool) => {
        flow.add((asi) => {
          tool.immediate(() => {
            const get = () => {
              flow.cancel();
              return 2;
            };
            const options = Object.defineProperty({}, keys[0]!, { get });
            thrown = thrownBy(() => call(asi, options));
          });
          return new Promise(nothing);
        });
        flow.add(() => void bodies++);
      });
      expect(end, name).to.equal('cancelled');
      expect([thrown.code, bodies], name).to.deep.equal(['InternalError', 0]);
    }
  });

  it('a guard whose functions are other ones each time is locked and unlocked all the same', async () => {
    const calls: string[] = [];
    let reads = 0;
    const guard = {
      get lock() {
        const read = ++reads;
        return () => void calls.push(`lock ${read}`);
      },
      get unlock() {
        return () => void calls.push('unlock');
      },
    };
    expect(await endOf((flow) => flow.sync(guard, nothing))).to.equal('ok');
    expect(calls).to.deep.equal(['lock 2', 'unlock', 'lock 4', 'unlock']);
    for (const key of ['lock', 'unlock']) {
      const unreadable = Object.defineProperty({ lock: nothing, unlock: nothing }, key, {
        get: fail,
      });
      expect(thrownBy(() => new AsyncSteps().sync(unreadable, nothing))).to.equal('Thrown');
    }
    const end = await endOf((flow) => {
      const once = { lock: nothing, unlock: nothing };
      flow.sync(once, () => {
        Object.defineProperty(once, 'unlock', { get: fail });
      });
    });
    expect(end).to.equal('ok, report Thrown');
  });

  it('codes to try again after may be as hostile as they like', async () => {
    const spoiled = () => {
      const on = ['E'];
      setImmediate(() => Object.defineProperty(on, 'includes', { get: fail }));
      return on;
    };
    const options: [() => any, string][] = [
      [() => new Proxy(['E'], { get: fail }), 'error Thrown'],
      [() => revokedProxy(['E']), 'error InternalError'],
      [() => ['E', Symbol('s')], 'error InternalError'],
      [spoiled, 'error E'],
      [() => () => 'perhaps', 'error InternalError'],
      [() => () => NaN, 'error InternalError'],
      [() => () => ({ valueOf: fail }), 'error InternalError'],
      [() => () => undefined, 'error E'],
      [() => async () => false, 'error InternalError'],
      [() => () => Promise.reject('Unheard'), 'error InternalError, report Unheard'],
      [() => revokedProxy(nothing), 'error InternalError'],
    ];
    for (const [make, expected] of options) {
      const end = await endOf((flow) => {
        flow.add((asi) => {
          asi.add(
            retry({ max: 2, on: make(), backoff: { base: 0 } }, (each) => {
              each.add(async () => macrotask()).add((last) => last.error('E'));
            }),
          );
        });
      });
      expect(end, `${make}`).to.equal(expected);
    }
  });

  it('proxies of functions, guards and flows are taken for what they stand for', async () => {
    const proxied = <T extends object>(target: T): T => new Proxy(target, {});
    const end = await endOf((flow) => {
      const root = proxied(flow);
      root.add(
        proxied((asi: IAsyncSteps) => asi.error('E')),
        proxied((asi: IAsyncSteps) => asi.success(1)),
      );
      root.sync(
        proxied({ lock: nothing, unlock: nothing }),
        proxied((asi: IAsyncSteps, n: number) => asi.success(n + 1)),
      );
    });
    expect(end).to.equal('ok 2');
    for (const use of ['execute', 'promise'] as const) {
      const tool = new VirtualTool();
      const flow = proxied(new AsyncSteps({ tool }));
      let ran = 0;
      flow
        .add(() => void ran++)
        .parallel()
        .add(() => void ran++);
      void flow[use]();
      expect(flow.running()).to.equal(true);
      const closed = flow.closed();
      await tool.run();
      await closed;
      expect([ran, flow.running()], use).to.deep.equal([2, false]);
      flow.add((asi) => void asi.waitExternal()).execute();
      await tool.run();
      flow.cancel();
      await tool.run();
      expect(flow.running()).to.equal(false);
    }
  });

  it('a proxy of a tool is none', () => {
    for (const tool of [new VirtualTool(), new AsyncTool()]) {
      for (const wrong of [new Proxy(tool, {}), revokedProxy(tool), Object.create(tool)]) {
        expect(thrownBy(() => new AsyncSteps({ tool: wrong })).code).to.equal('InternalError');
      }
    }
  });
});
