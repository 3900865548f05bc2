// The adapter of the JS runtime: one case a line on stdin, its trace as one line on stdout, in the same order.
// `--defined`: what can be a step value is one, made before the case runs.

import { createInterface } from 'node:readline';
import { runDefined } from './defined.js';
import { runCase } from './run.js';

const run = process.argv.includes('--defined') ? runDefined : runCase;

for await (const line of createInterface({ input: process.stdin, terminal: false })) {
  if (line.trim() === '') continue;
  const { id, case: program } = JSON.parse(line);
  try {
    answer({ id, ...(await run(program)) });
  } catch (failure) {
    answer({ id, error: failure instanceof Error ? failure.message : String(failure) });
  }
}

function answer(result: object): void {
  process.stdout.write(`${JSON.stringify(result)}\n`);
}
