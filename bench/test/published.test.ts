import { expect } from 'chai';
import { chart } from '../report/chart.js';
import { measured } from '../report/readme.js';
import type { Results } from '../report/results.js';
import { table } from '../report/table.js';
import { verdicts } from '../report/targets.js';
import type { Target } from '../scenario.js';
import { scenarios } from '../scenarios.js';
import { subjects } from '../subjects.js';
import { textOf } from './made.js';

const isAgainstFloor = (target: Target) =>
  'subject' in target && subjects.some(({ name, floor }) => floor && name === target.subject);

describe('bench/results', () => {
  const latest = JSON.parse(textOf('bench/results/latest.json')) as Results;

  it('is what README.md shows', () => {
    expect(textOf('README.md')).to.include(measured(latest));
  });

  it('has the table and the charts of the same run', () => {
    expect(textOf('bench/results/table.md')).to.equal(table(latest));
    for (const theme of ['light', 'dark'] as const)
      expect(textOf(`bench/results/chart-${theme}.svg`)).to.equal(chart(latest, theme));
  });

  it('misses nothing that bench/README.md does not explain', () => {
    const [, section = ''] = textOf('bench/README.md').split('## What is missed, and why');
    const explained = (lang: string, name: string) =>
      new RegExp(`^\\| ${lang === 'cpp' ? 'C\\+\\+' : 'JS'} [^|]*\`${name}\``, 'm').test(section);
    const missing = verdicts(latest.rows)
      .filter(({ reached, target }) => !(reached || isAgainstFloor(target)))
      .map(({ scenario: { lang, name } }) => ({ lang, name }))
      .filter(({ lang, name }) => !explained(lang, name));
    expect(missing).to.deep.equal([]);
  });

  it('leaves out no scenario', () => {
    const measuredOnes = new Set(latest.rows.map((row) => `${row.lang} ${row.scenario}`));
    const missing = scenarios
      .map(({ lang, name }) => `${lang} ${name}`)
      .filter((name) => !measuredOnes.has(name));
    expect(missing).to.deep.equal([]);
  });
});
