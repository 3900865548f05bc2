/**
 * Counts the instructions of an operation of steptree's C++ scenarios and compares them with
 * figures.json. Times depend on the machine and on who else uses it; these do not.
 *
 *   node --import tsx bench/counts/run.ts                      builds, counts, compares
 *   node --import tsx bench/counts/run.ts --update             takes what was counted as the figures from now on
 *   node --import tsx bench/counts/run.ts --program PATH       another build of bench-steptree
 *   node --import tsx bench/counts/run.ts --profile SCENARIO   where the instructions are
 */
import { execFileSync } from 'node:child_process';
import { existsSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { fileURLToPath } from 'node:url';
import { parseArgs } from 'node:util';
import { type Book, type Figures, findings, oddities } from './compare.js';
import { count } from './count.js';

const root = fileURLToPath(new URL('../..', import.meta.url));
const figuresFile = fileURLToPath(new URL('figures.json', import.meta.url));
const built = 'build/counts/bench/cpp/bench-steptree';

/** How many operations are counted: enough for what is done but once to vanish. */
const sizes: Readonly<Record<string, number>> = {
  simple: 1000,
  parallel: 1000,
  parallel_loops: 1000,
  step: 10_000,
  step_c: 10_000,
  repeat: 10_000,
  repeat_step: 10_000,
  error_nothrow: 1000,
  parallel10: 1000,
  map: 1000,
  timer_cancel: 10_000,
  deferred_cancel: 1000,
  lock: 10_000,
  lock_contended: 10_000,
  defined_simple: 1000,
  defined_start: 1000,
  defined_promise: 1000,
  defined_flat10: 1000,
  defined_nested10: 1000,
  defined_step: 10_000,
  defined_loop: 10_000,
  defined_parallel10: 1000,
  defined_error_nothrow: 1000,
  defined_retry: 1000,
};

const text = { type: 'string' } as const;
const { values: options } = parseArgs({
  options: { update: { type: 'boolean' }, program: text, profile: text },
});

const program = options.program ?? root + built;
try {
  if (options.program === undefined) build();
  if (options.profile !== undefined) profile(options.profile);
  else if (options.update) update();
  else process.exitCode = compare() ? 0 : 1;
} catch (error) {
  console.error(`counts: ${(error as Error).message}`);
  process.exitCode = 1;
}

function build(): void {
  const command =
    'cmake --preset counts && cmake --build --preset counts -j 2 --target bench-steptree';
  execFileSync('bash', ['-c', `{ ${command}; } >&2`], { cwd: root, stdio: 'inherit' });
}

function book(): Book {
  return existsSync(figuresFile) ? JSON.parse(readFileSync(figuresFile, 'utf8')) : {};
}

function compiler(): string {
  return execFileSync(program, ['--compiler']).toString().trim();
}

function counted(): Figures {
  const { figures, directory } = count(program, sizes);
  rmSync(directory, { recursive: true });
  return figures;
}

function compare(): boolean {
  const now = counted();
  const known = book();
  const figures = known[compiler()];
  const wrong = figures === undefined ? oddities(now, known) : findings(now, figures);
  print(now, figures);
  if (figures === undefined) {
    console.log(
      `${compiler()} has no figures in bench/counts/figures.json: nothing was compared,\n` +
        'only looked whether the order of magnitude is that of other compilers.',
    );
  }
  for (const line of wrong) console.log(line);
  if (wrong.length > 0) {
    console.log('If that is meant: npm run counts -- --update, in the same commit as the change.');
  }
  console.log(`${Object.keys(now).length} scenarios, ${wrong.length} finding(s)`);
  return wrong.length === 0;
}

function update(): void {
  const now = counted();
  const known = book();
  print(now, known[compiler()]);
  writeFileSync(figuresFile, `${JSON.stringify({ ...known, [compiler()]: now }, null, 2)}\n`);
}

function print(now: Figures, then: Figures | undefined): void {
  console.log(`instructions an operation, ${compiler()}`);
  for (const [scenario, figure] of Object.entries(now)) {
    const before = then?.[scenario];
    const change = before === undefined || before === figure ? '' : `  (figure: ${before})`;
    console.log(`  ${scenario.padEnd(21)} ${figure.toFixed(1).padStart(8)}${change}`);
  }
}

function profile(scenario: string): void {
  const size = sizes[scenario] ?? 1000;
  const { profiles, figures, directory } = count(program, { [scenario]: size });
  console.log(`${scenario}: ${figures[scenario]} instructions an operation, ${size} operations`);
  execFileSync(
    'callgrind_annotate',
    ['--auto=no', '--threshold=95', profiles.get(scenario) ?? ''],
    { stdio: 'inherit' },
  );
  rmSync(directory, { recursive: true });
}
