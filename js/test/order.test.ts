import { expect } from 'chai';
import { AsyncSteps, errors, VirtualTool } from '../src/index.js';
import { thrownBy } from './bench.js';

/** Two flows of two turns each. */
async function traceOf(tool: VirtualTool): Promise<string> {
  let trace = '';
  for (const name of ['a', 'b']) {
    const flow = new AsyncSteps({ tool, burst: 1 });
    flow.add(() => void (trace += name)).add(() => void (trace += name.toUpperCase()));
    flow.execute();
  }
  await tool.run();
  return trace;
}

/** The next list, as from an odometer. */
function nextOrder(order: readonly number[], alternatives: readonly number[]) {
  let last = alternatives.length - 1;
  while (last >= 0 && (order[last] ?? 0) + 1 === alternatives[last]) last--;
  return alternatives.slice(0, last + 1).map((_, i) => (order[i] ?? 0) + (i === last ? 1 : 0));
}

describe('order', () => {
  it('lists find every order', async () => {
    const traces: string[] = [];
    let order: number[] = [];
    do {
      const tool = new VirtualTool({ order });
      traces.push(await traceOf(tool));
      order = nextOrder(order, tool.alternatives());
    } while (order.length > 0);
    expect([...new Set(traces)].sort()).to.deep.equal(
      ['aAbB', 'abAB', 'abBA', 'baAB', 'baBA', 'bBaA'].sort(),
    );
  });

  it('alternatives are told of a list only', async () => {
    const listed = new VirtualTool({ order: [1] });
    expect(listed.alternatives()).to.deep.equal([]);
    expect(await traceOf(listed)).to.equal('baBA');
    expect(listed.alternatives()).to.deep.equal([2, 2, 2]);
    for (const order of [0, 5]) {
      const tool = new VirtualTool({ order });
      await traceOf(tool);
      expect(tool.alternatives()).to.deep.equal([]);
    }
  });

  it('a seed gives one order, and seeds give all', async () => {
    const traces = new Set<string>();
    for (let order = 1; order <= 50; order++) {
      const trace = await traceOf(new VirtualTool({ order }));
      expect(await traceOf(new VirtualTool({ order }))).to.equal(trace);
      traces.add(trace);
    }
    expect(traces.size).to.equal(6);
  });

  it('a list that is changed later is not looked at', async () => {
    const order = [1];
    const tool = new VirtualTool({ order });
    order[0] = 0;
    expect(await traceOf(tool)).to.equal('baBA');
  });

  it('advance calls all timers that are due, and leaves a loop that never rests', async () => {
    const tool = new VirtualTool({ order: 3 });
    const flow = new AsyncSteps({ tool });
    const fired: number[] = [];
    flow.loop(() => {});
    flow.execute();
    for (const ms of [1, 2, 2, 3]) tool.deferred(ms, () => fired.push(ms));
    await tool.advance(2);
    expect(tool.now()).to.equal(2);
    expect(fired).to.deep.equal([1, 2, 2]);
    flow.cancel();
  });

  it('an order that is no number or list of numbers below 2^32 is refused', () => {
    for (const order of [-1, 0.5, 2 ** 32, Number.NaN, '1', null, {}, [0, -1], ['1'], [[1]]]) {
      const { code, info } = thrownBy(() => new VirtualTool({ order: order as number }));
      expect(code).to.equal(errors.InternalError);
      expect(info).to.contain('order: expected whole numbers');
    }
  });
});
