// biome-ignore-all lint/suspicious/noThenProperty: hostile objects are what is tested

import { expect } from 'chai';
import { createContext, runInContext } from 'node:vm';
import {
  AsyncSteps,
  type IAsyncSteps,
  StepError,
  VirtualTool,
  delay,
  map,
  retry,
  shield,
} from '../src/index.js';
import { bench } from './bench.js';
import { countsRejections, endOf, fail, macrotask } from './hostile.js';

const realm = createContext({});
const elsewhere = (code: string): any => runInContext(code, realm);
const nothing = () => {};

/** Object.prototype is spoiled while `act` runs; nothing of the test's own is awaited with it. */
async function polluted(
  key: string,
  descriptor: PropertyDescriptor,
  act: () => Promise<void>,
): Promise<void> {
  Object.defineProperty(Object.prototype, key, { configurable: true, ...descriptor });
  try {
    await act();
  } finally {
    delete (Object.prototype as any)[key];
  }
}

/** How a flow ends: nothing but the runtime and the language is asked meanwhile. */
async function quietEnd(fill: (flow: AsyncSteps) => unknown): Promise<string> {
  const tool = new VirtualTool();
  const flow = new AsyncSteps({ tool });
  let end = 'waits';
  fill(flow);
  flow.execute(({ kind, code, values }) => {
    end = `${kind} ${kind === 'ok' ? values[0] : code}`;
  });
  await tool.run();
  return end;
}

/** Has steps, branches, loops, errors, timers, cleanup and an awaitable; ends with `done`. */
function everything(flow: AsyncSteps): void {
  flow.forEach([1, 2], (asi, i) => asi.add(() => i));
  flow.forEach(new Map([['a', 1]]), nothing).repeat(2, nothing);
  flow
    .parallel()
    .add((asi) => asi.add(delay(1)))
    .await(Promise.resolve());
  flow.add(map([1, 2], { limit: 1 }, (asi, item) => asi.success(item)));
  flow.add(
    retry({ max: 2, backoff: { base: 0 } }, (asi, attempt) => {
      if (attempt === 1) asi.error('Again');
    }),
  );
  flow.add(
    (asi) => {
      asi.setTimeout(1000);
      asi.setCancel(nothing);
      asi.defer(nothing);
      asi.add(shield(100, (inner) => inner.error('E', 'info', new Error())));
    },
    (asi) => asi.successStep('recovered'),
  );
  flow.add((asi: IAsyncSteps, text: string) => {
    if (text !== 'recovered') asi.error('Wrong');
  });
  flow.add(async () => macrotask()).add((asi) => asi.success('done'));
}

