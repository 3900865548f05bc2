// What the compiler infers and refuses. `@ts-expect-error` fails the type check where misuse would pass.

import { expect } from 'chai';
import {
  AsyncSteps,
  delay,
  map,
  race,
  retry,
  shield,
  type Step,
  errors,
  type Handle,
  type IAsyncSteps,
  type ICompletion,
  type IFlow,
  type IOutcome,
  type IParallel,
  RetryBudget,
  StepError,
  VirtualTool,
} from '../src/index.js';

type Same<A, B> =
  (<T>() => T extends A ? 1 : 2) extends <T>() => T extends B ? 1 : 2 ? true : false;
const same = <A, B>(_proof: Same<A, B>): void => {};

function adders(asi: AsyncSteps | IAsyncSteps): void {
  asi.add((inner, a, b) => {
    same<typeof inner, IAsyncSteps>(true);
    inner.success(a, b);
  });
  asi.add(
    async (inner, text: string) => inner.success(text.length),
    (inner, code) => {
      same<typeof inner, IAsyncSteps>(true);
      same<typeof code, string>(true);
    },
    'named',
  );
  asi.loop((inner) => inner.breakLoop('label'), 'label');
  asi.repeat(3, (_inner, i) => same<typeof i, number>(true));
  map(new Set(['a']), { limit: 2, ordered: false }, (_inner, item, i) => {
    same<typeof item, string>(true);
    same<typeof i, number>(true);
  });
  const lines: AsyncIterable<string> = (async function* () {})();
  map(
    lines,
    { limit: 1, sink: (_size: number, i) => same<typeof i, number>(true) },
    (inner, line) => inner.success(line.length),
  );
  asi.await(Promise.resolve(5), (inner, code) => inner.success(code));
  const branches = asi.parallel((_inner, code) => same<typeof code, string>(true), 'named');
  same<typeof branches, IParallel>(true);
  branches.add((inner) => inner.success()).repeat(2, (_inner, i) => same<typeof i, number>(true));
  const flow = asi.newInstance();
  const promise = flow.promise<number>();
  same<typeof promise, Promise<number>>(true);
  // @ts-expect-error a body is a function
  asi.add('body');
  // @ts-expect-error a handler is a function
  asi.add(() => {}, 'handler');
  // @ts-expect-error a name is a text
  asi.add(() => {}, undefined, 5);
  // @ts-expect-error a limit is mandatory
  map([1], {}, () => {});
  // @ts-expect-error a count is a number
  asi.repeat('3', () => {});
  // @ts-expect-error what is awaited can be awaited
  asi.await(5);
  // @ts-expect-error branches take no relinquish
  branches.relinquish();
}

function collections(asi: AsyncSteps): void {
  asi.forEach([1, 2], (_inner, i, v) => {
    same<typeof i, number>(true);
    same<typeof v, number>(true);
  });
  asi.forEach(new Map([['a', 1]]), (_inner, k, v) => {
    same<typeof k, string>(true);
    same<typeof v, number>(true);
  });
  asi.forEach(new Set(['x']), (_inner, i, v) => {
    same<typeof i, number>(true);
    same<typeof v, string>(true);
  });
  asi.forEach({ a: true }, (_inner, k, v) => {
    same<typeof k, string>(true);
    same<typeof v, boolean>(true);
  });
  // @ts-expect-error a number has no elements
  asi.forEach(5, () => {});
}

function accessor(asi: IAsyncSteps): void {
  const done: ICompletion = asi.waitExternal();
  const won: boolean = done.success(1) || done.error('E', 'info', new Error()) || done.valid();
  asi.setCancel((inner) => void inner.state['key']);
  asi.setTimeout(won ? 5 : Infinity);
  const never = (): never => asi.error(errors.Timeout, 'info', new StepError('Cause'));
  same<ReturnType<typeof never>, never>(true);
  // @ts-expect-error a code is a text
  asi.error(5);
  // @ts-expect-error a delay is a number
  asi.setTimeout('5');
  // @ts-expect-error an accessor is not executed
  asi.execute();
}

function cleanups(asi: IAsyncSteps): void {
  asi.defer((inner) => {
    same<typeof inner, IAsyncSteps>(true);
    inner.add(() => {});
  });
  asi.defer(async () => {});
  same<ReturnType<typeof asi.defer>, void>(true);
  const guarded = shield(100, (_inner, text: string) => text.length).onError((inner, code) => {
    same<typeof code, string>(true);
    inner.success(5);
  });
  same<typeof guarded, Step<[text: string], [number]>>(true);
  same<ReturnType<typeof asi.remaining>, number>(true);
  // @ts-expect-error a deferred function is a function
  asi.defer('late');
  // @ts-expect-error a deferred function gets no values
  asi.defer((_inner, value: number) => value);
  // @ts-expect-error a limit is mandatory
  shield(() => {});
  // @ts-expect-error a limit is a number
  shield('100', () => {});
  // @ts-expect-error a shield has a body
  shield(100);
  // @ts-expect-error it takes nothing
  asi.remaining(5);
  // @ts-expect-error an accessor isn't waited for
  asi.closed();
}

function closing(flow: IFlow): void {
  same<ReturnType<typeof flow.closed>, Promise<void>>(true);
  new AsyncSteps({ grace: 100 });
  new AsyncSteps({ grace: undefined });
  // @ts-expect-error it takes nothing
  flow.closed(() => {});
  // @ts-expect-error what defers is a step
  flow.defer(() => {});
  // @ts-expect-error a deadline is a step's
  flow.remaining();
  // @ts-expect-error a grace is a number
  new AsyncSteps({ grace: '100' });
}

function trying(): void {
  const budget = new RetryBudget({ capacity: 10, ratio: 0.1 });
  same<ReturnType<typeof budget.tokens>, number>(true);
  retry({ max: 3, budget, on: (code) => code !== 'Fatal' }, (inner, attempt) => {
    same<typeof inner, IAsyncSteps>(true);
    same<typeof attempt, number>(true);
  });
  race(() => {}, retry({ max: 3, backoff: { base: 5 }, on: ['Busy'] }, delay(5)));
  // @ts-expect-error how often is mandatory
  retry({}, () => {});
  // @ts-expect-error codes are texts
  retry({ max: 3, on: [5] }, () => {});
  // @ts-expect-error no such option
  retry({ max: 3, backoff: { bse: 5 } }, () => {});
  // @ts-expect-error a budget has a capacity
  new RetryBudget({ ratio: 1 });
  // @ts-expect-error a delay is a number
  delay('5');
}

function root(): IFlow {
  const tool = new VirtualTool();
  const handle: Handle = tool.immediate(() => {});
  handle.cancel();
  const flow: IFlow = new AsyncSteps({
    tool,
    state: {},
    burst: 10,
    report: (_code, info) => void info,
  });
  flow.execute((outcome) => same<typeof outcome, IOutcome>(true));
  // @ts-expect-error no such option
  new AsyncSteps({ brst: 10 });
  return flow;
}

describe('types', () => {
  it('the programs that compile are programs', () => {
    expect(
      [adders, collections, accessor, cleanups, closing, trying, root].every(
        (each) => each instanceof Function,
      ),
    ).to.equal(true);
  });
});
