/** What an operation costs with few others and with many, side by side, of every subject. */
import type { Language } from '../scenario.js';
import { type Growth, growths, namesOf } from '../scenarios/growth.js';
import { own } from '../subjects.js';
import { nameOf } from './floors.js';
import { digits, languageNames, type Results, ratio } from './results.js';
import type { Row } from './statistics.js';
import { describe, type Verdict } from './targets.js';

/** The last figure by the first, where both were measured. */
export function growthOf(figures: readonly (number | undefined)[]): number | null {
  const [first, last] = [figures[0], figures.at(-1)];
  return first === undefined || last === undefined ? null : last / first;
}

function line(rows: readonly Row[], names: readonly string[], target: string): string {
  const row = rows[0]!;
  const figures = names.map((name) => rows.find(({ scenario }) => scenario === name)?.ns);
  const grown = growthOf(figures);
  const cells = [
    row.subject.startsWith(own) ? `**${row.subject}**` : nameOf(row),
    ...figures.map((ns) => (ns === undefined ? '' : digits(ns))),
    grown === null ? '' : ratio(grown),
    row.subject === own ? target : '',
  ];
  return `| ${cells.join(' | ')} |`;
}

function section(growth: Growth, lang: Language, results: Results, all: readonly Verdict[]) {
  const names = namesOf(growth);
  const rows = results.rows.filter((row) => row.lang === lang && names.includes(row.scenario));
  if (rows.length === 0) return [];
  const target = all
    .filter(({ scenario }) => scenario.lang === lang && names.includes(scenario.name))
    .filter((verdict) => 'scenario' in verdict.target)
    .map(describe)
    .join('; ');
  const head = ['', ...growth.counts, `${growth.counts.at(-1)} by ${growth.counts[0]}`, 'target'];
  const subjects = [...new Set(rows.map(({ subject }) => subject))];
  return [
    `### ${languageNames[lang]}: how ${growth.stem} grows`,
    '',
    `ns per ${growth.per}.`,
    '',
    `| ${head.join(' | ')} |`,
    `|${head.map((_, i) => (i === 0 || i === head.length - 1 ? ' --- ' : ' ---: ')).join('|')}|`,
    ...subjects.map((name) =>
      line(
        rows.filter(({ subject }) => subject === name),
        names,
        target,
      ),
    ),
    '',
  ];
}

export function growthSections(results: Results, all: readonly Verdict[]): string[] {
  return (['cpp', 'js'] as const).flatMap((lang) =>
    growths.flatMap((growth) => section(growth, lang, results, all)),
  );
}
