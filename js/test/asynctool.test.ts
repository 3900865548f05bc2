import { expect } from 'chai';
import { AsyncSteps, AsyncTool, defaultTool } from '../src/index.js';
import { sleep } from './clocks.js';

describe('AsyncTool', () => {
  it('a flow without a tool uses the default tool', () => {
    expect(new AsyncSteps().settings.tool).to.equal(defaultTool);
    expect(defaultTool).to.be.instanceOf(AsyncTool);
  });

  it('now is in whole milliseconds', async () => {
    const tool = new AsyncTool();
    const before = tool.now();
    await sleep(5);
    expect(Number.isInteger(before)).to.equal(true);
    expect(tool.now()).to.be.greaterThan(before);
  });

  it('immediates run in order, later than the call', async () => {
    const tool = new AsyncTool();
    const order: string[] = [];
    await new Promise<void>((resolve) => {
      tool.immediate(() => {
        order.push('a');
        tool.immediate(() => {
          order.push('c');
          resolve();
        });
      });
      tool.immediate(() => void order.push('b'));
      order.push('called');
    });
    expect(order).to.deep.equal(['called', 'a', 'b', 'c']);
  });

  it('real timers fire in the order of their due times, never early', async () => {
    const tool = new AsyncTool();
    const order: number[] = [];
    const armed: number[] = [];
    await new Promise<void>((resolve) => {
      for (const ms of [60, 3, 30, 3]) {
        const due = performance.now() + ms;
        armed.push(due);
        tool.deferred(ms, () => {
          expect(performance.now()).to.be.at.least(due);
          order.push(due);
          if (order.length === 4) resolve();
        });
      }
    });
    expect(order).to.deep.equal(armed.sort((a, b) => a - b));
  });

  it('a cancelled handle is not called and not valid', async () => {
    const tool = new AsyncTool();
    const called: string[] = [];
    const immediate = tool.immediate(() => called.push('immediate'));
    const timer = tool.deferred(1, () => called.push('timer'));
    expect([immediate.valid(), timer.valid()]).to.deep.equal([true, true]);
    for (const handle of [immediate, timer, immediate, timer]) handle.cancel();
    expect([immediate.valid(), timer.valid()]).to.deep.equal([false, false]);
    await sleep(10);
    expect(called).to.deep.equal([]);
  });

  it('a handle is not valid any more in its own callback', async () => {
    const tool = new AsyncTool();
    const seen = await new Promise((resolve) => {
      const handle = tool.deferred(1, () => resolve(handle.valid()));
    });
    expect(seen).to.equal(false);
  });

  it('slow callbacks of a fresh tool let the platform run after the second at the latest', async () => {
    const tool = new AsyncTool();
    const order: string[] = [];
    const slow = (name: string) => {
      const until = performance.now() + 3;
      while (performance.now() < until);
      order.push(name);
    };
    const all = new Promise<void>((resolve) => {
      for (const name of ['a', 'b', 'c']) tool.immediate(() => slow(name));
      tool.immediate(resolve);
    });
    setImmediate(() => order.push('platform'));
    await all;
    expect(order.indexOf('platform')).to.be.within(1, 2);
  });

  it('an exception out of a callback goes to onError', async () => {
    const tool = new AsyncTool();
    const caught: unknown[] = [];
    const all = new Promise<void>((resolve) => {
      tool.onError = (thrown) => {
        if (caught.push(thrown) === 3) resolve();
      };
    });
    tool.immediate(() => {
      throw 'immediate';
    });
    tool.deferred(50, () => {
      throw 'timer';
    });
    const flow = new AsyncSteps({ tool });
    flow.execute(() => {
      throw 'done';
    });
    await all;
    expect(caught).to.deep.equal(['immediate', 'done', 'timer']);
  });

  it('an endless loop lets timers run', async () => {
    const flow = new AsyncSteps();
    flow.add(
      (asi) => {
        asi.setTimeout(20);
        asi.loop(() => {});
      },
      (asi, code) => asi.success(code),
    );
    let foreign = false;
    setTimeout(() => {
      foreign = true;
    }, 5);
    const start = performance.now();
    expect(await flow.promise()).to.equal('Timeout');
    expect(performance.now() - start).to.be.lessThan(1000);
    expect(foreign).to.equal(true);
  });

  it('an endless loop on a real tool does not starve timers', async () => {
    const flow = new AsyncSteps();
    let rounds = 0;
    flow.loop(() => void rounds++);
    flow.execute();
    const late: number[] = [];
    for (let i = 0; i < 20; i++) {
      const start = performance.now();
      await sleep(2);
      late.push(performance.now() - start - 2);
    }
    flow.cancel();
    late.sort((a, b) => a - b);
    expect(rounds).to.be.greaterThan(1000);
    expect(late[10]).to.be.lessThan(20);
  });

  it('an endless chain of promises in a flow lets timers run', async () => {
    const flow = new AsyncSteps();
    flow.loop(async () => null);
    flow.execute();
    await sleep(5);
    flow.cancel();
  });

  it('a step of a real flow is ended by its timeout while the flow is busy', async () => {
    const flow = new AsyncSteps();
    flow.add(
      (asi) => {
        asi.setTimeout(10);
        asi.loop((each) => {
          each.add(() => {});
        });
      },
      (asi, code) => asi.success(code),
    );
    expect(await flow.promise()).to.equal('Timeout');
  });

  it('a timer that is armed by a foreign callback wakes an idle tool', async () => {
    const tool = new AsyncTool();
    await sleep(2);
    await new Promise<void>((resolve) => tool.deferred(0, resolve));
    await new Promise<void>((resolve) => tool.deferred(2, resolve));
  });

  it('an endless chain of empty flows lets timers run', async () => {
    const flow = new AsyncSteps();
    const start = performance.now();
    let over = false;
    flow.execute(function again() {
      if (!over && performance.now() - start < 5000) flow.execute(again);
    });
    await sleep(5);
    over = true;
    expect(performance.now() - start).to.be.lessThan(2000);
  });

  it('a small flow of an idle process ends before the loop turns', async () => {
    const tool = new AsyncTool();
    let turns = 0;
    for (let i = 0; i < 20; i++) {
      await sleep(3);
      let turned = false;
      setImmediate(() => {
        turned = true;
      });
      const flow = new AsyncSteps({ tool }).add(() => {}).add(() => {});
      await new Promise((resolve) => flow.execute(resolve));
      if (turned) turns++;
    }
    expect(turns).to.be.lessThan(5);
  });

  it('a mistake of the runtime costs a turn, not the tool', async () => {
    const tool = new AsyncTool();
    const broken = {
      slot: -1,
      turn() {
        throw new Error('leak');
      },
    };
    const caught = new Promise((resolve) => {
      const others = process.listeners('unhandledRejection');
      process.removeAllListeners('unhandledRejection');
      process.once('unhandledRejection', (reason) => {
        for (const other of others) process.on('unhandledRejection', other);
        resolve((reason as Error).message);
      });
    });
    tool.enqueue(broken);
    const after = new Promise((resolve) => tool.immediate(() => resolve('ran')));
    expect(await Promise.all([caught, after])).to.deep.equal(['leak', 'ran']);
  });

  it('one timer of the platform serves all of a tool', async () => {
    const { setTimeout, clearTimeout } = globalThis;
    const armed = new Set<unknown>();
    Object.assign(globalThis, {
      setTimeout: (fn: () => void, ms: number) => {
        const timer = setTimeout(() => {
          armed.delete(timer);
          fn();
        }, ms);
        armed.add(timer);
        return timer;
      },
      clearTimeout: (timer: NodeJS.Timeout) => {
        armed.delete(timer);
        clearTimeout(timer);
      },
    });
    const tool = new AsyncTool();
    const counts: number[] = [];
    const late = tool.deferred(60_000, () => {});
    await new Promise<void>((resolve) => {
      tool.deferred(5, () => {
        counts.push(armed.size);
        resolve();
      });
      tool.deferred(2, () => void counts.push(armed.size));
      counts.push(armed.size);
    });
    await null;
    counts.push(armed.size);
    late.cancel();
    for (const timer of armed) clearTimeout(timer as NodeJS.Timeout);
    Object.assign(globalThis, { setTimeout, clearTimeout });
    expect(counts).to.deep.equal([1, 0, 0, 1]);
  });

  it('what stands in the queue is not put there again', async () => {
    const tool = new AsyncTool();
    let turns = 0;
    const node = { slot: -1, turn: () => void turns++ };
    tool.enqueue(node);
    tool.enqueue(node);
    await new Promise<void>((resolve) => void tool.immediate(resolve));
    expect(turns).to.equal(1);
  });

  it('there is never more time than was set', async () => {
    const left = await new AsyncSteps()
      .loop((asi) => {
        asi.setTimeout(50);
        const most = asi.remaining();
        asi.setTimeout(0);
        const none = asi.remaining();
        asi.setTimeout(50);
        if (most > 50 || none > 0) asi.add((asi) => asi.error('TooMuch'));
        else if (performance.now() % 1 > 0.9) asi.breakLoop();
        else asi.success();
      })
      .add((asi) => asi.success('fine'))
      .promise();
    expect(left).to.equal('fine');
  });
});
