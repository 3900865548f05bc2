/**
 * Would the tests notice a mistake? Makes small ones in the engine, each in a copy of the tree, and says which nobody notices.
 *
 *   npm run mutate -- --lang js|cpp
 *     --mutants N    so many (20)
 *     --seed N       which ones (1)
 *     --only TEXT    only in files whose path contains TEXT
 *
 * About one mistake in ten is none: no program can tell the difference. So the check fails if more than three of twenty live.
 * The others are printed, to be looked at: add the case that notices them, or see why there is none.
 */
import { execFileSync, spawnSync } from 'node:child_process';
import {
  cpSync,
  existsSync,
  mkdirSync,
  readdirSync,
  readFileSync,
  rmSync,
  symlinkSync,
  writeFileSync,
} from 'node:fs';
import { dirname, join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { parseArgs } from 'node:util';
import { Adapter } from '../conformance/adapter.js';
import { isExpected, startUp } from '../conformance/execute.js';
import { loadSuite } from '../conformance/load.js';
import { large } from './check/part.js';
import { type Mutation, mutationsOf, shuffled } from './mutations.js';

interface Language {
  readonly files: RegExp;
  /** The commands, run in the copy. */
  readonly build: string;
  readonly adapter: string;
  readonly buildUnits: string;
  readonly units: string;
}

const cmake = (target: string) => `cmake --build build/mutate -j 2 --target ${target}`;
const languages: Readonly<Record<string, Language>> = {
  js: {
    files: /^js\/src\/.*\.ts$/,
    build: 'true',
    adapter: 'node --import tsx js/conformance/adapter.ts',
    buildUnits: 'true',
    units: `node_modules/.bin/mocha --bail 'js/test/**/*.test.ts' --invert --grep ${large}`,
  },
  // Sanitized: leaks and bad accesses are noticed too.
  cpp: {
    files: /^cpp\/src\/.*\.cpp$/,
    build: `cmake --preset asan -B build/mutate && ${cmake('steptree-conformance')}`,
    adapter: 'build/mutate/cpp/steptree-conformance',
    buildUnits: cmake('steptree-tests'),
    units: 'build/mutate/cpp/steptree-tests --abort',
  },
};
const startMs = 120_000;
const caseMs = 20_000;
const unitSeconds = 1800;
const leastKilled = 0.85;

const root = fileURLToPath(new URL('..', import.meta.url));
const text = (value: string) => ({ type: 'string', default: value }) as const;
const { values } = parseArgs({
  options: { lang: text(''), mutants: text('20'), seed: text('1'), only: text('') },
});
const language = languages[values.lang];
if (language === undefined) throw new Error(`--lang: js or cpp, not '${values.lang}'`);
const { cases } = loadSuite(root);
const tree = join(root, `build/mutate-${values.lang}`);

/** The copy stays from run to run, so that little has to be built anew. */
function copyTree(): string[] {
  const list = execFileSync('git', ['ls-files', '-co', '--exclude-standard'], { cwd: root });
  const names = list.toString().trim().split('\n');
  const files = names.filter((name) => existsSync(join(root, name)));
  for (const name of files) {
    mkdirSync(dirname(join(tree, name)), { recursive: true });
    if (readAt(tree, name) !== readAt(root, name)) cpSync(join(root, name), join(tree, name));
  }
  for (const folder of ['cpp', 'js']) {
    for (const name of readdirSync(join(tree, folder), { recursive: true, encoding: 'utf8' })) {
      if (!existsSync(join(root, folder, name)))
        rmSync(join(tree, folder, name), { recursive: true, force: true });
    }
  }
  const modules = join(tree, 'node_modules');
  if (!existsSync(modules)) symlinkSync(join(root, 'node_modules'), modules);
  return files;
}

function readAt(folder: string, name: string): string | undefined {
  return existsSync(join(folder, name)) ? readFileSync(join(folder, name), 'utf8') : undefined;
}

/** All that the command starts is ended with it. */
function works(command: string): boolean {
  const args = ['--kill-after=5', String(unitSeconds), 'bash', '-c', command];
  return spawnSync('timeout', args, { cwd: tree, stdio: 'ignore' }).status === 0;
}

async function failingCase({ adapter }: Language): Promise<string | undefined> {
  const asked = new Adapter(adapter, tree);
  const start = await asked.ask(0, startUp, startMs);
  if ('fault' in start) return 'the start';
  for (const [i, { program }] of cases.entries()) {
    const { trace: _, ...request } = program;
    const answer = await asked.ask(i + 1, request, caseMs);
    const isRight = 'trace' in answer && isExpected(values.lang, program, answer.trace);
    if (isRight) continue;
    await asked.end(0);
    return program.case;
  }
  return (await asked.end(startMs)) === undefined ? undefined : 'the end';
}

async function killer(of: Language): Promise<string | undefined> {
  const found = await failingCase(of);
  if (found !== undefined) return found;
  // What doesn't compile here did so above: a test that looks at types or sizes has noticed.
  return works(of.buildUnits) && works(of.units) ? undefined : 'a unit test';
}

const sources = copyTree().filter((name) => language.files.test(name));
const chosen = sources.filter((name) => name.includes(values.only));
const mutations = chosen.flatMap((file) => mutationsOf(file, readAt(root, file)!));
if (!works(language.build)) throw new Error('the copy cannot be built');
const alone = await killer(language);
if (alone !== undefined) throw new Error(`fails without any mutation: ${alone}`);

const living: Mutation[] = [];
let made = 0;
for (const mutation of shuffled(mutations, Number(values.seed))) {
  if (made === Number(values.mutants)) break;
  const path = join(tree, mutation.file);
  const source = readFileSync(path, 'utf8');
  const lines = source.split('\n');
  lines[mutation.line - 1] = mutation.to;
  writeFileSync(path, lines.join('\n'));
  const compiles = works(language.build);
  const by = compiles ? await killer(language) : undefined;
  writeFileSync(path, source);
  if (!compiles) continue;
  made++;
  if (by === undefined) living.push(mutation);
  console.log(
    `${mutation.file}:${mutation.line}: ${by === undefined ? 'LIVES' : `noticed: ${by}`}`,
  );
  if (by === undefined) console.log(`  - ${mutation.from.trim()}\n  + ${mutation.to.trim()}`);
}
const killed = made - living.length;
console.log(`\n${killed} of ${made} mistakes are noticed`);
process.exitCode = killed >= leastKilled * made ? 0 : 1;
