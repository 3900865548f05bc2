import { setTimeout as sleep } from 'node:timers/promises';
import { expect } from 'chai';
import {
  AsyncSteps,
  AsyncTool,
  type ICompletion,
  Mutex,
  VirtualTool,
  delay,
} from '../src/index.js';
import { fill, storage, within, world, type Seer } from './contexts.js';
import { gc } from './gc.js';

describe('contexts', function () {
  this.timeout(60_000);

  after(() => storage.disable());

  it('all that a flow calls sees the context of who has executed it', async () => {
    const { flow, seen, see, run } = world();
    const expected = fill(flow, see);
    storage.run('mine', () => flow.execute(() => see('done')));
    await run();
    expect([...new Set(seen)].sort()).to.deep.equal(within('mine', [...expected, 'done']).sort());
  });

  it('all that a failure or a timeout calls sees the context of who has executed the flow', async () => {
    const seen: string[] = [];
    const see: Seer = (what) => void seen.push(`${what}: ${storage.getStore()}`);
    const { flow, run } = world({ report: () => see('report'), unhandled: () => see('unhandled') });
    flow.add(
      (asi) => {
        asi.setTimeout(5);
        asi.signal.addEventListener('abort', () => see('signal'));
        asi.setCancel(() => {
          see('cancel handler');
          throw new Error('for report');
        });
      },
      (asi) => {
        see('handler of a timeout');
        asi.success();
      },
    );
    flow.add(
      (asi) => asi.await(Promise.reject(new Error('no'))),
      () => see('handler of a rejection'),
    );
    flow.add((asi) => asi.error('Never'));
    storage.run('mine', () => flow.execute());
    await run();
    const handlers = ['signal', 'cancel handler', 'report', 'handler of a timeout'];
    expect(seen).to.deep.equal(
      within('mine', [...handlers, 'handler of a rejection', 'unhandled']),
    );
  });

  it('a cleanup that has to be abandoned sees the context of who has executed the flow', async () => {
    const seen: string[] = [];
    const see: Seer = (what) => void seen.push(`${what}: ${storage.getStore()}`);
    const { flow, run } = world({ grace: 5, report: () => see('report') });
    flow.add((asi) => {
      asi.defer((asi) => asi.setCancel(() => see('cancel handler')));
    });
    flow.add(() => see('next'));
    storage.run('mine', () => flow.execute());
    await run();
    expect(seen).to.deep.equal(within('mine', ['cancel handler', 'report', 'next']));
  });

  it('what completes, ends or cancels a flow brings no context with it', async () => {
    for (const how of ['completion', 'promise', 'cancel', 'signal', 'guard'] as const) {
      const { tool, flow, seen, see, run } = world();
      const mutex = new Mutex();
      const controller = new AbortController();
      let completion: ICompletion | undefined;
      let settle: () => void = () => {};
      const promise = new Promise<void>((resolve) => {
        settle = resolve;
      });
      flow.add((asi) => {
        if (how === 'guard') asi.sync(mutex, () => see('section'));
        else if (how === 'promise') asi.await(promise);
        else if (how === 'completion') completion = asi.waitExternal();
        else asi.setCancel(() => see('cancel handler'));
        asi.defer(() => see('deferred'));
      });
      storage.run('mine', () => flow.execute(() => see('done'), { signal: controller.signal }));
      const other = new AsyncSteps({ tool });
      other.sync(mutex, (asi) => asi.add(delay(5)));
      other.add(() => {
        see('other');
        completion?.success();
        settle();
        if (how === 'cancel') flow.cancel();
        if (how === 'signal') controller.abort();
      });
      storage.run('other', () => other.execute());
      await run();
      const middle = { cancel: ['cancel handler'], signal: ['cancel handler'], guard: ['section'] };
      const own = [...((middle as Record<string, string[]>)[how] ?? []), 'deferred', 'done'];
      expect(seen.filter((what) => what !== 'other: other')).to.deep.equal(within('mine', own));
    }
  });

  it('a flow that is executed in a body has the context of that body then', async () => {
    const { tool, flow, seen, see, run } = world();
    flow.add((asi) => {
      const inner = (what: string) => {
        const steps = new AsyncSteps({ tool });
        steps.add(delay(1)).add(() => see(what));
        return steps.promise();
      };
      const own = inner('own');
      const changed = storage.run('changed', () => inner('changed'));
      asi.await(Promise.all([own, changed])).add(() => see('after both'));
    });
    storage.run('mine', () => flow.execute());
    await run();
    expect(seen).to.deep.equal(['own: mine', 'changed: changed', 'after both: mine']);
  });

  it('a flow that is executed again has the context of that call', async () => {
    const { flow, seen, see, run } = world();
    for (const context of ['first', 'second', undefined]) {
      flow.add((asi) => asi.add(delay(1)).add(() => see('step')));
      storage.run(context, () => flow.execute(() => see('done')));
      await run();
    }
    const expected = ['first', 'second', undefined].flatMap((context) =>
      within(context, ['step', 'done']),
    );
    expect(seen).to.deep.equal(expected);
  });

  it('a flow that is executed again before the call that has ended it returns may have no context', async () => {
    const { tool, flow, seen, see, run } = world({ unhandled: () => see('unhandled') });
    const other = new AsyncSteps({ tool });
    other.add((asi) =>
      asi.setCancel(() => {
        tool.keepContext = false;
        flow.add(() => see('again')).execute();
      }),
    );
    flow.add((asi) => {
      asi.setCancel(() => other.cancel());
      asi.add(delay(1)).add((asi) => asi.error('E'));
    });
    storage.run('other', () => other.execute());
    storage.run('mine', () => flow.execute());
    await run();
    expect(seen).to.deep.equal(['unhandled: mine', 'again: undefined']);
  });

  it('flows of one tool that take turns keep their contexts', async () => {
    const tool = new AsyncTool();
    let right = 0;
    const flows = Array.from({ length: 200 }, (_, i) => {
      const see = () => void (right += Number(storage.getStore() === i));
      const step = async () => {
        see();
        await sleep(1);
        see();
      };
      const flow = new AsyncSteps({ tool });
      flow.repeat(5, (asi, round) => {
        see();
        asi.add(delay((i * 7 + round) % 3)).add(step);
        asi
          .parallel()
          .add(see)
          .add((asi) => asi.add(delay(1)).add(see));
        asi.add((asi) => {
          const done = asi.waitExternal();
          setImmediate(() => done.success());
        });
        asi.add(see);
      });
      return storage.run(i, () => flow.promise());
    });
    await Promise.all(flows);
    expect(right).to.equal(200 * 5 * 6);
  });

  it('a callback sees the context in which it was scheduled', async () => {
    const { tool, seen, see, run } = world();
    storage.run('mine', () => {
      tool.immediate(() => see('immediate'));
      tool.deferred(5, () => see('deferred'));
    });
    await run();
    expect(seen).to.deep.equal(within('mine', ['immediate', 'deferred']));
  });

  it('a context is let go of with what it was kept for', async () => {
    const tool = new AsyncTool();
    const flow = new AsyncSteps({ tool });
    const handles: unknown[] = [];
    const held = await (async () => {
      const request = {};
      await storage.run(request, async () => {
        // The platform's timer is armed here, for an hour.
        flow.add((asi) => {
          asi.setTimeout(3_600_000);
          asi.add(delay(1));
        });
        await flow.promise();
        const handle = tool.deferred(3_600_000, () => {});
        handle.cancel();
        await new Promise<void>((resolve) => handles.push(handle, tool.immediate(resolve)));
      });
      return new WeakRef(request);
    })();
    for (let i = 0; i < 20 && held.deref() !== undefined; i++) {
      await sleep(1);
      gc();
    }
    expect(handles.length).to.equal(2);
    expect(flow.running()).to.equal(false);
    expect(held.deref()).to.equal(undefined);
  });

  it('a tool that keeps no contexts calls everything in none', async () => {
    const { tool, flow, seen, see, run } = world();
    tool.keepContext = false;
    const expected = fill(flow, see);
    flow.add(async () => {
      see('async body');
      await null;
      see('after an await');
    });
    flow.add((asi) => asi.setCancel(() => see('cancel handler')));
    storage.run('mine', () => {
      tool.immediate(() => see('immediate'));
      tool.deferred(5, () => see('callback of a timer'));
      tool.deferred(1000, () => storage.run('canceller', () => flow.cancel()));
      flow.execute(() => see('done'));
    });
    await run();
    const more = ['async body', 'after an await', 'cancel handler', 'immediate'];
    const all = [...expected, ...more, 'callback of a timer', 'done'];
    expect([...new Set(seen)].sort()).to.deep.equal(within(undefined, all).sort());
  });

  it('contexts are kept unless that is switched off', async () => {
    expect([new VirtualTool().keepContext, new AsyncTool().keepContext]).to.deep.equal([
      true,
      true,
    ]);
    const { tool, flow, seen, see, run } = world();
    const start = () => {
      storage.run('mine', () =>
        new AsyncSteps({ tool })
          .add(delay(1))
          .add(() => see('body'))
          .execute(),
      );
    };
    start();
    tool.keepContext = false;
    start();
    tool.keepContext = true;
    flow.add(() => see('without')).execute();
    await run();
    expect(seen).to.deep.equal(['without: undefined', 'body: mine', 'body: undefined']);
  });
});
