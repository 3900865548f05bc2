/**
 * Runs the checks part by part and adds everything up.
 *
 *   npm test                  all parts
 *   npm test -- cpp lint      the parts whose names contain one of the words
 *   npm run check:all         the slow parts too
 */
import { mkdirSync, rmSync } from 'node:fs';
import { delimiter, join } from 'node:path';
import { fileURLToPath } from 'node:url';
import type { Counts } from './check/counts.js';
import { type Part, parts } from './check/parts.js';
import { run } from './check/run.js';

const root = fileURLToPath(new URL('..', import.meta.url));
const logs = join(root, 'build/logs');
const tailLines = 80;

interface Result extends Counts {
  readonly name: string;
  readonly seconds: number;
}

function chosenParts(args: readonly string[]): readonly Part[] {
  const words = args.filter((word) => !word.startsWith('--'));
  const all = args.includes('--all');
  const chosen = parts.filter(
    ({ name, slow }) =>
      (words.length > 0 || all || !slow) &&
      (words.length === 0 || words.some((word) => name.includes(word))),
  );
  if (chosen.length > 0) return chosen;
  throw new Error(`no such part; there are: ${parts.map(({ name }) => name).join(', ')}`);
}

async function runPart({ name, commands }: Part): Promise<Result> {
  const log = join(logs, `${name.replaceAll(' ', '-')}.log`);
  rmSync(log, { force: true });
  const started = performance.now();
  let passed = 0;
  let failed = 0;
  for (const [command, count] of commands) {
    const { exitCode, output } = await run(command, root, log);
    const counts = count(output, exitCode);
    passed += counts.passed;
    failed += counts.failed;
    if (counts.failed === 0 && exitCode === 0) continue;
    console.log(`\n--- failed (exit code ${exitCode}): ${command}`);
    console.log(output.trimEnd().split('\n').slice(-tailLines).join('\n'));
    console.log(`--- the whole log: ${log}\n`);
  }
  return { name, passed, failed, seconds: (performance.now() - started) / 1000 };
}

function line({ name, passed, failed, seconds }: Result): string {
  const verdict = failed === 0 ? 'ok    ' : 'FAILED';
  const counts = `${String(passed).padStart(5)} passed ${String(failed).padStart(4)} failed`;
  return `${verdict} ${name.padEnd(44)} ${counts} ${seconds.toFixed(1).padStart(7)} s`;
}

process.env['PATH'] = join(root, 'node_modules/.bin') + delimiter + process.env['PATH'];
mkdirSync(logs, { recursive: true });
const chosen = chosenParts(process.argv.slice(2));
const results: Result[] = [];
for (const [i, part] of chosen.entries()) {
  console.log(`[${String(i + 1).padStart(2)}/${chosen.length}] ${part.name}`);
  const result = await runPart(part);
  results.push(result);
  console.log(`      ${line(result)}`);
}

const total = (of: (result: Result) => number) => results.reduce((sum, r) => sum + of(r), 0);
const failed = total((result) => result.failed);
console.log(`\n${results.map(line).join('\n')}`);
console.log(`\nall parts took ${total(({ seconds }) => seconds).toFixed(0)} s`);
console.log(`${total(({ passed }) => passed)} passed, ${failed} failed`);
process.exitCode = failed === 0 ? 0 : 1;
