import { expect } from 'chai';
import { type IAsyncSteps, type ISync, Lease, Mutex, step, sync } from '../src/index.js';
import { bench, thrownBy } from './bench.js';

describe('lease', () => {
  it('is of an open lock, which has one', async () => {
    const { flow, run } = bench();
    const codes: string[] = [];
    let kept!: IAsyncSteps;
    const refused = (asi: unknown) =>
      codes.push(thrownBy(() => new Lease(asi as IAsyncSteps)).code);
    const guard: ISync = {
      lock(asi) {
        new Lease((kept = asi));
        refused(asi);
      },
      unlock: refused,
    };
    flow.add(refused);
    flow.sync(guard, (asi) => {
      refused(asi);
      refused(kept);
    });
    refused({});
    refused(null);
    await run();
    expect(codes).to.deep.equal(Array(7).fill('InternalError'));
  });

  it('refuses a time that is none', async () => {
    const { flow, run } = bench();
    const guard: ISync = {
      lock(asi) {
        const lease = new Lease(asi);
        expect(thrownBy(() => lease.lose(-1)).code).to.equal('InternalError');
        expect(thrownBy(() => lease.lose('1' as never)).code).to.equal('InternalError');
      },
      unlock() {},
    };
    flow.sync(guard, () => {});
    expect((await run())?.kind).to.equal('ok');
  });

  it('a lock that is lost says so to the value around its section, and the lock is given on', async () => {
    const { tool, flow, run } = bench();
    const mutex = new Mutex();
    let lease!: Lease;
    const guard: ISync = { lock: (asi) => void (lease = new Lease(asi)), unlock() {} };
    const codes: string[] = [];
    const body = step((asi) => void asi.waitExternal()).onError(() => void codes.push('never'));
    const section = sync(guard, sync(mutex, body)).onError((asi, code) => {
      codes.push(code);
      asi.success();
    });
    flow.add(section);
    tool.deferred(5, () => lease.lose());
    expect((await run())?.kind).to.equal('ok');
    expect(codes).to.deep.equal(['LeaseLost']);
    expect(mutex.active).to.equal(0);
    lease.lose();
    expect(tool.armedTimers()).to.equal(0);
  });

  it('an awaitable that goes on is abandoned as by a timeout, and its signal is aborted', async () => {
    const { tool, flow, run } = bench();
    let lease!: Lease;
    let signal!: AbortSignal;
    const guard: ISync = { lock: (asi) => void (lease = new Lease(asi)), unlock() {} };
    flow.sync(guard, (asi) => {
      signal = asi.signal as AbortSignal;
      return new Promise<void>(() => {});
    });
    tool.deferred(5, () => lease.lose());
    const end: any = await run();
    expect(end.error.code).to.equal('LeaseLost');
    expect(signal.aborted).to.equal(true);
  });
});
