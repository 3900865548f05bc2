import { expect } from 'chai';
import { AsyncSteps, defaultTool, type IAsyncSteps, map } from '../src/index.js';
import { bench } from './bench.js';
import { gc } from './gc.js';

function* numbers(count = Infinity) {
  for (let i = 0; i < count; i++) yield i;
}

const give = (asi: IAsyncSteps, item: number) => asi.success(item);

describe('long maps', function () {
  this.timeout(60_000);

  it('a map of 512,000 ready items, 256 at a time, keeps its memory', async () => {
    const flow = new AsyncSteps();
    let sum = 0;
    let most = 0;
    let before = 0;
    const sink = (value: number, index: number) => {
      sum += value;
      if (index % 64_000 !== 0) return;
      gc();
      const { heapUsed } = process.memoryUsage();
      before ||= heapUsed;
      most = Math.max(most, heapUsed);
    };
    flow.add(map(numbers(512_000), { limit: 256, sink }, give));
    await flow.promise();
    expect(sum).to.equal((512_000 * 511_999) / 2);
    expect(most - before).to.be.lessThan(2 * 2 ** 20);
  });

  it('a million ready items are no recursion, and let others have their turn', async () => {
    const flow = new AsyncSteps();
    let done = 0;
    let turns = 0;
    const again = () => {
      turns++;
      if (done < 1_000_000) defaultTool.deferred(0, again);
    };
    defaultTool.deferred(0, again);
    flow.add(map(numbers(1_000_000), { limit: 1_000_000, sink: () => void done++ }, give));
    await flow.promise();
    expect(done).to.equal(1_000_000);
    expect(turns).to.be.greaterThan(10);
  });

  it('results of a million items that wait for the first one are given without recursion', async () => {
    const { flow, run } = bench();
    let given = 0;
    const count = 200_000;
    flow.add(
      map(numbers(count), { limit: count, sink: () => void given++ }, (asi, i) => {
        if (i === 0) asi.add((inner) => inner.add(() => expect(given).to.equal(0)));
      }),
    );
    expect((await run())?.kind).to.equal('ok');
    expect(given).to.equal(count);
  });

  it('maps in maps, 100,000 deep, run and are cancelled without recursion', async () => {
    for (const cancels of [false, true]) {
      const { flow, tool, run } = bench();
      let depth = 0;
      const body = (asi: IAsyncSteps): void => {
        if (++depth < 100_000) asi.add(map([1], { limit: 1, sink() {} }, body));
        else if (cancels) asi.waitExternal();
      };
      flow.add(body);
      if (cancels) tool.deferred(100_000, () => flow.cancel());
      expect((await run())?.kind).to.equal(cancels ? 'cancelled' : 'ok');
    }
  });
});
