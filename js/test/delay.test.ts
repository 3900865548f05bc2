import { expect } from 'chai';
import { delay } from '../src/index.js';
import { bench, thrownBy } from './bench.js';

/** When the step after a delay runs, on a tool whose time starts at 0; -1 if never. */
async function endsAt(ms: number): Promise<number> {
  const { flow, tool, run } = bench();
  flow.add(delay(ms));
  return (await run())?.kind === 'ok' ? tool.now() : -1;
}

describe('delay', () => {
  it('takes what setTimeout takes', async () => {
    expect(await endsAt(2000)).to.equal(2000);
    expect(await endsAt(1.2)).to.equal(2);
    expect(await endsAt(0)).to.equal(0);
    expect(await endsAt(Infinity)).to.equal(-1);
  });

  it('refuses what is no time, and adds nothing', async () => {
    for (const ms of [-1, Number.NaN, '5' as unknown as number]) {
      const { flow, run } = bench();
      expect(thrownBy(() => flow.add(delay(ms)))).to.include({ code: 'InternalError' });
      expect((await run())?.kind).to.equal('ok');
    }
  });

  it('leaves no timer when it is cancelled', async () => {
    const { flow, tool, run } = bench();
    flow.add(delay(1000));
    tool.deferred(5, () => flow.cancel());
    expect((await run())?.kind).to.equal('cancelled');
    expect(tool.now()).to.equal(5);
  });

  it('hands no values on, as relinquish does', async () => {
    const { flow, run } = bench();
    const counts: number[] = [];
    flow.add((asi) => asi.success(1)).add(delay(1));
    flow.add((asi, ...values) => {
      counts.push(values.length);
      asi.success(1);
    });
    flow.relinquish().add((_asi, ...values) => void counts.push(values.length));
    await run();
    expect(counts).to.deep.equal([0, 0]);
  });
});

describe('relinquish', () => {
  it('lets each other flow have a turn', async () => {
    const { flow, run } = bench();
    const other = flow.newInstance();
    const trace: string[] = [];
    for (const [name, owner] of Object.entries({ a: flow, b: other })) {
      owner.add(() => void trace.push(`${name}0`)).relinquish();
      owner.add(() => void trace.push(`${name}1`));
    }
    other.execute();
    await run();
    expect(trace).to.deep.equal(['b0', 'a0', 'b1', 'a1']);
  });
});
