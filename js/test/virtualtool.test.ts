import { expect } from 'chai';
import { AsyncSteps, VirtualTool } from '../src/index.js';
import { thrownBy } from './bench.js';

describe('VirtualTool', () => {
  it('run and advance return promises', async () => {
    const tool = new VirtualTool();
    const run = tool.run();
    expect(run).to.be.instanceOf(Promise);
    await run;
    const advance = tool.advance(5);
    expect(advance).to.be.instanceOf(Promise);
    await advance;
    expect(tool.now()).to.equal(5);
  });

  it('advance runs what is due and stops there', async () => {
    const tool = new VirtualTool();
    const fired: number[] = [];
    for (const ms of [5, 10, 11]) tool.deferred(ms, () => fired.push(ms));
    await tool.advance(10);
    expect(fired).to.deep.equal([5, 10]);
    expect(tool.now()).to.equal(10);
    await tool.advance(0.5);
    expect(fired).to.deep.equal([5, 10, 11]);
    expect(tool.now()).to.equal(11);
    for (const ms of [-1, Number.NaN, '1' as never]) {
      expect(thrownBy(() => tool.advance(ms)).code).to.equal('InternalError');
    }
  });

  it('advance leaves a loop that never rests at its last instant', async () => {
    const tool = new VirtualTool();
    const flow = new AsyncSteps({ tool });
    let due = false;
    flow.loop(() => {});
    flow.execute();
    tool.deferred(2, () => {
      due = true;
    });
    await tool.advance(2);
    expect(tool.now()).to.equal(2);
    expect(due).to.equal(true);
    expect(flow.running()).to.equal(true);
    flow.cancel();
  });

  it('advance ends a busy instant at its own time', async () => {
    const tool = new VirtualTool();
    const flow = new AsyncSteps({ tool });
    let rounds = 0;
    flow.loop(() => void rounds++);
    flow.execute();
    tool.deferred(3, () => flow.cancel());
    await tool.advance(10);
    expect(tool.now()).to.equal(10);
    expect(rounds).to.be.within(3 * 256, 3 * 400);
  });

  it('hundreds of immediates at one instant leave an endless loop its turns and no more', async () => {
    const tool = new VirtualTool();
    for (let i = 0; i < 300; i++) tool.immediate(() => {});
    const flow = new AsyncSteps({ tool });
    let rounds = 0;
    flow.loop(() => void rounds++);
    flow.execute();
    tool.immediate(() => flow.cancel());
    await tool.run();
    expect(rounds).to.equal(100);
  });

  it('a callback may work for longer than the tool is to run', async () => {
    const tool = new VirtualTool();
    const seen: string[] = [];
    tool.immediate(() => tool.elapse(50));
    tool.deferred(30, () => void seen.push('due'));
    tool.deferred(70, () => void seen.push('later'));
    await tool.advance(10);
    expect([tool.now(), ...seen]).to.deep.equal([50, 'due']);
    await tool.advance(10);
    expect(tool.now()).to.equal(60);
    tool.elapse(1);
    expect(tool.now()).to.equal(61);
    await tool.run();
    expect([tool.now(), ...seen]).to.deep.equal([70, 'due', 'later']);
  });

  it('the virtual tool drains microtasks after every callback', async () => {
    const tool = new VirtualTool();
    const order: string[] = [];
    const chain = async (name: string, length: number) => {
      for (let i = 0; i < length; i++) await null;
      order.push(name);
    };
    tool.immediate(() => void chain('long', 50));
    tool.immediate(() => order.push('second'));
    tool.deferred(1, () => void chain('timer', 50));
    tool.deferred(1, () => order.push('last'));
    await tool.run();
    expect(order).to.deep.equal(['long', 'second', 'timer', 'last']);
  });

  it('a tool that runs cannot be run, from inside or from outside', async () => {
    const tool = new VirtualTool();
    const codes: string[] = [];
    tool.immediate(() => {
      codes.push(thrownBy(() => tool.run()).code, thrownBy(() => tool.advance(1)).code);
    });
    const run = tool.run();
    codes.push(thrownBy(() => tool.run()).code);
    await run;
    expect(codes).to.deep.equal(['InternalError', 'InternalError', 'InternalError']);
    await tool.run();
  });

  it('run calls nothing before it has returned', async () => {
    const tool = new VirtualTool();
    let called = false;
    tool.immediate(() => {
      called = true;
    });
    const run = tool.run();
    expect(called).to.equal(false);
    await run;
    expect(called).to.equal(true);
  });

  it('an exception goes to onError and the rest still runs', async () => {
    const tool = new VirtualTool();
    const caught: unknown[] = [];
    tool.onError = (thrown) => caught.push(thrown);
    tool.immediate(() => {
      throw 1;
    });
    tool.immediate(() => caught.push('second'));
    await tool.run();
    expect(caught).to.deep.equal([1, 'second']);
  });

  it('what stands in the queue is not put there again', async () => {
    const tool = new VirtualTool();
    let turns = 0;
    const node = { slot: -1, turn: () => void turns++ };
    tool.enqueue(node);
    tool.enqueue(node);
    await tool.run();
    expect(turns).to.equal(1);
  });
});
