// The adapter of programs in two languages: their steps that are named `native` run in a plug-in, all others in JavaScript.

import { createInterface } from 'node:readline';
import { loadMixed, runMixed } from './run.js';

await loadMixed();
for await (const line of createInterface({ input: process.stdin, terminal: false })) {
  if (line.trim() === '') continue;
  const { id, case: program } = JSON.parse(line);
  const answer = await runMixed(program).catch((failure) => {
    // What is left open would be in the way of the next one.
    console.error(failure);
    process.exit(1);
  });
  process.stdout.write(`${JSON.stringify({ id, ...answer })}\n`);
}
