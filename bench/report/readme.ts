/** The part of README.md that a run writes. */
import type { Language } from '../scenario.js';
import { nitroSteps, own } from '../subjects.js';
import { floorMeans, isFloor, nameOf } from './floors.js';
import { bytes, day, digits, languageNames, type Results, ratio } from './results.js';
import type { Row } from './statistics.js';

const begin = '<!-- bench: `npm run bench` writes this -->';
const end = '<!-- /bench -->';
const named = 3;

/** Not chosen by what they say: the article's, and one of each kind. */
const shown: readonly (readonly [Language, string])[] = [
  ['cpp', 'simple'],
  ['cpp', 'parallel'],
  ['cpp', 'parallel_loops'],
  ['cpp', 'step'],
  ['cpp', 'waiting_bytes'],
  ['js', 'simple'],
  ['js', 'loop'],
  ['js', 'error'],
  ['js', 'timeout'],
  ['js', 'waiting_bytes'],
];

function figure(row: Row): string {
  return row.bytes === undefined ? digits(row.ns) : `${bytes(row.bytes)} B`;
}

function peer(row: Row): string {
  return `${nameOf(row)} ${figure(row)} (${ratio(row.ratio)})`;
}

function line(lang: Language, scenario: string, rows: readonly Row[]): string[] {
  const all = rows.filter((row) => row.lang === lang && row.scenario === scenario);
  const steptree = all.find(({ subject }) => subject === own);
  if (steptree === undefined) return [];
  const peers = all.filter(({ subject }) => !subject.startsWith(own) && !subject.endsWith(')'));
  const name = `${languageNames[lang]} ${scenario}`;
  const nitro = all.find(({ subject }) => subject === nitroSteps);
  const mine = `**${figure(steptree)}**${nitro === undefined ? '' : `, Nitro ${figure(nitro)}`}`;
  return [`| ${name} | ${mine} | ${peers.map(peer).join(', ')} |`];
}

/** The comparisons that steptree loses: with peers, the worst first, and with floors. */
function losses(rows: readonly Row[]): string[] {
  const others = rows.filter(({ subject }) => !subject.startsWith(own));
  const lost = (some: readonly Row[]) => some.filter(({ ratio }) => ratio > 1);
  const peers = others.filter((row) => !isFloor(row));
  const floors = others.filter(isFloor);
  const worst = lost(peers).toSorted((a, b) => b.ratio - a.ratio);
  const names = worst
    .slice(0, named)
    .map((row) => `${languageNames[row.lang]} ${row.scenario} ${row.subject} ${ratio(row.ratio)}`);
  const which = names.length === 0 ? '' : `; the worst: ${names.join(', ')}`;
  return [
    `- Lost: ${worst.length} of ${peers.length} comparisons with peers${which}.`,
    `- ${floorMeans}. Lost: ${lost(floors).length} of ${floors.length}.`,
  ];
}

export function measured(results: Results): string {
  const chart = 'bench/results/chart';
  return [
    begin,
    `<picture><source media="(prefers-color-scheme: dark)" srcset="${chart}-dark.svg"><img alt="steptree and its peers, log scale" src="${chart}-light.svg"></picture>`,
    '',
    `- Nanoseconds (steptree's figure by the peer's), ${results.machine.cpu}, ${day(results)}: [all](bench/results/table.md), [how](bench/README.md).`,
    ...losses(results.rows),
    '',
    '| Scenario | steptree | Peers |',
    '| -------- | -------: | ----- |',
    ...shown.flatMap(([lang, scenario]) => line(lang, scenario, results.rows)),
    end,
  ].join('\n');
}

/** The README with another such part. */
export function withMeasured(readme: string, part: string): string {
  const from = readme.indexOf(begin);
  const to = readme.indexOf(end);
  if (from < 0 || to < from) throw new Error(`README.md has no lines ${begin} and ${end}`);
  return readme.slice(0, from) + part + readme.slice(to + end.length);
}
