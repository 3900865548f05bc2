import { expect } from 'chai';
import {
  AsyncSteps,
  AsyncTool,
  delay,
  type IAsyncSteps,
  type StepError,
  map,
  shield,
} from '../src/index.js';
import { bench } from './bench.js';
import { deferred, stream } from './streams.js';

const twice = (asi: IAsyncSteps, item: number) => asi.success(2 * item);

describe('map', () => {
  it("an item without a value has the result undefined, and the source's own value reaches the body", async () => {
    const { flow, run } = bench();
    const object = {};
    flow.add(
      map([object], { limit: 1 }, (asi, ...values) => {
        expect(values).to.deep.equal([object, 0]);
        asi.success();
      }),
    );
    expect((await run())?.values).to.deep.equal([[undefined]]);
  });

  it('a real tool never has more items open than the limit', async () => {
    const flow = new AsyncSteps({ tool: new AsyncTool() });
    let open = 0;
    let most = 0;
    flow.repeat(1000, () => {});
    flow.add(
      map(Array.from({ length: 1000 }), { limit: 3 }, async () => {
        most = Math.max(most, ++open);
        await null;
        open--;
      }),
    );
    await flow.promise();
    expect([open, most]).to.deep.equal([0, 3]);
  });

  it("a map's bad arguments throw InternalError to the caller and add nothing", async () => {
    const { flow, run } = bench();
    const body = () => {};
    const options: any[] = [
      ...[undefined, null, 5, {}],
      ...[0, -1, 1.5, Infinity, NaN, '2', null].map((limit) => ({ limit })),
      ...[null, 1, 'yes'].map((ordered) => ({ limit: 1, ordered })),
      ...[null, 1, {}].map((sink) => ({ limit: 1, sink })),
    ];
    for (const bad of options) {
      expect(() => flow.add(map([1], bad, body)), JSON.stringify(bad)).to.throw('InternalError');
    }
    expect(() => flow.add(map([1], { limit: 1 }, 5 as any))).to.throw('a function as body');
    expect(() => flow.add(map([1], { limit: 1 }, body).onError(5 as any))).to.throw(
      'error handler',
    );
    flow.add((asi) => asi.success('first'));
    expect((await run())?.values).to.deep.equal(['first']);
  });

  it("an array's length is taken when the map starts, its values when they are taken", async () => {
    const { flow, run } = bench();
    const list = [1, 2];
    flow.add(() => void list.push(3));
    flow.add(
      map(list, { limit: 1 }, (asi, item, i) => {
        list.push(9);
        list[i + 1] = 10 * i + 10;
        asi.success(item);
      }),
    );
    expect((await run())?.values).to.deep.equal([[1, 10, 20]]);
  });

  it('a list is not read any more once an item has failed', async () => {
    const { flow, run } = bench();
    const list = [1, 2];
    Object.defineProperty(list, 1, { get: () => expect.fail('read') });
    flow.add(map(list, { limit: 2 }, (asi) => asi.error('E')));
    const { code, error } = (await run())!;
    expect(code).to.equal('E');
    expect((error as StepError).also).to.deep.equal([]);
  });

  it('sets, maps and generators are mapped, and plain objects are not', async () => {
    const { flow, run } = bench();
    const results: unknown[] = [];
    const keep = (_: IAsyncSteps, result: unknown) => void results.push(result);
    flow.add(map(new Set([1, 2]), { limit: 2 }, twice)).add(keep);
    flow.add(
      map(new Map([['a', 1]]), { limit: 2 }, (asi, [key, value]) => asi.success(key + value)),
    );
    flow.add(keep);
    flow
      .add(
        map({ a: 1 } as any, { limit: 2 }, twice).onError((asi: IAsyncSteps, code) =>
          asi.success(code),
        ),
      )
      .add(keep);
    await run();
    expect(results).to.deep.equal([[2, 4], ['a1'], 'InternalError']);
  });

  it('an iterator that has thrown, answered nonsense or is at its end is not returned to', async () => {
    for (const answers of [
      [{ value: 1 }, 5],
      [{ value: 1 }, null],
      [{ value: 1 }, { done: true }],
    ]) {
      const { flow, run } = bench();
      let returned = 0;
      const iterator = { next: () => answers.shift(), return: () => void returned++ };
      flow.add(
        map({ [Symbol.iterator]: () => iterator } as any, { limit: 2 }, (asi) => {
          asi.add((inner) => inner.error('E'));
        }),
      );
      expect((await run())?.kind).to.equal('error');
      expect(returned).to.equal(0);
    }
  });

  it("what an iterator's return throws when its map is left is reported", async () => {
    const { flow, run, told } = bench();
    const iterator = {
      next: () => ({ done: false, value: 1 }),
      return() {
        throw new Error('no');
      },
    };
    flow.add(map({ [Symbol.iterator]: () => iterator }, { limit: 2 }, (asi) => asi.error('E')));
    expect((await run())?.code).to.equal('E');
    expect(told).to.deep.equal(['report InternalError']);
  });

  it('an async source is asked again when its promise has been fulfilled', async () => {
    const { flow, run } = bench();
    const source = stream([1, 2, 3, 4, 5]);
    flow.add(map(source, { limit: 3 }, twice));
    expect((await run())?.values).to.deep.equal([[2, 4, 6, 8, 10]]);
    expect(source.most).to.equal(1);
    expect(source.log).to.deep.equal(['next', 'next', 'next', 'next', 'next', 'next']);
  });

  it('an async source is not asked while all slots are taken', async () => {
    const { flow, tool, run } = bench();
    const source = stream([1, 2, 3]);
    const open: IAsyncSteps[] = [];
    flow.add(
      map(source, { limit: 2 }, (asi) => {
        open.push(asi);
        asi.waitExternal();
      }),
    );
    const asked: number[] = [];
    for (let i = 1; i < 4; i++) {
      tool.deferred(i, () => {
        asked.push(source.log.length);
        open.shift()!.success(i);
      });
    }
    expect((await run())?.values).to.deep.equal([[1, 2, 3]]);
    expect(asked).to.deep.equal([2, 3, 4]);
  });

  it('a rejection of an async source fails the map, and closes its items but not the source', async () => {
    const { flow, run } = bench();
    const bug = Object.assign(new Error('no'), { code: 'ESTREAM' });
    const source = stream([1, 2], bug);
    const order: string[] = [];
    flow.add(
      map(source, { limit: 4 }, (asi, item) =>
        asi.setCancel(() => void order.push(`${item}~`)),
      ).onError((asi, code) => {
        order.push(code);
        expect(asi.state.last_exception).to.equal(bug);
        expect(asi.state.async_stack).to.equal('0');
      }),
    );
    expect((await run())?.code).to.equal('ESTREAM');
    expect(bug).not.to.have.property('also');
    expect(order).to.deep.equal(['1~', '2~', 'ESTREAM']);
    expect(source.log).to.deep.equal(['next', 'next', 'next']);
  });

  it('a cancel out of what an async source was rejected with waits till that has been read', async () => {
    const { flow, tool, run } = bench();
    const answer = deferred<IteratorResult<number>>();
    const order: string[] = [];
    const bug = Object.defineProperty(new Error('no'), 'code', {
      get() {
        flow.cancel();
        order.push('read');
      },
    });
    flow.add(
      map(stream([1], answer.promise), { limit: 2 }, (asi) => {
        asi.setCancel(() => void order.push('cancelled'));
      }),
    );
    tool.deferred(5, () => answer.reject(bug));
    expect((await run())?.kind).to.equal('cancelled');
    expect(order).to.deep.equal(['read', 'cancelled']);
  });

  it('an error closes an async source that has not answered, and its late answer is for nobody', async () => {
    for (const late of ['resolve', 'reject'] as const) {
      const { flow, tool, run, told } = bench();
      const answer = deferred<IteratorResult<number>>();
      const source = stream([1], answer.promise);
      flow.add(map(source, { limit: 4 }, (asi) => asi.setTimeout(3)));
      tool.deferred(5, () => answer[late]({ done: false, value: 7 }));
      expect((await run())?.code).to.equal('Timeout');
      expect(source.log).to.deep.equal(['next', 'next', 'return']);
      expect(told).to.deep.equal([]);
    }
  });

  it('a rejection that two closings overtake is in the also of the first', async () => {
    const { flow, tool, run } = bench();
    const late = deferred<IteratorResult<number>>();
    const answers = [Promise.resolve({ done: false, value: 1 }), late.promise];
    const source = { [Symbol.asyncIterator]: () => ({ next: () => answers.shift()! }) };
    tool.deferred(5, () => late.reject('Late'));
    flow.add((asi) => {
      asi.setTimeout(10);
      asi.add((inner) => {
        inner.setTimeout(5);
        inner.add(map(source, { limit: 2 }, shield(50, delay(20))));
      });
    });
    const { error: outer } = (await run()) as unknown as { error: StepError };
    const [inner, ...others] = outer.also as StepError[];
    expect([outer.path, inner!.path, others]).to.deep.equal(['0', '0/0', []]);
    expect(inner!.also.map((each) => (each as StepError).code)).to.deep.equal(['Late']);
  });

  it("a rejection that an item's error overtakes is in also", async () => {
    const { flow, tool, run } = bench();
    const answer = deferred<IteratorResult<number>>();
    let failing: IAsyncSteps;
    flow.add(
      map(stream([1], answer.promise), { limit: 4 }, (asi) => {
        failing = asi;
        asi.waitExternal();
      }),
    );
    tool.deferred(5, () => {
      failing.errorNoThrow('First');
      answer.reject('Second');
    });
    const { error } = (await run()) as any;
    expect(error.code).to.equal('First');
    expect(error.also.map(({ code }: { code: string }) => code)).to.deep.equal(['Second']);
  });

  it('a sink that returns a promise fails the map', async () => {
    const { flow, run, told } = bench();
    const sink = async () => {
      throw new Error('no');
    };
    flow.add(map([1, 2], { limit: 1, sink }, twice));
    expect((await run())?.code).to.equal('InternalError');
    expect(told).to.deep.equal(['report InternalError']);
  });

  it('a completion of one item does nothing to the next one of its line', async () => {
    const { flow, run } = bench();
    const kept: IAsyncSteps[] = [];
    flow.add(
      map([1, 2], { limit: 1 }, (asi) => {
        kept.push(asi);
        if (kept.length === 1) return asi.success(1);
        expect(kept[0]!.valid()).to.equal(false);
        expect(() => kept[0]!.success(5)).to.throw('InternalError');
        return asi.success(2);
      }),
    );
    expect((await run())?.values).to.deep.equal([[1, 2]]);
  });

  it('what is no collection is refused by its name', async () => {
    const { flow, run } = bench();
    flow.add(map(null as never, { limit: 1 }, () => {}));
    expect((await run())?.error).to.include({ info: 'map: expected a collection, got null' });
  });
});
