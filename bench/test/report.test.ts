import { expect } from 'chai';
import { chart } from '../report/chart.js';
import { growthOf } from '../report/growth.js';
import { measured, withMeasured } from '../report/readme.js';
import { digits, ratio } from '../report/results.js';
import { table } from '../report/table.js';
import { verdicts } from '../report/targets.js';
import { results, row } from './made.js';

const some = results([
  row({ ns: 6.789 }),
  row({ subject: 'async/await', ns: 13.58, ratio: 0.5 }),
  row({ subject: 'Effect', ns: 3.4, ratio: 2 }),
  row({ subject: 'async/await (all loaded)', ns: 77, ratio: 0.1 }),
  row({ scenario: 'waiting_bytes', bytes: 222, ns: 1 }),
  row({ scenario: 'lateness', ns: 7e6 }),
  row({ lang: 'cpp', scenario: 'grows_switch_1k', ns: 10 }),
  row({ lang: 'cpp', scenario: 'grows_switch_1M', ns: 25 }),
  row({ lang: 'cpp', scenario: 'grows_switch_1k', subject: 'Asio awaitable', ns: 20, ratio: 0.5 }),
  row({ lang: 'cpp', scenario: 'grows_switch_1M', subject: 'Asio awaitable', ns: 80, ratio: 0.3 }),
]);

describe('the report of the benches', () => {
  it('shows three digits, of ratios two', () => {
    const shown = [6.789, 67.89, 678.9, 67890].map(digits);
    expect(shown).to.deep.equal(['6.79', '67.9', '679', '67,890']);
    expect([0.00432, 0.0678, 0.5, 12.345].map(ratio)).to.deep.equal([
      '0.0043',
      '0.068',
      '0.50',
      '12.35',
    ]);
  });

  it('says which targets are reached and which are missed', () => {
    const found = verdicts(some.rows).map(({ scenario, value, reached }) => [
      scenario.name,
      value,
      reached,
    ]);
    expect(found).to.deep.include(['simple', 0.5, true]);
    expect(found).to.deep.include(['lateness', 7e6, false]);
    expect(found).to.deep.include(['grows_switch_1M', 2.5, true]);
    expect(found.filter(([name]) => name === 'loop')).to.deep.equal([]);
  });

  it('has a table with all rows, losses like wins', () => {
    const text = table(some);
    expect(text).to.match(/^\| \*\*steptree\*\* \| 6\.79 \|.*\| 1\.00 \|/m);
    expect(text).to.match(
      /^\| async\/await \| 13\.6 \|.*\| 0\.50 \|.*must ≤ 1\.10: reached; goal ≤ 1\.00: reached \|$/m,
    );
    expect(text).to.match(/^\| Effect \| 3\.40 \|.*\| 2\.00 \|/m);
    expect(text).to.match(/^\| async\/await \(all loaded\) \| 77\.0 \|/m);
    expect(text).to.match(/^- \d+ musts, 0 missed; \d+ goals, 2 missed\./m);
  });

  it('tells the README what is lost', () => {
    const text = measured(some);
    expect(text).to.include(
      'Lost: 1 of 5 comparisons with peers; the worst: JavaScript simple Effect 2.00.',
    );
    expect(text).to.include('no cancellation. Lost: 0 of 0.');
  });

  it('marks what is a floor, always or in a scenario, and counts losses to it apart', () => {
    const some = results([
      row({ lang: 'cpp', subject: 'Boost.Context', ratio: 3 }),
      row({ lang: 'cpp', scenario: 'timer_cancel', subject: 'libuv', ratio: 0.5 }),
      row({ lang: 'cpp', scenario: 'completion_thread', subject: 'libuv', ratio: 4 }),
    ]);
    expect(measured(some)).to.include('Lost: 0 of 1 comparisons with peers.');
    expect(measured(some)).to.include('no cancellation. Lost: 2 of 2.');
    expect(table(some)).to.include('| Boost.Context (floor) |').and.include('| libuv |');
    expect(table(some)).to.include('| libuv (floor) |');
    const shown = results([row({ lang: 'cpp' }), row({ lang: 'cpp', subject: 'Boost.Context' })]);
    expect(chart(shown, 'light')).to.include('Boost.Context *');
  });

  it('says of a scenario about the worst case that it is judged by that', () => {
    expect(table(some)).to.include('The worst of all repetitions, not their median.');
  });

  it('shows how costs grow, of every subject, and whether steptree keeps its limit', () => {
    const text = table(some);
    expect(text).to.match(
      /^### C\+\+: how grows_switch grows\n\nns per switch\.\n\n\| {2}\| 1k \| 30k \| 300k \| 1M \| 1M by 1k \| target \|$/m,
    );
    expect(text).to.include(
      '| **steptree** | 10.0 |  |  | 25.0 | 2.50 | must ≤ 3 times `grows_switch_1k` (2.50): reached |',
    );
    expect(text).to.include('| Asio awaitable | 20.0 |  |  | 80.0 | 4.00 |  |');
    expect(growthOf([1, undefined, undefined])).to.equal(null);
  });

  it('replaces its part of the README and nothing else', () => {
    const old = measured(results([row({ ns: 1 })]));
    const readme = withMeasured(`before\n${old}\nafter\n`, measured(some));
    expect(readme).to.equal(`before\n${measured(some)}\nafter\n`);
    expect(() => withMeasured('no such lines', old)).to.throw(/README.md has no lines/);
  });

  for (const theme of ['light', 'dark'] as const) {
    it(`has a chart that is well-formed, ${theme}`, () => {
      const svg = chart(some, theme);
      const open: string[] = [];
      for (const [, close, name, self] of svg.matchAll(/<(\/?)([a-z]+)[^<>]*?(\/?)>/g)) {
        if (close) expect(open.pop()).to.equal(name);
        else if (!self) open.push(name!);
      }
      expect(open).to.deep.equal([]);
      expect(svg)
        .to.include('A CPU &lt;fast> &amp; new')
        .and.not.match(/NaN|undefined|Infinity/);
      expect(svg).to.include('>6.79</text>').and.include('>222 B</text>');
    });
  }

  it('draws ten times the time as the same distance everywhere', () => {
    const rows = [1, 10, 100].map((ns, i) =>
      row({ ns, subject: ['steptree', 'async/await', 'Effect'][i]! }),
    );
    const svg = chart(results(rows), 'light');
    const bars = [...svg.matchAll(/width="([\d.]+)" height="9" rx="1.5"/g)];
    const [one = 0, ten = 0, hundred = 0] = bars.map(([, width]) => Number(width));
    expect(one).to.equal(1);
    expect(hundred - ten).to.be.closeTo(ten, 0.2);
  });
});
