/** The whole report as Markdown: every row, and the targets. */
import type { Language, Scenario } from '../scenario.js';
import { scenarios } from '../scenarios.js';
import { own } from '../subjects.js';
import { floorMeans, nameOf } from './floors.js';
import { growthSections } from './growth.js';
import { bytes, day, digits, languageNames, type Results, ratio } from './results.js';
import type { Row } from './statistics.js';
import { describe, summary, type Verdict, verdicts } from './targets.js';

function targetsOf(row: Row, all: readonly Verdict[]): string {
  return all
    .filter(({ scenario }) => scenario.lang === row.lang && scenario.name === row.scenario)
    .filter(({ target }) => ('subject' in target ? target.subject : own) === row.subject)
    .map(describe)
    .join('; ');
}

function line(row: Row, scenario: Scenario, all: readonly Verdict[]): string {
  const own = row.subject.startsWith('steptree');
  const cells = [
    own ? `**${row.subject}**` : nameOf(row),
    digits(row.ns),
    ...(scenario.figure === 'bytes' ? [bytes(row.bytes ?? 0)] : []),
    row.rss === undefined ? '' : bytes(row.rss),
    ratio(row.ratio),
    `${ratio(row.ratio_min)} to ${ratio(row.ratio_max)}`,
    targetsOf(row, all),
  ];
  return `| ${cells.join(' | ')} |`;
}

function section(scenario: Scenario, results: Results, all: readonly Verdict[]): string[] {
  const rows = results.rows.filter(
    ({ lang, scenario: name }) => lang === scenario.lang && name === scenario.name,
  );
  if (rows.length === 0) return [];
  const perOne = scenario.figure === 'bytes' ? [`bytes per ${scenario.per}`] : [];
  const head = ['', `ns per ${scenario.per}`, ...perOne, 'peak RSS', 'ratio', 'from to', 'target'];
  return [
    `### ${languageNames[scenario.lang]}: ${scenario.name}`,
    '',
    `${scenario.title[0]!.toUpperCase()}${scenario.title.slice(1)}.${scenario.worst ? ' The worst of all repetitions, not their median.' : ''}`,
    '',
    `| ${head.join(' | ')} |`,
    `|${head.map((_, i) => (i === 0 || i === head.length - 1 ? ' --- ' : ' ---: ')).join('|')}|`,
    ...rows.map((row) => line(row, scenario, all)),
    '',
  ];
}

function versions({ versions }: Results, lang: Language): string {
  return Object.entries(versions[lang])
    .map(([subject, version]) => `${subject}: ${version}`)
    .join('; ');
}

export function table(results: Results): string {
  const all = verdicts(results.rows);
  const { machine, commit, compiler, node, repetitions, pinned } = results;
  return [
    `# Measured on ${day(results)}`,
    '',
    `${machine.cpu}, ${machine.cores} CPUs, ${machine.memory}, ${machine.system}; commit ${commit}.`,
    `${compiler}; Node ${node}; ${pinned ? 'one pinned CPU' : 'not pinned'}, medians of ${repetitions} interleaved`,
    'repetitions. A ratio is the figure of steptree by that of the subject: below 1 steptree is ahead. What the scenarios are:',
    '[../README.md](../README.md). `npm run bench` makes this file.',
    ...(results.added ?? []).map(
      (run) =>
        `Of a run of their own on ${day(run)}, commit ${run.commit}: ${run.scenarios.join(', ')}.`,
    ),
    '',
    `- C++: ${versions(results, 'cpp') || 'not measured'}`,
    `- JavaScript: ${versions(results, 'js') || 'not measured'}`,
    `- ${summary(all)}. A must is not negotiable; a goal is the ratio that peer and target had when the targets were set`,
    `- ${floorMeans}`,
    '',
    ...scenarios.flatMap((scenario) => section(scenario, results, all)),
    ...growthSections(results, all),
  ].join('\n');
}
