/** The part of README.md that a run writes. */
import { own } from '../subjects.js';
import { floorMeans, isFloor } from './floors.js';
import { day, languageNames, type Results, ratio } from './results.js';
import type { Row } from './statistics.js';

const begin = '<!-- bench: `npm run bench` writes this -->';
const end = '<!-- /bench -->';
const named = 3;

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
    `- Time by that of peers, ${results.machine.cpu}, ${day(results)}: [all](bench/results/table.md), [how](bench/README.md).`,
    ...losses(results.rows),
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
