/**
 * Small mutations of the engine, each of which the tests have to notice.
 *
 *   npm run mutate -- --lang js|cpp     20 mutations of each engine file; at least 95 % of them have to be killed
 *     --seed N       other mutations (1)
 *     --mutants N    so many a file (20)
 *     --only TEXT    only files whose path contains TEXT
 *     --jobs N       so many at once (2)
 *     --json         print the result as JSON and nothing else
 */
import { fileURLToPath } from 'node:url';
import { parseArgs } from 'node:util';
import { loadSuite } from '../conformance/load.js';
import { checkFiles, checkOriginal, type FileResult } from './mutate/check.js';
import { buildOriginal, cppWorkshop } from './mutate/cpp.js';
import { loadExplained } from './mutate/explained.js';
import { engineFiles } from './mutate/files.js';
import { jsWorkshop } from './mutate/js.js';
import { fileLine, isGood, sum, survivorLines } from './mutate/report.js';

const root = fileURLToPath(new URL('..', import.meta.url)).replace(/\/$/, '');

async function main(): Promise<boolean> {
  const { lang, seed, mutants, only, jobs, json } = readOptions();
  const say = (line: string) => void (json || console.log(line));
  const files = engineFiles(root, lang).filter(({ file }) => file.includes(only));
  if (files.length === 0) throw new Error(`no engine file's path contains '${only}'`);
  const { cases } = loadSuite(root);
  if (lang === 'cpp') buildOriginal(root);
  const open = lang === 'js' ? jsWorkshop : cppWorkshop;
  const workshops = await Promise.all(Array.from({ length: jobs }, () => open(root, cases)));
  const limitMs = await checkOriginal(files, workshops[0]!);
  const plan = { lang, seed, mutants, limitMs, explained: loadExplained(root) };
  let done = 0;
  const results = await checkFiles(files, workshops, plan, (result) => {
    say(`[${String(++done).padStart(2)}/${files.length}] ${fileLine(result)}`);
    for (const line of survivorLines(result)) say(line);
  });
  if (json) console.log(JSON.stringify({ lang, seed, ...sum(results), files: results }));
  else conclude(results);
  return isGood(results);
}

function conclude(results: readonly FileResult[]): void {
  const { killed, total, explained } = sum(results);
  const share = ((100 * killed) / total).toFixed(1);
  console.log(`\n${killed} of ${total} mutants are killed: ${share} %; ${explained} explained`);
}

function readOptions() {
  const text = (value: string) => ({ type: 'string', default: value }) as const;
  const { values } = parseArgs({
    options: {
      lang: text(''),
      seed: text('1'),
      mutants: text('20'),
      only: text(''),
      jobs: text('2'),
      json: { type: 'boolean', default: false },
    },
  });
  const { lang, only, json } = values;
  if (lang !== 'js' && lang !== 'cpp') throw new Error(`--lang: js or cpp, not '${lang}'`);
  const count = (name: 'seed' | 'mutants' | 'jobs', least: number) => {
    const value = Number(values[name]);
    if (Number.isInteger(value) && value >= least) return value;
    throw new Error(`--${name}: a whole number from ${least} on, not '${values[name]}'`);
  };
  const counts = { seed: count('seed', 0), mutants: count('mutants', 1), jobs: count('jobs', 1) };
  return { lang, only, json, ...counts } as const;
}

// The copies are removed at the exit.
for (const signal of ['SIGINT', 'SIGTERM'] as const) process.once(signal, () => process.exit(2));
try {
  process.exitCode = (await main()) ? 0 : 1;
} catch (error) {
  console.error((error as Error).message);
  process.exitCode = 2;
}
