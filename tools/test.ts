/**
 * Runs the checks part by part and adds everything up.
 *
 *   npm test                          what a change must pass, in minutes
 *   npm run test:deep                 all the rest; a part that has passed with these very files isn't run again
 *   npm run test:deep -- --again      ... is
 *   npm run test:deep -- --all        also what takes a quarter of an hour or more each
 *   npm test -- format lint           only the parts whose names contain one of the words
 */
import { execFileSync } from 'node:child_process';
import { mkdirSync, rmSync } from 'node:fs';
import { delimiter, join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { deep } from './check/deep.js';
import { failures } from './check/failures.js';
import type { Part } from './check/part.js';
import { Passed } from './check/passed.js';
import { quick } from './check/quick.js';
import { line, type Result, summary } from './check/result.js';
import { run } from './check/run.js';
import { sideBySide } from './check/sidebyside.js';

const root = fileURLToPath(new URL('..', import.meta.url));
const logs = join(root, 'build/logs');

const args = process.argv.slice(2);
const isDeep = args.includes('--deep');
const passed = isDeep ? new Passed(root) : undefined;
const before = (name: string) => (args.includes('--again') ? undefined : passed?.of(name));

function chosenParts(): readonly Part[] {
  const words = args.filter((word) => !word.startsWith('--'));
  const all = isDeep ? deep : quick;
  const chosen = all.filter(({ name, slow }) =>
    words.length === 0
      ? slow === undefined || args.includes('--all')
      : words.some((word) => name.includes(word)),
  );
  if (chosen.length > 0) return chosen;
  throw new Error(`no such part; there are: ${all.map(({ name }) => name).join(', ')}`);
}

function isThere(command: string): boolean {
  try {
    execFileSync('which', [command], { stdio: 'ignore' });
    return true;
  } catch {
    return false;
  }
}

/** Without those for which something is missing here. */
function possibleParts(): readonly Part[] {
  return chosenParts().filter(({ name, needs }) => {
    const isPossible = needs === undefined || isThere(needs);
    if (!isPossible) console.log(`left out: ${name}, for want of ${needs}`);
    return isPossible;
  });
}

async function runPart({ name, commands }: Part): Promise<Result> {
  const log = join(logs, `${name.replaceAll(' ', '-')}.log`);
  rmSync(log, { force: true });
  const started = performance.now();
  const sum = { passed: 0, failed: 0, cpuSeconds: 0 };
  for (const [command, count] of commands) {
    const { exitCode, output, cpuSeconds } = await run(name, command, root, log);
    const counts = count(output, exitCode);
    sum.passed += counts.passed;
    sum.failed += counts.failed;
    sum.cpuSeconds += cpuSeconds;
    if (counts.failed === 0 && exitCode === 0) continue;
    console.log(`\n--- failed (exit code ${exitCode}): ${command}`);
    console.log(failures(output));
    console.log(`--- the whole log: ${log}\n`);
  }
  return { name, ...sum, seconds: (performance.now() - started) / 1000 };
}

const started = performance.now();
process.env['PATH'] = join(root, 'node_modules/.bin') + delimiter + process.env['PATH'];
mkdirSync(logs, { recursive: true });
const chosen = possibleParts();
const results: Result[] = [];

async function check(part: Part): Promise<void> {
  const old = before(part.name);
  const result = old ?? (await runPart(part));
  results[chosen.indexOf(part)] = result;
  if (old === undefined) passed?.keep(result);
  console.log(line(result, old === undefined ? '' : ' (before)'));
}

await sideBySide(chosen, check);
console.log(`\n${summary(results, (performance.now() - started) / 1000)}`);
process.exitCode = results.every(({ failed }) => failed === 0) ? 0 : 1;
