import { expect } from 'chai';
import { forEach, map, run as runStep, type Step, type StepError } from '../src/index.js';
import { bench } from './bench.js';

/** An endless iterable that writes down what is asked of it. */
function endless(order: string[], atReturn: () => void = () => {}) {
  return {
    [Symbol.iterator]() {
      let i = 0;
      return {
        next: () => ({ done: false, value: i++ }),
        return() {
          order.push('return');
          atReturn();
          return { done: true, value: undefined };
        },
      };
    },
  };
}

describe('iterators', () => {
  it('an early exit calls return after the iteration is closed', async () => {
    const { flow, run } = bench();
    const order: string[] = [];
    flow.forEach(endless(order), (asi) => {
      asi.setCancel(() => void order.push('outer'));
      asi.add((inner) => {
        inner.setCancel(() => void order.push('inner'));
        inner.breakLoop();
      });
    });
    flow.add(() => void order.push('after'));
    await run();
    expect(order).to.deep.equal(['inner', 'outer', 'return', 'after']);
  });

  it('an error, a timeout and a cancel call return too, and an end does not', async () => {
    const order: string[] = [];
    const failing = bench();
    failing.flow.forEach(endless(order), (asi) => asi.error('E'));
    await failing.run();
    const late = bench();
    late.flow.add((asi) => {
      asi.setTimeout(5);
      asi.forEach(endless(order), (each) => void each.waitExternal());
    });
    await late.run();
    const cancelled = bench();
    cancelled.flow.forEach(endless(order), (asi) => void asi.waitExternal());
    cancelled.tool.deferred(1, () => cancelled.flow.cancel());
    await cancelled.run();
    const complete = bench();
    complete.flow.forEach(new Set([1]), () => {});
    expect((await complete.run())?.kind).to.equal('ok');
    expect(order).to.deep.equal(['return', 'return', 'return']);
  });

  it('what return throws is reported', async () => {
    const { flow, told, run } = bench();
    const source = endless([], () => {
      throw new Error('no');
    });
    flow.forEach(source, (asi) => asi.breakLoop());
    expect((await run())?.kind).to.equal('ok');
    expect(told).to.deep.equal(['report InternalError']);
  });

  it('a source that is a function is asked by each run, when its step opens', async () => {
    const asked: string[] = [];
    function* numbers() {
      asked.push('opened');
      yield* [1, 2];
    }
    const seen: unknown[] = [];
    const values = [
      map(numbers, { limit: 1 }, (_asi, n) => n + 1),
      forEach(numbers, (_asi, i, n) => void seen.push(i, n)),
      forEach(
        () => ({ k: 'v' }),
        (_asi, key, value) => void seen.push(key.length, value),
      ),
      forEach(
        () => new Map([[true, 5]]),
        (_asi, key, value) => void seen.push(key === true, value + 1),
      ),
    ];
    expect(asked).to.deep.equal([]);
    for (const value of values as Step<any, any>[]) {
      const list = value === values[0] ? [2, 3] : undefined;
      expect(await runStep(value)).to.deep.equal(list);
      expect(await runStep(value)).to.deep.equal(list);
    }
    expect(asked).to.have.length(4);
    expect(seen).to.deep.equal([0, 1, 1, 2, 0, 1, 1, 2, 1, 'v', 1, 'v', true, 6, true, 6]);
  });

  it('what a source that is a function fails with is the error of the step', async () => {
    const fails = (): number[] => {
      throw Object.assign(new Error('no'), { code: 'ESOURCE' });
    };
    const rejects: any = async () => fails();
    const never: any = () => 5;
    const codes = [
      map(fails, { limit: 1 }, () => {}),
      forEach(fails, () => {}),
      forEach(rejects, () => {}),
      map(rejects, { limit: 1 }, () => {}),
      forEach(never, () => {}),
    ].map(async (value) => {
      const { flow, run } = bench();
      flow.add(value);
      return (await run())?.code;
    });
    const mistake = 'InternalError';
    expect(await Promise.all(codes)).to.deep.equal([
      'ESOURCE',
      'ESOURCE',
      mistake,
      mistake,
      mistake,
    ]);
  });

  it('an iterator that throws fails the loop step', async () => {
    const bug = Object.assign(new Error('no'), { code: 'EITER' });
    const order: string[] = [];
    const throwing = () => {
      throw bug;
    };
    const sources: any[] = [
      { [Symbol.iterator]: throwing },
      { [Symbol.iterator]: () => ({ next: throwing, return: () => void order.push('return') }) },
      {
        get [Symbol.iterator]() {
          return throwing();
        },
      },
    ];
    for (const source of sources) {
      const { flow, run } = bench();
      flow.forEach(source, () => {});
      expect((await run())?.code).to.equal('EITER');
    }
    expect(order).to.deep.equal([]);
  });

  it('an iterator that answers with no object fails the loop step', async () => {
    const { flow, run } = bench();
    flow.forEach({ [Symbol.iterator]: () => ({ next: () => 5 }) } as never, () => {});
    expect((await run())?.code).to.equal('InternalError');
  });

  it('a cancel inside next ends the flow without another body', async () => {
    const { flow, run } = bench();
    let bodies = 0;
    function* source() {
      yield 1;
      flow.cancel('inside');
      yield 2;
    }
    flow.forEach(source(), () => void bodies++);
    expect(await run()).to.deep.equal({ kind: 'cancelled', reason: 'inside' });
    expect(bodies).to.equal(1);
  });

  it('elements of an async iterable are awaited', async () => {
    const { flow, run } = bench();
    const order: unknown[] = [];
    async function* source() {
      for (const value of ['a', 'b']) {
        await null;
        order.push(`next ${value}`);
        yield value;
      }
    }
    flow.forEach(source(), (asi, i, value) => {
      asi.add(() => void order.push([i, value]));
    });
    expect((await run())?.kind).to.equal('ok');
    expect(order).to.deep.equal(['next a', [0, 'a'], 'next b', [1, 'b']]);
  });

  it('a rejecting async iterable fails the loop step', async () => {
    const { flow, run } = bench();
    // biome-ignore lint/correctness/useYield: it fails before its first element
    async function* source() {
      throw 'Broken';
    }
    flow.forEach(source() as AsyncIterable<number>, () => {});
    expect((await run())?.code).to.equal('Broken');
  });

  it('an iterator that has failed is not returned to, as in the language', async () => {
    const fail = () => {
      throw 'Broken';
    };
    const unreadable = {
      done: false,
      get value() {
        return fail();
      },
    };
    const nexts: (() => unknown)[] = [fail, () => unreadable];
    for (const next of [...nexts, () => Promise.reject('Broken'), async () => unreadable]) {
      const kind = nexts.includes(next) ? Symbol.iterator : Symbol.asyncIterator;
      const asked: string[] = [];
      const source: any = { [kind]: () => ({ next, return: () => asked.push('return') }) };
      const loop = bench();
      loop.flow.forEach(source, () => void asked.push('body'));
      const mapping = bench();
      mapping.flow.add(map(source, { limit: 1 }, () => void asked.push('body')));
      for (const { run } of [loop, mapping]) {
        const { error, code } = (await run())!;
        expect(code).to.equal('Broken');
        expect((error as StepError).path).to.equal('0');
      }
      expect(asked).to.deep.equal([]);
    }
  });

  it('leaving an async iterable early calls its return', async () => {
    const { flow, told, run } = bench();
    let cleaned = false;
    async function* source() {
      try {
        yield 1;
        yield 2;
      } finally {
        cleaned = true;
        // biome-ignore lint/correctness/noUnsafeFinally: a generator whose cleanup fails
        throw new Error('dirty');
      }
    }
    flow.forEach(source(), (asi) => asi.breakLoop());
    expect((await run())?.kind).to.equal('ok');
    expect(cleaned).to.equal(true);
    expect(told).to.deep.equal(['report InternalError']);
  });

  it('a timeout ends the wait for an element that never comes', async () => {
    const { flow, run } = bench();
    const never = { [Symbol.asyncIterator]: () => ({ next: () => new Promise<never>(() => {}) }) };
    flow.add((asi) => {
      asi.setTimeout(5);
      asi.forEach(never as AsyncIterable<number>, () => {});
    });
    expect((await run())?.code).to.equal('Timeout');
  });
});
