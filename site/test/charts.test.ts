/** The charts of the benches have all that was measured, and bars that are true. */
import { expect } from 'chai';
import type { Results } from '../../bench/report/results.js';
import { chartsPage, lengths } from '../make/charts.js';
import { textOf } from '../make/root.js';

describe('the charts', () => {
  const results: Results = JSON.parse(textOf('bench/results/latest.json'));

  it('have a row for each figure of a scenario', () => {
    const { html, headings } = chartsPage(results);
    const named = new Set(results.rows.map(({ lang, scenario }) => `${lang} ${scenario}`));
    const shown = html.match(/<tr><th scope="row">/g)!.length;
    expect(shown).to.be.greaterThan(300);
    expect(shown).to.be.at.most(results.rows.length);
    expect(headings!.length).to.be.greaterThan(50).and.at.most(named.size);
    expect(new Set(headings!.map(({ id }) => id)).size).to.equal(headings!.length);
  });

  it('are longer for what takes longer, and as long for what takes as long', () => {
    expect(lengths([10, 100, 1000])).to.deep.equal([10, 55, 100]);
    expect(lengths([7, 7])).to.deep.equal([100, 100]);
    expect(lengths([50, 100]).map((length) => length > 70)).to.deep.equal([true, true]);
  });
});
