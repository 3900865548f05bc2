import { expect } from 'chai';
import { pathOf } from '../../tools/nodes.js';
import { parse } from '../arguments.js';
import { type Cell, inOrder, plan } from '../plan.js';
import { subjects } from '../subjects.js';

const present = (programs: readonly string[]) =>
  subjects.map((subject) => ({ subject, version: '1', programs }));
const nameOf = ({ scenario, subject }: Cell) => `${scenario.lang} ${scenario.name} ${subject.name}`;

describe('the plan of the benches', () => {
  it('pairs a scenario with the subjects of its language that have a program of it', () => {
    const some = present(['simple']).filter(({ subject }) =>
      ['steptree', 'Effect', 'libuv'].includes(subject.name),
    );
    const cells = plan(parse(['--only', 'simple,loop']), some);
    expect(cells.map(nameOf)).to.deep.equal([
      'cpp simple steptree',
      'cpp simple libuv',
      'js simple steptree',
      'js simple Effect',
    ]);
  });

  it('is smaller with --quick, and without the processes that load everything', () => {
    const all = present(['simple', 'grows_simple_1k', 'grows_simple_1M']);
    const quick = plan(parse(['--quick', '--lang', 'js']), all);
    const full = plan(parse(['--lang', 'js']), all);
    expect(quick.map(nameOf)).to.include('js grows_simple_1k steptree');
    expect(quick.map(nameOf).join()).to.not.match(/1M|all loaded/);
    expect(full.map(nameOf)).to.include('js simple steptree (all loaded)');
    expect(full.map(nameOf)).to.not.include('js grows_simple_1k steptree (all loaded)');
    expect(quick[0]!.size).to.be.below(full[0]!.size);
  });

  it('has the oldest Node beside the newest, but for what grows', () => {
    const all = present(['simple', 'grows_simple_1k']);
    const full = plan(parse(['--lang', 'js']), all);
    const nodeOf = (name: string) =>
      full.find((cell) => nameOf(cell) === name)?.subject.command ?? '';
    expect(nodeOf('js simple steptree')).to.include(pathOf());
    expect(nodeOf('js simple Effect (Node 20)')).to.include(pathOf('20'));
    expect(nodeOf('js grows_simple_1k Effect (Node 20)')).to.equal('');
  });

  it('gives a very slow subject fewer operations', () => {
    const cells = plan(parse(['--only', 'simple', '--lang', 'cpp']), present(['simple']));
    const sizes = new Map(cells.map(({ subject, size }) => [subject.name, size]));
    expect(sizes.get('Boost.Fiber protected')).to.be.below(sizes.get('Boost.Fiber pooled')!);
  });

  it('goes the other way in every second repetition', () => {
    const cells = plan(parse(['--only', 'simple']), present(['simple']));
    expect(inOrder(cells, 0)).to.deep.equal(cells);
    expect(inOrder(cells, 1)).to.deep.equal([...cells].reverse());
  });
});
