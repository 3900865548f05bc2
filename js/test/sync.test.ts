import { expect } from 'chai';
import {
  AsyncSteps,
  Breaker,
  type IAsyncSteps,
  type ISync,
  Limiter,
  Mutex,
  RwLock,
  Throttle,
} from '../src/index.js';
import { bench, thrownBy } from './bench.js';

const free: ISync = { lock() {}, unlock() {} };

describe('sync', () => {
  it('nothing but sync locks a guard of the runtime', () => {
    const { read, write } = new RwLock();
    const made = [new Mutex(), new Throttle({ max: 1 }), new Limiter(), new Breaker()];
    for (const guard of [...made, read, write]) {
      expect('lock' in guard || 'unlock' in guard).to.equal(false);
    }
  });

  it('errors of guards say their names', async () => {
    const name = 'db';
    const lock = new RwLock({ maxQueue: 0, name });
    const { read, write } = lock;
    expect(lock.name).to.equal(name);
    const guards = [
      new Mutex({ maxQueue: 0, name }),
      new Mutex({ maxQueue: 0, name }).places(1),
      new Throttle({ max: 1, maxQueue: 0, name }),
      new Limiter({ concurrent: 1, maxQueue: 0, name }),
      new Limiter({ rate: 1, maxQueue: 0, name }),
      read,
      write,
    ];
    for (const guard of guards) {
      expect(guard.name).to.equal(name);
      const infos: string[] = [];
      const { tool, flow, run } = bench({ unhandled: () => {} });
      const holder = new AsyncSteps({ tool });
      holder.sync(guard === read ? write : guard, (asi) => void asi.waitExternal()).execute();
      flow.sync(guard, () => {});
      const end: any = await run();
      infos.push(end.error.info);
      expect(end.error.guard).to.equal(name);
      holder.cancel();
      const inner = guard === read ? write : guard;
      flow.add((asi) => asi.sync(inner, (held) => void held.parallel().sync(guard, () => {})));
      await tool.advance(1000);
      const deadlock: any = await run();
      infos.push(deadlock.error.info);
      expect(deadlock.error.guard).to.equal(name);
      for (const info of infos) expect(info).to.match(/^\w+ 'db': /);
    }
    expect(new Mutex().name).to.equal('');
  });

  it('a guard without lock and unlock is a bad argument', () => {
    const flow = new AsyncSteps();
    const bad = [
      undefined,
      null,
      5,
      'guard',
      {},
      { lock() {} },
      { unlock() {} },
      { lock: 1, unlock: 1 },
    ];
    for (const guard of bad) {
      for (const adder of [flow, flow.parallel()]) {
        const { code, info } = thrownBy(() => adder.sync(guard as never, () => {}));
        expect(code).to.equal('InternalError');
        expect(info).to.match(/^sync: expected a guard, or an object with lock and unlock, got /);
      }
    }
  });

  it('a bad body or handler of a section adds nothing', async () => {
    const { flow, run } = bench();
    expect(thrownBy(() => flow.sync(free, 5 as never)).info).to.contain('a function as body');
    expect(thrownBy(() => flow.sync(free, () => {}, 5 as never)).info).to.contain('error handler');
    expect(await run()).to.deep.equal({ kind: 'ok', values: [] });
  });

  it('a function may be a guard', async () => {
    const { flow, run } = bench();
    const calls: string[] = [];
    const guard = Object.assign(() => {}, {
      lock: () => void calls.push('lock'),
      unlock: () => void calls.push('unlock'),
    });
    flow.sync(guard, () => void calls.push('body'));
    await run();
    expect(calls).to.deep.equal(['lock', 'body', 'unlock']);
  });

  it('lock and unlock are called on their guard', async () => {
    class Counter implements ISync {
      #locked = 0;
      most = 0;
      lock(): void {
        this.most = Math.max(this.most, ++this.#locked);
      }
      unlock(): void {
        this.#locked--;
      }
    }
    const { flow, run } = bench();
    const counter = new Counter();
    flow.repeat(3, (asi) => void asi.sync(counter, () => {}));
    expect((await run())?.kind).to.equal('ok');
    expect(counter.most).to.equal(1);
  });

  it('sync chains on a root, an accessor and a parallel', async () => {
    const { flow, run } = bench();
    const names: string[] = [];
    const note = (name: string) => () => void names.push(name);
    flow
      .sync(free, (asi) => void asi.sync(free, note('inner')).add(note('then')))
      .add((asi) => void asi.parallel().sync(free, note('b1')).sync(free, note('b2')));
    await run();
    expect(names).to.deep.equal(['inner', 'then', 'b1', 'b2']);
  });

  it('the rejection of a promise from unlock goes to report', async () => {
    const { flow, run, told } = bench();
    flow.sync({ lock() {}, unlock: () => Promise.reject(new Error('boom')) }, () => {});
    expect((await run())?.kind).to.equal('ok');
    expect(told).to.deep.equal(['report InternalError']);
  });

  it('what unlock throws in a branch is reported with the path of the branch', async () => {
    const paths: string[] = [];
    const { flow, run } = bench({ report: (_code, _info, _thrown, path) => paths.push(path) });
    const guard: ISync = {
      lock() {},
      unlock() {
        throw new Error('boom');
      },
    };
    flow.parallel().sync(guard, () => {});
    expect((await run())?.kind).to.equal('ok');
    expect(paths).to.deep.equal(['0/|0']);
  });

  it('an async lock has locked when it has returned', async () => {
    const { flow, run } = bench();
    const calls: string[] = [];
    const guard: ISync = {
      async lock(asi) {
        await null;
        calls.push(`locked ${asi.valid()}`);
      },
      unlock: () => void calls.push('unlock'),
    };
    flow.sync(guard, async () => {
      await null;
      calls.push('body');
    });
    expect((await run())?.kind).to.equal('ok');
    expect(calls).to.deep.equal(['locked true', 'body', 'unlock']);
  });

  it('an async lock that is settled when the flow is cancelled is unlocked', async () => {
    const { tool, flow, run } = bench();
    const calls: string[] = [];
    let release!: () => void;
    const gate = new Promise<void>((resolve) => {
      release = resolve;
    });
    gate.then(() => void 0).then(() => queueMicrotask(() => flow.cancel()));
    flow.sync(
      { lock: () => gate, unlock: () => void calls.push('unlock') },
      () => void calls.push('body'),
    );
    tool.deferred(5, () => release());
    expect((await run())?.kind).to.equal('cancelled');
    expect(calls).to.deep.equal(['unlock']);
  });

  it('what a lock returns that cancels its flow is cancelled', async () => {
    const { flow, run } = bench();
    const calls: string[] = [];
    const gate = Object.assign(new Promise<void>(() => {}), { cancel: () => calls.push('gate') });
    const guard = {
      lock() {
        flow.cancel();
        return gate;
      },
      unlock: () => void calls.push('unlock'),
    };
    flow.sync(guard, () => void calls.push('body'));
    expect((await run())?.kind).to.equal('cancelled');
    expect(calls).to.deep.equal(['gate']);
  });

  it('100,000 nested sections are locked and unlocked without recursion', async () => {
    const depth = 100_000;
    for (const fails of [false, true]) {
      const { flow, run } = bench({ burst: 100_000 });
      let locked = 0;
      let left = depth;
      const guard: ISync = { lock: () => void locked++, unlock: () => void locked-- };
      const body = (asi: IAsyncSteps): void => {
        if (--left > 0) asi.sync(guard, body);
        else if (fails) asi.error('E');
        else expect(locked).to.equal(depth);
      };
      flow.sync(guard, body);
      expect((await run())?.kind).to.equal(fails ? 'error' : 'ok');
      expect(locked).to.equal(0);
    }
  }).timeout(60_000);
});
