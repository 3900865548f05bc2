import { expect } from 'chai';
import { setTimeout as sleep } from 'node:timers/promises';
import { AsyncSteps, type IAsyncSteps, Mutex, map } from '../src/index.js';
import { bench } from './bench.js';

/** A source that needs some turns to close, and says when it has. */
function slow(order: string[], values = 3) {
  return {
    async *[Symbol.asyncIterator]() {
      try {
        for (let i = 0; i < values; i++) yield i;
      } finally {
        order.push('closing');
        for (let i = 0; i < 5; i++) await null;
        order.push('closed');
      }
    },
  };
}

describe('what takes time to stop', () => {
  it('an async source that is left by break is closed before the next step', async () => {
    const { flow, run } = bench();
    const order: string[] = [];
    flow.forEach(slow(order), (asi) => asi.breakLoop()).add(() => void order.push('next'));
    expect((await run())?.kind).to.equal('ok');
    expect(order).to.deep.equal(['closing', 'closed', 'next']);
  });

  it('an async source that an error leaves is closed before any handler outside', async () => {
    const { flow, run } = bench();
    const order: string[] = [];
    flow.add(
      (asi) => {
        asi.setCancel(() => void order.push('cancel handler'));
        asi.forEach(slow(order), (each) => each.error('E'));
      },
      (asi, code) => {
        order.push(code);
        asi.success();
      },
    );
    await run();
    expect(order).to.deep.equal(['closing', 'closed', 'cancel handler', 'E']);
  });

  it('an async source of a map is closed before its handler and the next step', async () => {
    const { flow, run } = bench();
    const order: string[] = [];
    flow.add(
      map(slow(order), { limit: 1 }, (asi) => asi.error('E')).onError((asi: IAsyncSteps) => {
        order.push('handler');
        asi.success();
      }),
    );
    flow.add(() => void order.push('next'));
    await run();
    expect(order).to.deep.equal(['closing', 'closed', 'handler', 'next']);
  });

  it('loop control that goes on outwards waits for the async sources that it leaves', async () => {
    const { flow, run } = bench();
    const order: string[] = [];
    flow.loop((asi) => {
      asi.forEach(slow(order), (each) => each.breakLoop('outer'));
    }, 'outer');
    flow.add(() => void order.push('next'));
    await run();
    expect(order).to.deep.equal(['closing', 'closed', 'next']);
  });

  it('closed() and the end of a cancelled flow wait for its async sources', async () => {
    const { flow, tool } = bench();
    const order: string[] = [];
    flow.forEach(slow(order), (asi) => void asi.waitExternal());
    flow.execute((outcome) => void order.push(outcome.kind));
    tool.deferred(1, () => {
      flow.cancel();
      order.push('returned');
      void flow.closed().then(() => void order.push('told'));
    });
    await tool.run();
    expect(order).to.deep.equal(['returned', 'closing', 'closed', 'cancelled', 'told']);
  });

  it('a source that is being asked has its return called and is not waited for', async () => {
    const { flow, run, told } = bench();
    let returned = 0;
    const source = {
      [Symbol.asyncIterator]: () => ({
        next: () => new Promise<IteratorResult<number>>(() => {}),
        return: () => {
          returned++;
          return new Promise<IteratorResult<number>>(() => {});
        },
      }),
    };
    flow.add(
      (asi) => {
        asi.setTimeout(5);
        asi.forEach(source, () => {});
      },
      (asi) => asi.success(),
    );
    expect((await run())?.kind).to.equal('ok');
    expect([returned, told]).to.deep.equal([1, []]);
  });

  it('a return that never settles is abandoned after the grace, and reported', async () => {
    const { flow, run, told } = bench({ grace: 10 });
    const source = {
      [Symbol.asyncIterator]: () => ({
        next: async () => ({ done: false, value: 1 }),
        return: () => new Promise<IteratorResult<number>>(() => {}),
      }),
    };
    flow.forEach(source, (asi) => asi.breakLoop());
    expect((await run())?.kind).to.equal('ok');
    expect(told).to.deep.equal(['report Timeout']);
  });

  it('what stopping rejects with is reported, and changes nothing', async () => {
    const { flow, run, told } = bench();
    const work = Object.assign(new Promise(() => {}), {
      cancel: () => Promise.reject(new Error('no')),
    });
    flow.add(
      (asi) => {
        asi.setTimeout(5);
        asi.await(work);
      },
      (asi, code) => asi.success(code),
    );
    const outcome = await run();
    expect([outcome?.values, told]).to.deep.equal([['Timeout'], ['report InternalError']]);
  });
});

describe('what is abandoned', () => {
  it('is reported if it fails with anything but the end of what it was given', async () => {
    const reports: unknown[] = [];
    const ends: (() => void)[] = [];
    const failing = (reason: (signal: AbortSignal) => unknown) => {
      const flow = new AsyncSteps({ report: (_code, _info, error) => void reports.push(error) });
      flow.add(
        (asi) => {
          asi.setTimeout(1);
          const signal = asi.signal as AbortSignal;
          return new Promise((_, reject) => ends.push(() => reject(reason(signal))));
        },
        (asi) => asi.success(),
      );
      return flow.promise();
    };
    const bug = new TypeError('a bug');
    await Promise.all([
      failing(() => bug),
      failing((signal) => signal.reason),
      failing(() => new DOMException('stopped', 'AbortError')),
    ]);
    for (const end of ends) end();
    await sleep(1);
    expect(reports).to.deep.equal([bug]);
  });

  it('never lets two async bodies into a mutex of one place', async () => {
    const mutex = new Mutex();
    let inside = 0;
    let most = 0;
    const visit = () =>
      new AsyncSteps()
        .add(
          (asi) => {
            asi.setTimeout(2);
            asi.sync(mutex, async () => {
              most = Math.max(most, ++inside);
              await sleep(5);
              inside--;
            });
          },
          (asi) => asi.success(),
        )
        .promise();
    await Promise.all(Array.from({ length: 5 }, visit));
    await sleep(10);
    expect([most, inside]).to.deep.equal([1, 0]);
  });

  it('what cannot be looked at again, to be followed, has stopped, and is reported', async () => {
    for (const place of ['step', 'deferred function'] as const) {
      const { flow, told, run } = bench();
      let looks = 0;
      const answer = Object.defineProperty({}, 'then', {
        get() {
          if (++looks > 1) throw 'Hostile';
          return () => {};
        },
      });
      const awaitable = Object.assign(new Promise(() => {}), { cancel: () => answer });
      flow.add(
        (asi) => {
          if (place === 'step') asi.setTimeout(5);
          if (place === 'step') asi.await(awaitable);
          else asi.defer((own) => own.await(awaitable));
        },
        (asi) => asi.success(),
      );
      expect((await run())?.kind, place).to.equal('ok');
      expect(told, place).to.include('report Hostile');
      expect(looks, place).to.equal(2);
    }
  });
});
