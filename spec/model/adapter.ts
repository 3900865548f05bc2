/** The adapter of the model: one case a line on stdin, its trace as one line on stdout, in the same order. */
import { createInterface } from 'node:readline';
import { runCase } from './run.js';

for await (const line of createInterface({ input: process.stdin, terminal: false })) {
  if (line.trim() !== '') process.stdout.write(`${JSON.stringify(answerTo(line))}\n`);
}

function answerTo(line: string): object {
  const { id, case: program } = JSON.parse(line);
  try {
    return { id, trace: runCase(program) };
  } catch (failure) {
    return { id, error: failure instanceof Error ? failure.message : String(failure) };
  }
}
