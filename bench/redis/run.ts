/**
 * Measures what steptree and its peers do over Redis, and reports it: see bench/README.md, "Over Redis".
 *
 *   npm run bench:redis -- [--quick] [--only NAMES [--add]] [--json] [--check] [--help]
 */
import { execFileSync } from 'node:child_process';
import { mkdirSync, readFileSync, writeFileSync } from 'node:fs';
import { fileURLToPath } from 'node:url';
import { pathOf, versionOf } from '../../tools/nodes.js';
import { UsageError } from '../arguments.js';
import { build, buildNative } from '../build.js';
import { Progress } from '../progress.js';
import { commit, machine } from '../report/machine.js';
import { withAdded } from './added.js';
import { check } from './check.js';
import { asked, measure } from './measure.js';
import { startOf } from './member.js';
import { type Options, parse, usage } from './options.js';
import { type Results, rowsOf, type Sample } from './results.js';
import { type Cell, cellsOf, subjects } from './scenarios.js';
import { table } from './table.js';

const root = fileURLToPath(new URL('../..', import.meta.url));

const loadOf = ({ scenario, subject }: Cell) => {
  const { program, processes, lines } = scenario;
  return { subject, program, processes, lines, node: pathOf() };
};

const nameOf = ({ scenario, subject }: Cell) => `${scenario.name} ${subject.name}`;

const said = (command: string, ...args: readonly string[]): string =>
  execFileSync(command, args).toString().trim();

async function measureAll({ scenarios, repeat, seconds }: Options): Promise<Results['rows']> {
  const counting = cellsOf(scenarios, 0);
  const progress = new Progress(counting.length * (repeat + 1));
  const counts = new Map<string, number>();
  for (const cell of counting) {
    progress.step(`${nameOf(cell)}, counted`);
    counts.set(nameOf(cell), (await asked(loadOf(cell), 0.5)).asked);
  }
  const samples: Sample[] = [];
  for (let repetition = 0; repetition < repeat; repetition++)
    for (const cell of cellsOf(scenarios, repetition)) {
      progress.step(nameOf(cell));
      samples.push({ cell, repetition, figures: await measure(loadOf(cell), seconds) });
    }
  progress.end();
  return rowsOf(scenarios, samples, (cell) => counts.get(nameOf(cell))!);
}

const published = `${root}bench/results`;

function write(results: Results, publishes: boolean): void {
  const folder = publishes ? published : `${root}build/bench-report`;
  mkdirSync(folder, { recursive: true });
  writeFileSync(`${folder}/redis.json`, `${JSON.stringify(results, null, 2)}\n`);
  writeFileSync(`${folder}/redis.md`, table(results));
  console.error(`written: ${folder}/redis.md`);
}

async function run(args: readonly string[]): Promise<void> {
  if (args.includes('--help')) return console.log(usage);
  if (args.includes('--check')) return check();
  const options = parse(args);
  await build(new Set(['js']));
  await buildNative();
  const about = { date: new Date().toISOString(), commit: commit(), machine: machine() };
  const rows = await measureAll(options);
  const results: Results = {
    ...about,
    node: `v${versionOf()}`,
    redis: /v=(\S+)/.exec(said('redis-server', '--version'))![1]!,
    repetitions: options.repeat,
    seconds: options.seconds,
    versions: Object.fromEntries(
      subjects.map((subject) => {
        const [program = '', ...before] = startOf(subject, pathOf());
        return [subject.name, said(program, ...before, '--version')];
      }),
    ),
    rows,
  };
  console.log(options.json ? JSON.stringify(rows, null, 1) : table(results));
  if (!options.adds) return write(results, options.complete);
  const whole = JSON.parse(readFileSync(`${published}/redis.json`, 'utf8')) as Results;
  write(withAdded(whole, results), true);
}

run(process.argv.slice(2)).then(
  () => process.exit(0),
  (error: Error) => {
    console.error(error instanceof UsageError ? error.message : `bench: ${error.message}`);
    process.exit(error instanceof UsageError ? 2 : 1);
  },
);
