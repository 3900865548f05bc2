import { expect } from 'chai';
import { type IParallel, Mutex, delay, map, retry, shield } from '../src/index.js';
import { bench, thrownBy } from './bench.js';

describe('parallel', () => {
  it('calls on a parallel return the parallel', async () => {
    const { flow, run } = bench();
    flow.add((asi) => {
      const branches = asi.parallel();
      expect(branches.add(() => {})).to.equal(branches);
      expect(branches.loop((each) => each.breakLoop())).to.equal(branches);
      expect(branches.repeat(1, () => {})).to.equal(branches);
      expect(branches.forEach([1], () => {})).to.equal(branches);
      expect(branches.await(Promise.resolve())).to.equal(branches);
      expect(branches.add(map([1], { limit: 1 }, () => {}))).to.equal(branches);
      expect(branches.sync(new Mutex(), () => {})).to.equal(branches);
      expect(branches.add(shield(5, () => {}))).to.equal(branches);
      expect(branches.add(delay(0))).to.equal(branches);
      expect(branches.add(retry({ max: 1 }, () => {}))).to.equal(branches);
    });
    expect((await run())?.kind).to.equal('ok');
  });

  it('adding a branch to a started parallel throws InternalError', async () => {
    const { flow, run } = bench();
    let thrown: any;
    let bodies = 0;
    const branches = flow.parallel();
    branches.add((asi) => {
      thrown = thrownBy(() => branches.add(() => void bodies++));
      asi.add(() => void bodies++);
    });
    expect((await run())?.kind).to.equal('ok');
    expect(thrown.code).to.equal('InternalError');
    expect(bodies).to.equal(1);
    expect(thrownBy(() => branches.add(() => {})).code).to.equal('InternalError');
  });

  it("adding a branch after the maker's body has returned throws InternalError", async () => {
    const { flow, run } = bench();
    let branches!: IParallel;
    let thrown: any;
    flow.add((asi) => {
      asi.add(() => {
        thrown = thrownBy(() => branches.repeat(1, () => {}));
      });
      branches = asi.parallel();
    });
    expect((await run())?.kind).to.equal('ok');
    expect(thrown.code).to.equal('InternalError');
  });

  it('an error handler may add a parallel', async () => {
    const { flow, run } = bench();
    const seen: string[] = [];
    flow.add(
      (asi) => asi.error('E'),
      (asi) => {
        const branches = asi.parallel();
        for (const name of ['a', 'b']) branches.add(() => void seen.push(name));
      },
    );
    flow.add(() => void seen.push('after'));
    await run();
    expect(seen).to.deep.equal(['a', 'b', 'after']);
  });

  it('a hundred thousand branches are cancelled in add order', async () => {
    const { flow, run } = bench();
    const order: number[] = [];
    flow.add(
      (asi) => {
        const branches = asi.parallel();
        for (let i = 0; i < 100_000; i++) {
          branches.add((branch) => branch.setCancel(() => void order.push(i)));
        }
        branches.add((branch) => branch.error('E'));
      },
      (asi) => asi.success(),
    );
    expect((await run())?.kind).to.equal('ok');
    expect(order.length).to.equal(100_000);
    expect(order.every((branch, i) => branch === i)).to.equal(true);
  }).timeout(20_000);

  it('a parallel that was dropped with its body takes no branches in the handler', async () => {
    const { flow, run } = bench();
    let branches: IParallel;
    let refused: unknown;
    flow.add(
      (asi) => {
        branches = asi.parallel();
        asi.error('E');
      },
      (asi) => {
        refused = thrownBy(() => branches.add(() => {}));
        asi.success();
      },
    );
    expect((await run())?.kind).to.equal('ok');
    expect((refused as { code: string }).code).to.equal('InternalError');
  });

  it("a root's parallel takes no branches after a cancel or a run that dropped it", async () => {
    const { flow, run } = bench();
    const cancelled = flow.parallel();
    flow.cancel();
    expect(thrownBy(() => cancelled.add(() => {})).code).to.equal('InternalError');
    flow.add((asi) => asi.error('E'));
    const unreached = flow.parallel();
    await run();
    expect(thrownBy(() => unreached.add(() => {})).code).to.equal('InternalError');
  });
});
