import { inspect } from 'node:util';
import { expect } from 'chai';
import type { ICompletion } from '../src/index.js';
import { bench } from './bench.js';

describe('timeout', () => {
  it('a fraction of a millisecond is rounded up', async () => {
    const { tool, flow, run } = bench();
    flow.add((asi) => asi.setTimeout(2.1));
    expect((await run())?.code).to.equal('Timeout');
    expect(tool.now()).to.equal(3);
  });

  it('an infinite timeout never fires, and holds nothing', async () => {
    const { tool, flow, run } = bench();
    let done!: ICompletion;
    flow.add((asi) => {
      asi.setTimeout(5);
      asi.setTimeout(Infinity);
      done = asi.waitExternal();
    });
    expect(await run()).to.equal(null);
    expect(tool.now()).to.equal(0);
    expect(done.success()).to.equal(true);
    await tool.run();
    expect(flow.running()).to.equal(false);
  });

  it('a timeout beyond the range of platform timers works', async () => {
    const { tool, flow, run } = bench();
    flow.add((asi) => asi.setTimeout(2 ** 40));
    expect((await run())?.code).to.equal('Timeout');
    expect(tool.now()).to.equal(2 ** 40);
  });

  it('a timeout of an async body ends it, and its late rejection is nobody’s', async () => {
    const { tool, flow, run } = bench();
    flow.add(async (asi) => {
      asi.setTimeout(5);
      await new Promise((resolve) => void tool.deferred(10, () => resolve(null)));
      throw new Error('late');
    });
    expect((await run())?.code).to.equal('Timeout');
  });

  it('an error that was latched in an async body joins the timeout that overtakes it', async () => {
    const { flow, run } = bench();
    flow.add(async (asi) => {
      asi.setTimeout(5);
      asi.errorNoThrow('Latched');
      await new Promise(() => {});
    });
    const { error } = (await run()) as { error: any };
    expect(error.code).to.equal('Timeout');
    expect(error.also.map((each: any) => each.code)).to.deep.equal(['Latched']);
  });

  it('a timer of an async body goes on over the sub-steps that it added', async () => {
    const { tool, flow, run } = bench();
    flow.add(async (asi) => {
      asi.setTimeout(5);
      await null;
      asi.add((inner) => void inner.waitExternal());
    });
    expect((await run())?.code).to.equal('Timeout');
    expect(tool.now()).to.equal(5);
  });

  it('a timer of an async body does not make it wait', async () => {
    const { tool, flow, run } = bench();
    flow.add(async (asi) => {
      asi.setTimeout(5);
      asi.setCancel(() => {});
    });
    expect((await run())?.kind).to.equal('ok');
    expect(tool.now()).to.equal(0);
  });

  it('what was waited for stands in the error, for consoles and JSON, too, and goes on with it', async () => {
    const { flow, run } = bench();
    flow.add((asi) => {
      asi.setTimeout(5);
      asi.add((inner) => void inner.waitExternal());
    });
    const { error } = (await run()) as { error: any };
    expect(error.waits).to.equal('0/0 step: waits for its completion');
    expect(inspect(error)).to.include("waits: '0/0 step: waits for its completion'");
    expect(JSON.parse(JSON.stringify(error)).waits).to.equal(error.waits);
    const again = bench();
    again.flow.add(() => {
      throw error;
    });
    expect(((await again.run()) as { error: any }).error.waits).to.equal(error.waits);
  });

  it('what was waited for is looked for however many lines there are', async () => {
    const { flow, run } = bench();
    const lines = 20_000;
    flow.add((asi) => {
      asi.setTimeout(5);
      const branches = asi.parallel();
      for (let i = 0; i < lines; i++) branches.add((inner) => void inner.waitExternal());
    });
    const { error } = (await run()) as { error: any };
    expect(error.waits).to.equal(`0/0/|0 step: waits for its completion, and ${lines - 1} more`);
  });
});
