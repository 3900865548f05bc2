// The programs by which step trees were first explained to a wider audience, in this API.

import { expect } from 'chai';
import { AsyncSteps, type IAsyncSteps } from '../src/index.js';
import { bench } from './bench.js';

describe('article', () => {
  it('an error is replaced on one level and recovered on the next', async () => {
    const { flow, run } = bench();
    const printed: string[] = [];
    flow.add(
      (asi) => {
        printed.push('Level 0 func');
        asi.add(
          (inner) => {
            printed.push('Level 1 func');
            inner.error('MyError');
          },
          (inner, code) => {
            printed.push(`Level 1 onerror: ${code}`);
            inner.error('NewError', 'Human-readable description');
          },
        );
      },
      (asi, code) => {
        printed.push(`Level 0 onerror: ${code}`);
        expect(asi.state.error_info).to.equal('Human-readable description');
        expect(asi.state.last_exception).to.be.instanceOf(Error);
        expect(asi.state.async_stack).to.equal('0/0');
        if (code === 'NewError') asi.success('Prm', 123, [1, 2, 3], true);
      },
    );
    flow.add((_asi, text: string, number: number, list: number[], flag: boolean) => {
      printed.push(`Level 0 func2: ${text}`);
      expect([number, list, flag]).to.deep.equal([123, [1, 2, 3], true]);
    });
    expect((await run())?.kind).to.equal('ok');
    expect(printed).to.deep.equal([
      'Level 0 func',
      'Level 1 func',
      'Level 1 onerror: MyError',
      'Level 0 onerror: NewError',
      'Level 0 func2: Prm',
    ]);
  });

  it('all loops stand in one level', async () => {
    const { flow, run } = bench();
    const seen: unknown[] = [];
    flow.add((asi) => {
      asi.loop((each) => {
        seen.push('loop');
        each.breakLoop();
      });
      asi.repeat(3, (each, i) => {
        seen.push(i);
        each.continueLoop();
      });
      asi.forEach([1, 2, 3], (_each, i, v) => void seen.push([i, v]));
      asi.forEach(new Set(['1', '2']), (_each, i, v) => void seen.push([i, v]));
      asi.forEach(new Map([['k', 'v']]), (_each, key, v) => void seen.push([key, v]));
      asi.forEach({ key: 'value' }, (_each, key, v) => void seen.push([key, v]));
    });
    await run();
    const lists = [
      [0, 1],
      [1, 2],
      [2, 3],
      [0, '1'],
      [1, '2'],
      ['k', 'v'],
      ['key', 'value'],
    ];
    expect(seen).to.deep.equal(['loop', 0, 1, 2, ...lists]);
  });

  it('an external callback ends a step, and a cancel withdraws it', async () => {
    const program = (fails: boolean) => {
      const made = bench();
      const withdrawn: number[] = [];
      made.flow.add((asi) => {
        const handle = made.tool.deferred(10, () => {
          if (fails) asi.error('ExternalError');
          else asi.success('data');
        });
        asi.setCancel(() => {
          handle.cancel();
          withdrawn.push(made.tool.now());
        });
      });
      return { ...made, withdrawn };
    };
    const good = program(false);
    expect((await good.run())?.values).to.deep.equal(['data']);
    expect(good.withdrawn).to.deep.equal([]);

    const bad = program(true);
    expect((await bad.run())?.code).to.equal('ExternalError');
    expect(bad.withdrawn).to.deep.equal([10]);

    const cancelled = program(false);
    cancelled.tool.deferred(5, () => cancelled.flow.cancel());
    expect((await cancelled.run())?.kind).to.equal('cancelled');
    expect(cancelled.withdrawn).to.deep.equal([5]);
  });

  it('an endless loop under a timeout is ended and recovered', async () => {
    const { tool, flow, run } = bench();
    flow.add(
      (asi) => {
        asi.setTimeout(10_000);
        asi.loop(() => {});
      },
      (asi, code) => {
        if (code === 'Timeout') asi.success();
      },
    );
    expect((await run())?.kind).to.equal('ok');
    expect(tool.now()).to.equal(10_000);
  }).timeout(20_000);

  it('a callback-style reader is wrapped by waiting for it', async () => {
    type Callback = (error: Error | null, data?: string) => void;
    const { tool, flow, run } = bench();
    const read = (error: Error | null) => (callback: Callback) =>
      void tool.deferred(3, () => (error ? callback(error) : callback(null, 'line')));
    const wrap = (source: (callback: Callback) => void) => (asi: IAsyncSteps) => {
      const done = asi.waitExternal();
      source((error, data) => {
        if (error) done.error('IOError', error.message, error);
        else done.success(data);
      });
    };
    flow.add(wrap(read(null)));
    expect((await run())?.values).to.deep.equal(['line']);
    flow.add(wrap(read(new Error('gone'))));
    expect(await run()).to.deep.include({ kind: 'error', code: 'IOError' });
    flow.add((asi) => {
      asi.setTimeout(1);
      wrap(read(null))(asi);
    });
    expect((await run())?.code).to.equal('Timeout');
  });

  it('a new instance becomes a promise that the maker awaits', async () => {
    const { flow, run } = bench();
    flow.add((asi) => {
      const steps = asi.newInstance();
      steps.add((inner) => inner.success('made elsewhere'));
      asi.await(steps.promise());
    });
    flow.add((asi, value) => asi.success(value));
    expect((await run())?.values).to.deep.equal(['made elsewhere']);
  });

  it('an endless flow on the real loop is cancelled from outside', async () => {
    const flow = new AsyncSteps();
    let rounds = 0;
    flow.loop(() => void rounds++);
    const ended = new Promise((resolve) => flow.execute((outcome) => resolve(outcome.kind)));
    await new Promise((resolve) => setTimeout(resolve, 20));
    flow.cancel();
    expect(flow.running()).to.equal(false);
    const stopped = rounds;
    expect(await ended).to.equal('cancelled');
    expect(stopped).to.be.greaterThan(0);
    expect(rounds).to.equal(stopped);
  });

  it('three branches interleave until one of them fails', async () => {
    const { flow, run } = bench();
    flow.add((asi) => {
      const order: number[] = [];
      asi.state['order'] = order;
      asi
        .parallel((all) => all.success())
        .add((branch) => {
          order.push(1);
          branch.add(() => void order.push(4));
        })
        .add((branch) => {
          order.push(2);
          branch.add((inner) => {
            order.push(5);
            inner.error('SomeError');
          });
        })
        .add((branch) => {
          order.push(3);
          branch.add(() => void order.push(6));
        });
      asi.add((after) => after.success(after.state['order']));
    });
    expect((await run())?.values).to.deep.equal([[1, 2, 3, 4, 5]]);
  });
});