describe('hostile realms', () => {
  countsRejections();

  it('promises, errors and collections of another realm are what they are', async () => {
    const fills: [(flow: AsyncSteps) => unknown, string][] = [
      [(flow) => flow.await(elsewhere('Promise.resolve(5)')), 'ok 5'],
      [(flow) => flow.add(() => elsewhere('Promise.resolve(5)')), 'ok 5'],
      [(flow) => flow.add(elsewhere('(async (asi) => asi.success(5))')), 'ok 5'],
      [
        (flow) => flow.await(elsewhere('Promise.reject(Object.assign(new Error, { code: "X" }))')),
        'error X',
      ],
      [
        (flow) => flow.add(elsewhere('(asi) => { throw new TypeError("t") }')),
        'error InternalError',
      ],
      [(flow) => flow.add(elsewhere('(asi) => { throw "Text" }')), 'error Text'],
      [(flow) => flow.add(elsewhere('(asi) => asi.error("X")')), 'error X'],
      [
        (flow) =>
          flow.forEach(elsewhere('new Set(["X"])'), (asi, _, code) => asi.error(code as string)),
        'error X',
      ],
      [
        (flow) =>
          flow.forEach(elsewhere('(async function* () { yield "X" })()'), (asi, _, code) =>
            asi.error(code as string),
          ),
        'error X',
      ],
      [
        (flow) =>
          flow.add(
            map(elsewhere('["X"]'), elsewhere('({ limit: 1 })'), (asi, code) =>
              asi.error(code as string),
            ),
          ),
        'error X',
      ],
      [
        (flow) => flow.add(retry(elsewhere('({ max: 2, on: ["Y"] })'), (asi) => asi.error('X'))),
        'error X',
      ],
    ];
    for (const [fill, end] of fills) expect(await endOf(fill), `${fill}`).to.equal(end);
  });

  it('rejections that come before their step are handled, also those of other realms and classes', async () => {
    class Own extends Promise<never> {
      override then(): never {
        return fail();
      }
    }
    const makes = [
      () => elsewhere('Promise.reject("Early")'),
      () => Promise.reject('Early'),
      () => new (class extends Promise<never> {})((_, bad) => bad('Early')),
      () => new Own((_, bad) => bad('Early')),
    ];
    for (const make of makes) {
      const { tool, flow, run } = bench();
      let promise: any;
      flow.add((asi) => {
        promise = make();
        asi.add(delay(1)).await(promise);
      });
      const end = await run();
      expect(end?.code).to.equal(promise instanceof Own ? 'Thrown' : 'Early');
      flow.await(make());
      flow.cancel();
      await tool.run();
      await macrotask();
    }
  });

  it('subclasses of Promise are awaited, whatever their constructors do', async () => {
    class Spoiled extends Promise<unknown> {
      static override get [Symbol.species](): never {
        return fail();
      }
    }
    class Counting extends Promise<unknown> {
      static made = 0;
      constructor(executor: any) {
        super(executor);
        Counting.made++;
      }
    }
    for (const Class of [Spoiled, Counting]) {
      const value = () => new Class((ok: any) => ok('v'));
      expect(await endOf((flow) => flow.add(() => value()))).to.match(/^(ok v|error Thrown)$/);
      expect(await endOf((flow) => flow.await(value()))).to.match(/^(ok v|error Thrown)$/);
    }
    const own = Object.setPrototypeOf(Promise.resolve('v'), null);
    expect(await endOf((flow) => flow.add(() => own))).to.equal('ok object');
  });

  it('a spoiled Object.prototype changes no flow that has nothing to do with it', async () => {
    const fields = [
      'code',
      'info',
      'cause',
      'path',
      'also',
      'limit',
      'timer',
      'name',
      'cancel',
      'onerror',
    ];
    for (const key of [
      ...fields,
      'value',
      'done',
      'next',
      'return',
      'bits',
      'tail',
      'options',
      'top',
    ]) {
      let end = '';
      await polluted(key, { value: 'spoiled', writable: true }, async () => {
        end = await quietEnd(everything);
      });
      expect(end, key).to.equal('ok done');
    }
  });

  it('a then on Object.prototype is that of every object, and still each flow ends', async () => {
    const thens: [PropertyDescriptor, string][] = [
      [{ value: (ok: any) => ok('taken') }, 'ok taken'],
      [{ value: (_: any, bad: any) => bad('Refused') }, 'error Refused'],
      [{ value: fail }, 'error Thrown'],
      [{ get: fail }, 'error Thrown'],
      [{ value: 5 }, 'ok [object Object]'],
    ];
    for (const [then, expected] of thens) {
      let end = '';
      let other = '';
      await polluted('then', then, async () => {
        end = await quietEnd((flow) => flow.add(() => ({})));
        other = await quietEnd(everything);
      });
      expect(end).to.equal(expected);
      expect(other).to.equal('ok done');
    }
  });

  it('frozen and changed prototypes of errors are left alone', async () => {
    class Own extends StepError {
      constructor() {
        super('Own');
        Object.setPrototypeOf(this, Object.freeze(Object.create(StepError.prototype)));
        Object.freeze(this);
      }
    }
    const raise = () => {
      throw new Own();
    };
    expect(await endOf((flow) => flow.add(raise))).to.equal('error Own');
    expect(await endOf((flow) => flow.add(async () => raise()))).to.equal('error Own');
    const again = await endOf((flow) =>
      flow.add(raise, ({ state }) => {
        throw state.last_exception;
      }),
    );
    expect(again).to.equal('error Own');
    const replaced = await endOf((flow) => flow.add((asi) => asi.error('E'), raise));
    expect(replaced).to.equal('error Own');
  });
});
