import { expect } from 'chai';
import { AsyncSteps, type IAsyncSteps, VirtualTool, shield } from '../src/index.js';
import { bench, thrownBy } from './bench.js';
import { gc } from './gc.js';

const wide = { burst: 1_000_000 };

describe('cleanup', function () {
  this.timeout(60_000);

  it('a grace that is no delay throws InternalError', () => {
    for (const grace of [-1, Number.NaN, '5', null]) {
      const error = thrownBy(() => new AsyncSteps({ grace: grace as never }));
      expect(error.code).to.equal('InternalError');
      expect(error.info).to.match(/^grace: expected milliseconds/);
    }
  });

  it('an iterator is returned to when the cleanup of its iteration is over', async () => {
    const { flow, run } = bench();
    const order: string[] = [];
    const items = {
      *[Symbol.iterator]() {
        try {
          for (let i = 0; ; i++) yield i;
        } finally {
          order.push('return');
        }
      },
    };
    flow.forEach(items, (asi) => {
      asi.defer((inner) => {
        inner.setTimeout(5);
        inner.add(() => void order.push('cleanup'));
      });
      asi.breakLoop();
    });
    flow.add(() => void order.push('after'));
    expect((await run())?.kind).to.equal('ok');
    expect(order).to.deep.equal(['cleanup', 'return', 'after']);
  });

  it('report is told the path of what is abandoned, and what went wrong in it', async () => {
    const told: unknown[] = [];
    const report = (code: string, _info: string, exception: any, path: string) =>
      told.push(code, path, exception.also.length);
    const { flow, run } = bench({ grace: 10, report });
    flow.add((asi) => {
      asi.defer(() => {});
      asi.defer((inner) => {
        inner.add((failing) => {
          failing.defer((waits) => void waits.waitExternal());
          failing.error('E');
        });
      });
    });
    expect((await run())?.kind).to.equal('ok');
    expect(told).to.deep.equal(['Timeout', '0/~1', 1]);
  });

  it('a deferred function may be async, and is too late when it was abandoned', async () => {
    const { flow, run, told, tool } = bench({ grace: 10 });
    let late: (() => void) | undefined;
    flow.add((asi) => {
      asi.defer(async (inner) => {
        await null;
        inner.add(() => void told.push('added'));
      });
      asi.defer(
        () =>
          new Promise((_, reject) => {
            late = () => reject(new Error('late'));
          }),
      );
    });
    tool.deferred(20, () => late?.());
    expect((await run())?.kind).to.equal('ok');
    expect(told).to.deep.equal(['report Timeout', 'added', 'report InternalError']);
  });

  it('a hundred thousand nested steps are cleaned up without recursion', async () => {
    const DEPTH = 100_000;
    let cleaned = 0;
    const nest = (left: number) => (asi: IAsyncSteps) => {
      asi.defer(() => void cleaned++);
      if (left > 0) asi.add(nest(left - 1));
      else asi.waitExternal();
    };
    const { flow, run, tool } = bench(wide);
    flow.add(nest(DEPTH - 1));
    tool.deferred(10_000, () => flow.cancel());
    expect((await run())?.kind).to.equal('cancelled');
    expect(cleaned).to.equal(DEPTH);
  });

  it('branches in branches that clean up are closed without recursion', async () => {
    const DEPTH = 20_000;
    let cleaned = 0;
    const nest = (left: number) => (asi: IAsyncSteps) => {
      asi.defer(() => void cleaned++);
      if (left > 0) asi.parallel().add(nest(left - 1));
      else asi.waitExternal();
    };
    const { flow, run, tool } = bench();
    flow.add(nest(DEPTH - 1));
    tool.deferred(100_000, () => flow.cancel());
    expect((await run())?.kind).to.equal('cancelled');
    expect(cleaned).to.equal(DEPTH);
  });

  it('a hundred thousand branches that clean up are closed in linear time', async () => {
    const time = async (count: number) => {
      const { flow, run, tool } = bench();
      let cleaned = 0;
      const branch = (asi: IAsyncSteps) => {
        asi.defer((inner) => {
          cleaned++;
          inner.add(() => {});
        });
        asi.waitExternal();
      };
      flow.add((asi) => {
        const branches = asi.parallel();
        for (let i = 0; i < count; i++) branches.add(branch);
      });
      let begun = 0;
      tool.deferred(100_000, () => {
        begun = performance.now();
        flow.cancel();
      });
      expect((await run())?.kind).to.equal('cancelled');
      expect(cleaned).to.equal(count);
      return performance.now() - begun;
    };
    await time(1000);
    const few = await time(10_000);
    expect(await time(100_000)).to.be.lessThan(60 * Math.max(few, 5));
  });

  it('what remains costs the same at every depth', async () => {
    const CALLS = 20_000;
    const cost = async (depth: number) => {
      let took = Infinity;
      const nest = (left: number) => (asi: IAsyncSteps) => {
        asi.setTimeout(1_000_000 + left);
        if (left > 0) {
          asi.add(nest(left - 1));
          return;
        }
        for (let round = 0; round < 5; round++) {
          const begun = performance.now();
          for (let i = 0; i < CALLS; i++) asi.remaining();
          took = Math.min(took, performance.now() - begun);
        }
        expect(asi.remaining()).to.be.within(1, 1_000_000);
        asi.success();
      };
      const { flow, run } = bench(wide);
      flow.add(nest(depth));
      expect((await run())?.kind).to.equal('ok');
      return took;
    };
    const shallow = Math.max(await cost(10), 0.5);
    expect(await cost(50_000)).to.be.lessThan(50 * shallow);
  });

  it('a turn of a cleanup for which a cancel waits costs the same at every depth', async () => {
    const cost = async (depth: number) => {
      let took = Infinity;
      const clean = (asi: IAsyncSteps) => {
        const begun = performance.now();
        asi.repeat(2000, (each) => each.relinquish());
        asi.add(() => {
          took = performance.now() - begun;
        });
      };
      const nest = (left: number) => (asi: IAsyncSteps) => {
        asi.setTimeout(1_000_000);
        if (left > 0) asi.add(nest(left - 1));
        else asi.defer(clean);
      };
      const { flow, run, tool } = bench(wide);
      flow.add(nest(depth));
      tool.deferred(100_000, () => flow.cancel());
      expect((await run())?.kind).to.equal('cancelled');
      return took;
    };
    const shallow = Math.max(await cost(10), 20);
    expect(await cost(50_000)).to.be.lessThan(10 * shallow);
  });

  it('a flow that cleaned up, in whatever way, leaves nothing behind', async () => {
    const tool = new VirtualTool();
    const thousand = async () => {
      for (let i = 0; i < 1000; i++) {
        const flow = new AsyncSteps({ tool, grace: 5, report() {} });
        flow.add((asi) => {
          asi.setTimeout(3);
          asi.defer((inner) => void inner.waitExternal());
          asi.defer((inner) => inner.add((deep) => deep.error('E')));
          asi.add(shield(9, (inner) => void inner.waitExternal()));
        });
        flow.execute(() => {});
        if (i % 2 === 0) tool.deferred(i % 7, () => flow.cancel());
        void flow.closed();
      }
      await tool.run();
    };
    for (let i = 0; i < 5; i++) await thousand();
    const used = () => {
      gc();
      gc();
      return process.memoryUsage().heapUsed;
    };
    const before = used();
    for (let i = 0; i < 20; i++) await thousand();
    expect(used() - before).to.be.lessThan(2 ** 20);
    await tool.run();
  });
});
