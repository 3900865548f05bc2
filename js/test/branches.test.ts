import { expect } from 'chai';
import { AsyncSteps, AsyncTool, type IParallel, VirtualTool } from '../src/index.js';
import { bench, thrownBy } from './bench.js';

const COUNT = 200;

/** What two flows and an immediate do beside each other, while more branches start than a tool runs without looking at its clock. */
async function traceOn(tool: AsyncTool | VirtualTool, failing = -1): Promise<string[]> {
  const trace: string[] = [];
  const flow = new AsyncSteps({ tool });
  const branches = flow.parallel((asi, code) => {
    trace.push(code);
    asi.success();
  });
  for (let i = 0; i < COUNT; i++) {
    branches.add((asi) => {
      trace.push(`b${i}`);
      if (i === 3) tool.immediate(() => trace.push('immediate'));
      if (i === failing) asi.error('E');
      if (i % 3 === 0) asi.add(() => void trace.push(`c${i}`));
      if (i % 5 === 0) asi.setCancel(() => trace.push(`x${i}`));
      if (i % 5 === 0) asi.add((inner) => void inner.waitExternal().success());
    });
  }
  flow.add(() => void trace.push('joined'));
  const other = new AsyncSteps({ tool });
  other.add(() => void trace.push('o0')).relinquish();
  other.add(() => void trace.push('o1'));
  const ended = Promise.all([flow.promise(), other.promise()]);
  if (tool instanceof VirtualTool) await tool.run();
  await ended;
  return trace;
}

describe('branches', () => {
  it('start in order, before what was queued after them, on every tool', async () => {
    const virtual = await traceOn(new VirtualTool());
    const starts = Array.from({ length: COUNT }, (_, i) => `b${i}`);
    expect(virtual.filter((line) => line.startsWith('b'))).to.deep.equal(starts);
    expect(virtual.indexOf('o1')).to.be.greaterThan(virtual.indexOf(`b${COUNT - 1}`));
    expect(virtual.at(-1)).to.equal('joined');
    expect(await traceOn(new AsyncTool())).to.deep.equal(virtual);
  });

  it('on the virtual tool each is a callback of its own, with its microtasks', async () => {
    const { flow, run } = bench();
    const trace: string[] = [];
    const branches = flow.parallel();
    for (const name of ['a', 'b', 'c']) {
      branches.add(() => {
        trace.push(name);
        Promise.resolve().then(() => trace.push(`${name} later`));
      });
    }
    await run();
    expect(trace).to.deep.equal(['a', 'a later', 'b', 'b later', 'c', 'c later']);
  });

  it('cannot be added any more once their parallel was dropped', async () => {
    const { flow, run } = bench();
    const dropped: IParallel[] = [];
    flow.add(
      (asi) => {
        dropped.push(asi.parallel(), asi.add(() => {}).parallel());
        asi.error('E');
      },
      (asi) => {
        for (const branches of dropped) {
          expect(thrownBy(() => branches.add(() => {})).code).to.equal('InternalError');
        }
        asi.success();
      },
    );
    expect((await run())?.kind).to.equal('ok');
  });

  it('that have not started when one fails never do, on every tool', async () => {
    const virtual = await traceOn(new VirtualTool(), 17);
    expect(virtual).to.include.members(['b17', 'x15', 'E', 'joined']);
    expect(virtual).not.to.include('b18');
    expect(await traceOn(new AsyncTool(), 17)).to.deep.equal(virtual);
  });

  it('that have not started when the flow is cancelled never do', async () => {
    let started = 0;
    const flow = new AsyncSteps();
    const branches = flow.parallel();
    for (let i = 0; i < 10; i++) {
      branches.add((asi) => {
        if (++started === 4) flow.cancel();
        asi.waitExternal();
      });
    }
    const { kind } = await new Promise<{ kind: string }>((resolve) => flow.execute(resolve));
    expect(kind).to.equal('cancelled');
    expect(started).to.equal(4);
  });
});
