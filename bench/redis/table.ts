/** What was measured, to read. */
import { day, digits, ratio } from '../report/results.js';
import { paper } from './paper.js';
import type { Results, Row } from './results.js';
import { type Scenario, scenarios, subjects } from './scenarios.js';

const heads = [
  'a second',
  'ratio',
  'from to',
  'p50 ms',
  'p99 ms',
  'asked',
  'commands',
  'bytes',
  'server µs',
  'processes µs',
];

function cells(row: Row): string[] {
  const isOwn = subjects.some(({ name, isOwn: its }) => its && name === row.subject);
  return [
    digits(row.perSecond),
    isOwn ? '' : ratio(row.ratio),
    isOwn ? '' : `${ratio(row.ratioMin)} ${ratio(row.ratioMax)}`,
    digits(row.p50 / 1000),
    digits(row.p99 / 1000),
    digits(row.asked),
    digits(row.commands),
    digits(row.bytes),
    digits(row.server),
    digits(row.processes),
  ];
}

function section(scenario: Scenario, rows: readonly Row[]): string {
  const lines = rows.map((row) => `| ${[row.subject, ...cells(row)].join(' | ')} |`);
  const without = subjects
    .filter(({ stem, programs }) => scenario.without?.[stem] && programs.includes(scenario.program))
    .map(({ stem, name }) => `\nNo row of ${name}: ${scenario.without![stem]}.`);
  return [
    `## \`${scenario.name}\`: ${scenario.title}\n`,
    `| | ${heads.join(' | ')} |`,
    `| --- |${' ---: |'.repeat(heads.length)}`,
    ...lines,
    ...without,
  ].join('\n');
}

export function table(results: Results): string {
  const { machine, node, redis, repetitions, seconds, versions } = results;
  const of = Object.entries(versions).map(([name, version]) => `${name} ${version}`);
  const made = scenarios.flatMap((scenario) => {
    const rows = results.rows.filter((row) => row.scenario === scenario.name);
    return rows.length === 0 ? [] : [section(scenario, rows)];
  });
  return `${[
    '# Over Redis: steptree and its peers',
    `${day(results)}, commit ${results.commit}; ${machine.cpu}, ${machine.cores} cores, ${machine.memory}, ${machine.system}; redis-server ${redis}, Node ${node}.`,
    `${of.join(', ')}.`,
    `${repetitions} ${repetitions === 1 ? 'repetition' : 'repetitions'} of ${seconds} s, interleaved; medians. What the columns say: [bench/README.md](../README.md#over-redis).`,
    ...(results.added ?? []).map(
      (run) =>
        `Of a run of their own on ${day(run)}, commit ${run.commit}: ${run.scenarios.join(', ')}.`,
    ),
    ...made,
    ...paper(results.rows),
  ].join('\n\n')}\n`;
}
