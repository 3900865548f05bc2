// biome-ignore-all lint/suspicious/noThenProperty: thenables are what is tested

import { expect } from 'chai';
import type { AsyncSteps } from '../src/index.js';
import { bench } from './bench.js';

/** Makes flows of which each cancels the next while it is left, and cancels the first. Returns how many still run. */
async function cancelChain(length: number, fill: (flow: AsyncSteps, next: () => void) => void) {
  const { tool, flow, told } = bench();
  const flows = [flow];
  for (let i = 1; i < length; i++) flows.push(flow.newInstance());
  flows.forEach((each, i) => {
    fill(each, () => flows[i + 1]?.cancel());
    each.execute();
  });
  await tool.advance(1);
  flow.cancel();
  expect(told).to.deep.equal([]);
  return flows.filter((each) => each.running()).length;
}

describe('chains of cancels', function () {
  this.timeout(60_000);
  const LENGTH = 20_000;

  it('flows that cancel each other through awaitables are a list', async () => {
    const running = await cancelChain(LENGTH, (flow, next) => {
      flow.await({ then() {}, cancel: next } as never);
    });
    expect(running).to.equal(0);
  });

  it('flows that cancel each other through iterators are a list', async () => {
    const running = await cancelChain(LENGTH, (flow, next) => {
      const iterator = { next: () => ({ done: false, value: 1 }), return: next };
      flow.forEach(
        { [Symbol.iterator]: () => iterator } as never,
        (asi) => void asi.waitExternal(),
      );
    });
    expect(running).to.equal(0);
  });

  it('a handler may cancel three hundred thousand flows at once', async () => {
    const { tool, flow, run } = bench();
    const flows: AsyncSteps[] = [];
    for (let i = 0; i < 300_000; i++) {
      const each = flow.newInstance();
      each.add((asi) => asi.setCancel(() => {}));
      each.execute();
      flows.push(each);
    }
    let spent = 0;
    flow.add((asi) =>
      asi.setCancel(() => {
        for (const each of flows) each.cancel();
      }),
    );
    tool.deferred(1, () => {
      const start = performance.now();
      flow.cancel();
      spent = performance.now() - start;
    });
    await run();
    expect(flows.some((each) => each.running())).to.equal(false);
    expect(spent).to.be.lessThan(2000);
  });

  it('the also of eighty thousand claims comes soon and in order', async () => {
    const { tool, flow, run } = bench();
    const done: { error(code: string): boolean }[] = [];
    const count = 80_000;
    flow.add((asi) => {
      const branches = asi.parallel();
      for (let i = 0; i < count; i++)
        branches.add((branch) => void done.push(branch.waitExternal()));
    });
    tool.deferred(1, () => {
      for (let i = count - 1; i >= 0; i--) done[i]!.error(`E${i}`);
    });
    const start = performance.now();
    const outcome = (await run())!;
    const also = (outcome.error as { also: { code: string }[] }).also.map(({ code }) => code);
    expect(performance.now() - start).to.be.lessThan(8000);
    expect(also.slice(0, 2)).to.deep.equal([`E${count - 2}`, `E${count - 3}`]);
    expect(also.at(-1)).to.equal('E0');
    expect(also.length).to.equal(count - 1);
  });
});
