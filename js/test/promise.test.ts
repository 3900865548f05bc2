import { expect } from 'chai';
import { StepError } from '../src/index.js';
import { bench, rejectionOf, thrownBy } from './bench.js';

describe('promise', () => {
  it('a promise rejects with the native exception itself', async () => {
    for (const code of [undefined, 'EMAPPED']) {
      const { tool, flow } = bench();
      const thrown = Object.assign(new RangeError('bug'), code && { code });
      flow.add(() => {
        throw thrown;
      });
      const rejection = rejectionOf(flow.promise());
      await tool.run();
      expect(await rejection).to.equal(thrown);
    }
  });

  it('a promise rejects with the whole step error', async () => {
    const { tool, flow } = bench();
    flow.add(
      (asi) => asi.error('First'),
      (asi) => asi.error('Second', 'why'),
      'named',
    );
    const rejection = rejectionOf(flow.promise());
    await tool.run();
    const error = await rejection;
    expect(error).to.be.instanceOf(StepError);
    expect([error.code, error.info, error.path]).to.deep.equal(['Second', 'why', 'named']);
    expect(error.cause.code).to.equal('First');
    expect(error.also).to.deep.equal([]);
  });

  it("a cancelled flow's promise tells the reason", async () => {
    const { tool, flow } = bench();
    flow.add((asi) => void asi.waitExternal());
    const rejection = rejectionOf(flow.promise());
    tool.deferred(1, () => flow.cancel('enough'));
    await tool.run();
    const error = await rejection;
    expect(error).to.be.instanceOf(StepError);
    expect([error.code, error.info]).to.deep.equal(['Canceled', 'enough']);
  });

  it('a promise resolves with the first value of the last step', async () => {
    const { tool, flow } = bench();
    flow.add((asi) => asi.success('a', 'b'));
    const promise = flow.promise<string>();
    expect(promise).to.be.instanceOf(Promise);
    expect(thrownBy(() => flow.promise()).code).to.equal('InternalError');
    await tool.run();
    expect(await promise).to.equal('a');
  });

  it('a flow can be awaited in another one', async () => {
    const { tool, flow, run } = bench();
    flow.add((asi) => {
      const other = asi.newInstance();
      other.add((inner) => {
        const done = inner.waitExternal();
        tool.deferred(5, () => done.success('far'));
      });
      asi.await(other.promise());
    });
    expect((await run())?.values).to.deep.equal(['far']);
  });

  it('a flow that failed elsewhere fails the step that awaits it, with a path of its own', async () => {
    const { flow, run } = bench();
    let path: unknown;
    flow.add(
      (asi) => {
        const other = asi.newInstance();
        other.add(() => {}).add((inner) => inner.error('Far', 'i'));
        asi.await(other.promise());
      },
      (asi) => {
        path = asi.state.async_stack;
      },
    );
    const { error, code } = (await run())!;
    expect(code).to.equal('Far');
    expect((error as StepError).path).to.equal('0/0');
    expect(path).to.equal('0/0');
  });

  it('promises of flows on the default tool settle without help', async () => {
    const { AsyncSteps } = await import('../src/index.js');
    const flow = new AsyncSteps();
    flow.add(async () => 5).add((asi, five) => asi.success(five + 1));
    expect(await flow.promise()).to.equal(6);
    flow.add((asi) => asi.error('E'));
    expect((await rejectionOf(flow.promise())).code).to.equal('E');
  });
});
