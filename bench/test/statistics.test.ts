import { expect } from 'chai';
import type { Cell } from '../plan.js';
import { median, rows, type Sample } from '../report/statistics.js';
import { scenarios } from '../scenarios.js';
import { subjects } from '../subjects.js';

function cell(subject: string, name = 'simple'): Cell {
  return {
    scenario: scenarios.find((it) => it.lang === 'js' && it.name === name)!,
    subject: subjects.find((it) => it.lang === 'js' && it.name === subject)!,
    size: 1,
  };
}

const samples = (cell: Cell, ...ns: readonly number[]): Sample[] =>
  ns.map((ns, repetition) => ({ cell, ns, repetition }));

describe('the statistics of the benches', () => {
  it('take the middle, or the mean of the two in the middle', () => {
    expect(median([9, 1, 5])).to.equal(5);
    expect(median([9, 1, 5, 7])).to.equal(6);
    expect(median([3])).to.equal(3);
  });

  it('compare repetition with repetition, not median with median', () => {
    const [own, peer] = [cell('steptree'), cell('async/await')];
    const all = [...samples(own, 10, 40, 30), ...samples(peer, 20, 40, 100)];
    const [, row] = rows([own, peer], all);
    expect(row).to.deep.equal({
      lang: 'js',
      scenario: 'simple',
      subject: 'async/await',
      ns: 40,
      ratio: 0.5,
      ratio_min: 0.3,
      ratio_max: 1,
      n: 3,
    });
  });

  it('say 1 of steptree itself', () => {
    const own = cell('steptree');
    expect(rows([own], samples(own, 5, 7, 6))[0]).to.include({ ns: 6, ratio: 1, ratio_max: 1 });
  });

  it('compare bytes where the scenario is about bytes', () => {
    const [own, peer] = [cell('steptree', 'waiting_bytes'), cell('Effect', 'waiting_bytes')];
    const all: Sample[] = [
      { cell: own, repetition: 0, ns: 900, bytes: 200, rss: 7000 },
      { cell: peer, repetition: 0, ns: 100, bytes: 400, rss: 8000 },
    ];
    expect(rows([own, peer], all)[1]).to.include({ ratio: 0.5, bytes: 400, rss: 8000 });
  });

  it('take the worst of all repetitions where the scenario is about the worst', () => {
    const [own, peer] = [cell('steptree', 'lateness'), cell('Effect', 'lateness')];
    const all = [...samples(own, 1, 6, 2), ...samples(peer, 3, 4, 4)];
    expect(rows([own, peer], all)[0]).to.include({ ns: 6 });
    const [, row] = rows([own, peer], all);
    expect(row).to.include({ ns: 4, ratio: 1.5, ratio_max: 1.5 });
  });

  it('compare what ran with all libraries loaded with steptree in the same position', () => {
    const cells = [
      cell('steptree'),
      cell('steptree (all loaded)'),
      cell('async/await (all loaded)'),
    ];
    const all = cells.flatMap((it, i) => samples(it, [10, 30, 60][i]!));
    expect(rows(cells, all)[2]).to.include({ ratio: 0.5 });
  });

  it('leave out repetitions that one side did not survive, and rows without a baseline', () => {
    const [own, peer] = [cell('steptree'), cell('Effect')];
    const all = [...samples(own, 10), ...samples(peer, 20, 5)];
    expect(rows([own, peer], all)[1]).to.include({ ratio: 0.5, n: 1 });
    expect(rows([own, peer], samples(peer, 1))).to.deep.equal([]);
  });
});
