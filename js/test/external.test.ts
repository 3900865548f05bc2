import { expect } from 'chai';
import type { IAsyncSteps, ICompletion } from '../src/index.js';
import { bench, thrownBy } from './bench.js';

describe('external', () => {
  it('the first call on a completion wins, later ones return false', async () => {
    const { tool, flow, run } = bench();
    const answers: boolean[] = [];
    flow.add((asi) => {
      const done = asi.waitExternal();
      const same = asi.waitExternal();
      tool.deferred(1, () => {
        answers.push(done.valid(), done.success('first'), same.success('second'));
        answers.push(done.error('E'), done.valid(), same.valid());
      });
    });
    expect((await run())?.values).to.deep.equal(['first']);
    expect(answers).to.deep.equal([true, true, false, false, false, false]);
  });

  it('a completion called long after its flow has ended does nothing', async () => {
    const { flow, run } = bench();
    let done!: ICompletion;
    flow.add((asi) => {
      done = asi.waitExternal();
      done.success('in the body');
    });
    expect((await run())?.values).to.deep.equal(['in the body']);
    expect([done.success(), done.error('E'), done.valid()]).to.deep.equal([false, false, false]);
    flow.add((asi) => void asi.waitExternal());
    expect(await run()).to.equal(null);
    expect(done.success()).to.equal(false);
  });

  it('a completion never throws: bad arguments are the failure of its step', async () => {
    const calls: ((done: any) => boolean)[] = [
      (done) => done.error(''),
      (done) => done.error(5),
      (done) => done.error('E', {}),
      (done) => done.success(1, 2, 3, 4, 5),
    ];
    for (const call of calls) {
      const { tool, flow, run } = bench();
      flow.add((asi) => {
        const done = asi.waitExternal();
        tool.deferred(1, () => expect(call(done)).to.equal(true));
      });
      expect((await run())?.code).to.equal('InternalError');
    }
  });

  it('an accessor used from outside ends its waiting step without throwing', async () => {
    const ends: [(asi: IAsyncSteps) => void, string][] = [
      [(asi) => asi.success(), 'ok'],
      [(asi) => asi.error('E'), 'error'],
      [(asi) => asi.errorNoThrow('E'), 'error'],
      [(asi) => asi.break('nowhere'), 'error'],
      [(asi) => asi.error(5 as never), 'error'],
    ];
    for (const [end, kind] of ends) {
      const { tool, flow, run } = bench();
      flow.add((asi) => {
        asi.waitExternal();
        tool.deferred(1, () => {
          end(asi);
          expect(thrownBy(() => asi.success()).code).to.equal('InternalError');
        });
      });
      expect((await run())?.kind).to.equal(kind);
    }
  });

  it('a completion keeps no values beyond its call', async () => {
    const { tool, flow, run } = bench();
    const values: unknown[][] = [];
    flow.add((asi) => {
      const done = asi.waitExternal();
      tool.deferred(1, () => done.success(1, 2, 3, 4));
    });
    flow.add((_asi, ...all) => void values.push(all));
    flow.add((_asi, ...all) => void values.push(all));
    await run();
    expect(values).to.deep.equal([[1, 2, 3, 4], []]);
  });

  it('more values than parameters are dropped', async () => {
    const { flow, run } = bench();
    let seen: unknown;
    flow.successStep(1, 2, 3).add((_asi, a) => {
      seen = a;
    });
    expect((await run())?.kind).to.equal('ok');
    expect(seen).to.equal(1);
  });

  it('fewer values than parameters are undefined', async () => {
    const { flow, run } = bench();
    let seen: unknown[] = [];
    flow.successStep(1).add((_asi, a, b) => {
      seen = [a, b];
    });
    await run();
    expect(seen).to.deep.equal([1, undefined]);
  });
});
