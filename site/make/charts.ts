/** The benches as charts: each scenario is a table, whose rows have a bar beside the figure. */
import { floorMeans, nameOf } from '../../bench/report/floors.js';
import {
  bytes,
  day,
  digits,
  languageNames,
  ratio,
  type Results,
} from '../../bench/report/results.js';
import type { Row } from '../../bench/report/statistics.js';
import type { Scenario } from '../../bench/scenario.js';
import { scenarios } from '../../bench/scenarios.js';
import { own } from '../../bench/subjects.js';
import type { Framed } from './frame.js';
import { escaped } from './highlight.js';
import type { Heading } from './markdown.js';
import { slugOf } from './slug.js';

/** Of 100, on a log scale on which the smallest of a scenario is a tenth as long as the largest, or nearer to it. */
export function lengths(values: readonly number[]): number[] {
  const logs = values.map((value) => Math.log10(Math.max(value, Number.MIN_VALUE)));
  const [least, most] = [Math.min(...logs), Math.max(...logs)];
  const span = Math.max(most - least, 1);
  return logs.map((log) => Math.round(100 - (90 * (most - log)) / span));
}

/** What the scenario compares. */
const figureIn = ({ figure }: Scenario, row: Row) =>
  figure === 'bytes' ? (row.bytes ?? 0) : row.ns;

function line(row: Row, scenario: Scenario, length: number): string {
  const figure = figureIn(scenario, row);
  const shown = scenario.figure === 'bytes' ? bytes(figure) : digits(figure);
  const isOwn = row.subject.startsWith(own);
  const name = isOwn ? `<b>${escaped(row.subject)}</b>` : escaped(nameOf(row));
  const bar = `<span class="bar${isOwn ? ' own' : ''}" style="width:${length}%"></span>`;
  return `<tr><th scope="row">${name}</th><td class="bars">${bar}</td><td class="number">${shown}</td><td class="number">${ratio(row.ratio)}</td></tr>`;
}

function section(scenario: Scenario, rows: readonly Row[], heading: Heading): string {
  const { lang, name, title, per, figure } = scenario;
  const bars = lengths(rows.map((row) => figureIn(scenario, row)));
  const unit = figure === 'bytes' ? 'bytes' : 'ns';
  const head = `<tr><th scope="col">what</th><td></td><th scope="col">${unit} per ${escaped(per)}</th><th scope="col">ratio</th></tr>`;
  const words = `${title[0]!.toUpperCase()}${title.slice(1)}.`;
  return `<h2 id="${heading.id}">${languageNames[lang]}: ${escaped(name)}</h2>
<p>${escaped(words)}</p>
<div class="wide"><table class="chart"><thead>${head}</thead><tbody>${rows.map((row, i) => line(row, scenario, bars[i]!)).join('\n')}</tbody></table></div>`;
}

export function chartsPage(results: Results): Framed {
  const { machine, repetitions, compiler, node } = results;
  const headings: Heading[] = [];
  const sections = scenarios.flatMap((scenario) => {
    const rows = results.rows.filter(
      ({ lang, scenario: name }) => lang === scenario.lang && name === scenario.name,
    );
    if (rows.length === 0) return [];
    const text = `${languageNames[scenario.lang]}: ${scenario.name}`;
    const heading = { level: 2, id: slugOf(text), text };
    headings.push(heading);
    return [section(scenario, rows, heading)];
  });
  const html = `<h1>Benches</h1>
<p>steptree and its peers on ${escaped(machine.cpu)}, ${day(results)}: medians of ${repetitions} runs, ${escaped(compiler)}, Node ${escaped(node)}. Shorter is better; bars are on a log scale. A ratio is the figure of steptree by that of the row: below 1 steptree is ahead. ${escaped(floorMeans)}.</p>
<p><a href="results/table.html">All figures, and targets</a>; <a href="index.html">how it's measured</a>.</p>
${sections.join('\n')}`;
  return { url: 'bench/charts.html', title: 'Benches', html, headings };
}
