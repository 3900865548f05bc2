import { expect } from 'chai';
import { bench } from './bench.js';

describe('cancel', () => {
  it("an exception out of an awaitable's cancel goes to report", async () => {
    const { tool, flow, told, run } = bench();
    const awaitable = Object.assign(new Promise(() => {}), {
      cancel() {
        throw new Error('no');
      },
    });
    flow.await(awaitable);
    tool.deferred(1, () => flow.cancel());
    expect((await run())?.kind).to.equal('cancelled');
    expect(told).to.deep.equal(['report InternalError']);
  });

  it('the rejection of a promise from a cancel handler goes to report', async () => {
    const { tool, flow, told, run } = bench();
    flow.add((asi) => {
      asi.setCancel(async () => {
        throw 'Dirty';
      });
    });
    tool.deferred(1, () => flow.cancel());
    expect((await run())?.kind).to.equal('cancelled');
    expect(told).to.deep.equal(['report Dirty']);
  });

  it('a cancelled async body is not heard of again', async () => {
    const { tool, flow, told, run } = bench();
    let valid: boolean | undefined;
    flow.add(async (asi) => {
      await new Promise((resolve) => void tool.deferred(5, () => resolve(null)));
      valid = asi.valid();
      asi.error('Late');
    });
    tool.deferred(1, () => flow.cancel());
    expect((await run())?.kind).to.equal('cancelled');
    expect(valid).to.equal(false);
    expect(told).to.deep.equal([]);
  });

  it('an async body that cancels its own flow and throws leaves no unhandled rejection', async () => {
    const { flow, run } = bench();
    flow.add(async () => {
      flow.cancel('own');
      throw new Error('after');
    });
    expect(await run()).to.deep.equal({ kind: 'cancelled', reason: 'own' });
  });

  it('a chain of flows that cancel each other is as long as memory allows', async () => {
    const { tool, flow, run } = bench();
    let cancelled = 0;
    let next = flow;
    for (let i = 0; i < 20_000; i++) {
      const inner = flow.newInstance();
      inner.add((asi) => asi.setCancel(() => void cancelled++));
      const outer = next;
      outer.add((asi) => asi.setCancel(() => inner.cancel()));
      if (outer !== flow) outer.execute();
      next = inner;
    }
    next.execute();
    const end = tool.deferred(1, () => flow.cancel());
    expect((await run())?.kind).to.equal('cancelled');
    expect(end.valid()).to.equal(false);
    expect(cancelled).to.equal(1);
  });

  it('the reason is in the outcome as it was given', async () => {
    for (const reason of [undefined, '', 'why']) {
      const { tool, flow, run } = bench();
      flow.add((asi) => void asi.waitExternal());
      tool.deferred(1, () => flow.cancel(reason));
      const expected = reason === undefined ? {} : { reason };
      expect({ ...(await run()) }).to.deep.equal({ kind: 'cancelled', ...expected });
    }
  });
});
