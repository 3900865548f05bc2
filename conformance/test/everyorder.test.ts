import { expect } from 'chai';
import type { Answer } from '../adapter.js';
import type { Program } from '../case.js';
import { difference, everyOrder, nextOrder, seededOrders } from '../everyorder.js';
import { isSmall, movesFreely } from '../small.js';
import { findings } from '../watched.js';

const program: Program = { case: 'some program', rules: ['tool-38'], flows: { main: [] } };

/** A tool that has three to choose from, and then two, but after the last of the three. */
async function asked({ order }: Program): Promise<Answer> {
  if (typeof order === 'number') return { trace: [`seed ${order}`, 'main ok'] };
  const [first = 0, second = 0] = order as number[];
  if (first === 2) return { trace: ['2', 'main ok'], alternatives: [3] };
  return { trace: [`${first}${second}`, 'main ok'], alternatives: [3, 2] };
}

describe('everyOrder', () => {
  it('finds every order once', async () => {
    const { runs, fault } = await everyOrder(asked, program, 100);
    expect(fault).to.equal(undefined);
    expect(runs.map(({ trace }) => trace[0])).to.deep.equal(['00', '01', '10', '11', '2']);
  });

  it('ends at the limit, and at a fault', async () => {
    expect((await everyOrder(asked, program, 3)).runs).to.have.length(3);
    const broken = async (asking: Program): Promise<Answer> =>
      (asking['order'] as number[]).length === 2 ? { fault: 'out', broken: false } : asked(asking);
    const { runs, fault } = await everyOrder(broken, program, 100);
    expect(runs).to.have.length(1);
    expect(fault).to.equal('order [0,1]: out');
  });

  it('an odometer goes round once', () => {
    expect(nextOrder([], [])).to.equal(undefined);
    expect(nextOrder([], [2, 3])).to.deep.equal([0, 1]);
    expect(nextOrder([0, 2], [2, 3, 1])).to.deep.equal([1]);
    expect(nextOrder([1, 2], [2, 3])).to.equal(undefined);
  });

  it('seeds are run one by one', async () => {
    const { runs } = await seededOrders(asked, program, [3, 4]);
    expect(runs.map(({ trace }) => trace[0])).to.deep.equal(['seed 3', 'seed 4']);
  });

  it('a difference shows the order that leads to it', async () => {
    const expected = await everyOrder(asked, program, 100);
    expect(difference(expected, expected)).to.equal(undefined);
    const other = structuredClone(expected.runs) as unknown as {
      trace: string[];
      alternatives: number[];
    }[];
    other[2]!.trace[0] = 'else';
    expect(difference(expected, { runs: other as never })).to.contain(
      'got, order [1] of [3,2]: else',
    );
    expect(difference(expected, { runs: expected.runs.slice(1) })).to.contain('expected, order []');
    expect(difference(expected, { runs: expected.runs.slice(0, 4) })).to.contain('no such order');
    expect(difference(expected, { runs: expected.runs, fault: 'gone' })).to.equal('gone');
    const choices = structuredClone(expected.runs) as unknown as { alternatives: number[] }[];
    choices[0]!.alternatives = [3, 3];
    expect(difference(expected, { runs: choices as never })).to.contain('of [3,3]');
  });
});

describe('programs in every order', () => {
  const guarded = { ...program, guards: { g: { mutex: {} } }, flows: { main: [], free: [] } };
  const watched = { program: guarded, orders: 2, always: ['x'], either: ['y', 'z'] };
  const run = (...trace: string[]) => ({ order: [], trace, alternatives: [] });
  const first = run('x', 'y', 'main ok', 'free', 'free ok');
  const second = run('z', 'x', 'main cancelled why', 'free', 'free ok');

  it('what is true of them is no finding', () => {
    expect(findings(watched, [first, second])).to.deep.equal([]);
  });

  it('each thing that is not true is a finding', () => {
    const bad = (...runs: ReturnType<typeof run>[]) => findings(watched, runs).join('; ');
    expect(bad(first)).to.contain('1 orders, not 2').and.to.contain("no order leads to 'z'");
    expect(bad(first, run('x', 'z', 'main ok', 'main error E', 'free', 'free ok'))).to.contain(
      'main has ended 2 times',
    );
    expect(bad(first, run('x', 'z', 'main ok', 'free waiting'))).to.contain('a guard is not free');
    expect(bad(first, run('z', 'main ok', 'free', 'free ok'))).to.contain("no 'x'");
    expect(bad(first, run('x', 'y', 'z', 'main ok', 'free', 'free ok'))).to.contain('not one of');
  });

  it('small ones have six steps and no loop; those that keep accessors stay as they are', () => {
    const of = (...main: unknown[]): Program => ({ ...program, flows: { main } });
    const steps = (count: number) => Array.from({ length: count }, () => ({ step: 'a' }));
    expect(isSmall(of(...steps(6)))).to.equal(true);
    expect(isSmall(of(...steps(6), 'relinquish'))).to.equal(false);
    expect(isSmall(of({ step: 'a', do: [{ sync: 'b', do: steps(5) }] }))).to.equal(false);
    expect(isSmall(of({ loop: 'a' }))).to.equal(false);
    expect(isSmall(of({ map: 'm', of: { source: 's', endless: true } }))).to.equal(false);
    expect(movesFreely(of({ loop: 'a' }))).to.equal(true);
    expect(movesFreely(of({ step: 'a', do: [{ keep: 'k' }] }))).to.equal(false);
    expect(movesFreely(of({ step: 'a', do: [{ snapshot: true }] }))).to.equal(false);
    expect(movesFreely(of({ step: 'a', do: [{ snapshot: 'main' }] }))).to.equal(true);
  });
});
