/**
 * Measures steptree and its peers, interleaved, and reports ratios: see bench/README.md.
 *
 *   npm run bench -- [--quick] [--only NAMES] [--lang cpp|js] [--repeat N] [--json] [--help]
 */
import { fileURLToPath } from 'node:url';
import { type Options, parse, UsageError, usage } from './arguments.js';
import { versionOf } from '../tools/nodes.js';
import { build } from './build.js';
import { interleave } from './interleave.js';
import { type Present, plan } from './plan.js';
import { ask, measure, pinned } from './program.js';
import { Progress } from './progress.js';
import { withAdded } from './report/added.js';
import { commit, machine } from './report/machine.js';
import type { Results } from './report/results.js';
import { rows } from './report/statistics.js';
import { table } from './report/table.js';
import { publish, published, write } from './report/write.js';
import { oldest, subjects } from './subjects.js';

const root = fileURLToPath(new URL('..', import.meta.url));

/** The subjects that can be started; one that can't is said, and left out of all but a whole run, which needs everybody. */
async function presentOnes(options: Options): Promise<readonly Present[]> {
  const languages = new Set(options.scenarios.map(({ lang }) => lang));
  const present: Present[] = [];
  for (const subject of subjects.filter(({ lang }) => languages.has(lang))) {
    const programs = await ask(subject, '--list');
    const version = programs === null ? null : await ask(subject, '--version');
    if (programs !== null && version !== null)
      present.push({ subject, version, programs: programs.split(/\s+/) });
    else if (options.complete) throw new Error(`can't be started: ${subject.lang} ${subject.name}`);
    else console.error(`left out, can't be started: ${subject.lang} ${subject.name}`);
  }
  return present;
}

/** As the C++ programs say themselves. */
async function compilerOf(present: readonly Present[]): Promise<string> {
  const cpp = present.find(({ subject }) => subject.lang === 'cpp');
  return (cpp && (await ask(cpp.subject, '--compiler'))) ?? 'no C++';
}

function versions(present: readonly Present[]): Results['versions'] {
  const of = (lang: 'cpp' | 'js') =>
    Object.fromEntries(
      present
        .filter(({ subject }) => subject.lang === lang && !subject.loaded)
        .map(({ subject, version }) => [subject.name, version]),
    );
  return { cpp: of('cpp'), js: of('js') };
}

function report(options: Options, results: Results): void {
  const whole = `${root}bench/results`;
  const publishes = options.complete || options.adds;
  if (!publishes) write(results, `${root}build/bench-report`);
  else
    publish(
      options.adds ? withAdded(published(whole), results) : results,
      whole,
      `${root}README.md`,
    );
  console.error(`written: ${publishes ? 'bench/results/ and README.md' : 'build/bench-report/'}`);
}

function print(options: Options, results: Results): void {
  if (!options.json) return console.log(table(results));
  const published = results.rows.map(({ n, ...row }) => row);
  console.log(JSON.stringify(published, null, 1));
}

async function main(args: readonly string[]): Promise<number> {
  if (args.includes('--help')) {
    console.log(usage);
    return 0;
  }
  const options = parse(args);
  await build(new Set(options.scenarios.map(({ lang }) => lang)));
  const about = { machine: machine(), commit: commit() };
  const present = await presentOnes(options);
  const cells = plan(options, present);
  if (cells.length === 0) throw new Error('nothing to measure: all of it is left out of --quick');
  const progress = new Progress(cells.length * options.repeat);
  const { samples, failures } = await interleave(
    cells,
    options.repeat,
    ({ subject, scenario, size }) => measure(subject, scenario, size),
    progress,
  );
  progress.end();
  const results: Results = {
    date: new Date().toISOString(),
    ...about,
    compiler: await compilerOf(present),
    pinned,
    node: `v${versionOf()} (and v${versionOf(oldest)})`,
    repetitions: options.repeat,
    versions: versions(present),
    rows: rows(cells, samples),
  };
  print(options, results);
  for (const [name, message] of failures) console.error(`FAILED: ${name}: ${message}`);
  if (failures.size === 0) report(options, results);
  else console.error('nothing is written: not all subjects gave right results');
  return failures.size === 0 ? 0 : 1;
}

for (const [signal, code] of [
  ['SIGINT', 130],
  ['SIGTERM', 143],
] as const) {
  process.on(signal, () => {
    console.error(`\n${signal}: nothing is written`);
    process.exit(code);
  });
}

main(process.argv.slice(2)).then(
  (code) => {
    process.exitCode = code;
  },
  (error: Error) => {
    console.error(error instanceof UsageError ? error.message : `bench: ${error.message}`);
    process.exitCode = error instanceof UsageError ? 2 : 1;
  },
);
