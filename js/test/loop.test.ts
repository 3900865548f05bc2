import { expect } from 'chai';
import type { IAsyncSteps } from '../src/index.js';
import { bench } from './bench.js';

describe('loop', () => {
  it('a late callback of one iteration does not hit the next', async () => {
    const { tool, flow, run } = bench();
    const late: boolean[] = [];
    flow.repeat(2, (asi, i) => {
      const done = asi.waitExternal();
      tool.deferred(i === 0 ? 1 : 5, () => done.success());
      if (i === 0) tool.deferred(3, () => late.push(done.success(), asi.valid()));
    });
    expect((await run())?.kind).to.equal('ok');
    expect(late).to.deep.equal([false, false]);
    expect(tool.now()).to.equal(6);
  });

  it('a count that is no integer fails the loop step', async () => {
    for (const n of [1.5, -1, Number.NaN, Infinity, '3', undefined, null, 2 ** 60]) {
      const { flow, run } = bench();
      let recovered = false;
      flow.add(
        (asi) => asi.repeat(n as never, () => {}),
        (asi) => {
          recovered = asi.state.async_stack === '0/0';
          asi.success();
        },
      );
      expect((await run())?.kind).to.equal('ok');
      expect(recovered).to.equal(true);
    }
  });

  it('forEach over an array takes its length at start and its values live', async () => {
    const { flow, run } = bench();
    const list = [1, 2, 3];
    const seen: unknown[] = [];
    flow.add(() => void list.push(4));
    flow.forEach(list, (_asi, i, value) => {
      seen.push([i, value]);
      list[i + 1]! += 10;
      list.push(99);
    });
    await run();
    expect(seen).to.deep.equal([
      [0, 1],
      [1, 12],
      [2, 13],
      [3, 14],
    ]);
  });

  it('forEach over an object takes its own keys at start and skips deleted ones', async () => {
    const { flow, run } = bench();
    const object: Record<string, number> = Object.assign(Object.create({ inherited: 0 }), {
      a: 1,
      b: 2,
      c: 3,
      [Symbol('s')]: 4,
    });
    Object.defineProperty(object, 'hidden', { value: 5 });
    const seen: unknown[] = [];
    flow.forEach(object, (_asi, key, value) => {
      seen.push([key, value]);
      delete object['b'];
      object['c'] = 30;
      object['later'] = 6;
    });
    await run();
    expect(seen).to.deep.equal([
      ['a', 1],
      ['c', 30],
    ]);
  });

  it('a path counts iterations, not keys', async () => {
    const { flow, run } = bench();
    const object: Record<string, number> = { a: 1, b: 2, c: 3 };
    flow.forEach(object, (asi, key) => {
      delete object['b'];
      if (key === 'c') asi.error('E');
    });
    expect(((await run())!.error as { path: string }).path).to.equal('0/#1');
  });

  it('forEach uses the native iterator of whatever is iterable', async () => {
    const { flow, run } = bench();
    const seen: unknown[] = [];
    const note = (_asi: IAsyncSteps, key: unknown, value: unknown) => void seen.push([key, value]);
    function* numbers() {
      yield 7;
      yield 8;
    }
    flow.forEach(new Map([['k', 'v']]), note);
    flow.forEach(new Set(['s']), note);
    flow.forEach('ab', note);
    flow.forEach(numbers(), note);
    flow.forEach(new Uint8Array([9]), note);
    flow.forEach('', note);
    await run();
    const expected = [
      ['k', 'v'],
      [0, 's'],
      [0, 'a'],
      [1, 'b'],
      [0, 7],
      [1, 8],
      [0, 9],
    ];
    expect(seen).to.deep.equal(expected);
  });

  it('an iterator is asked for the next element only when its iteration is due', async () => {
    const { flow, run } = bench({ burst: 1 });
    const order: string[] = [];
    function* source() {
      for (const i of [0, 1]) {
        order.push(`next ${i}`);
        yield i;
      }
    }
    flow.forEach(source(), (asi, i) => {
      order.push(`body ${i}`);
      asi.add(() => void order.push(`inner ${i}`));
    });
    await run();
    expect(order).to.deep.equal(['next 0', 'body 0', 'inner 0', 'next 1', 'body 1', 'inner 1']);
  });

  it('a thing that is no collection fails the loop step', async () => {
    for (const thing of [5, null, undefined, true, Symbol('s'), () => {}]) {
      const { flow, run } = bench();
      flow.forEach(thing as never, () => {});
      expect((await run())?.code).to.equal('InternalError');
    }
  });
});
