/**
 * The adapter of the model: one case a line on stdin, its trace as one line on stdout, in the same order.
 * `--strict`: without a trace for what uses an accessor whose step has closed, which is undefined in C++.
 */
import { createInterface } from 'node:readline';
import { answerOf, runWorld } from './run.js';
import { Fault } from './world.js';

const strict = process.argv.includes('--strict');

for await (const line of createInterface({ input: process.stdin, terminal: false })) {
  if (line.trim() !== '') process.stdout.write(`${JSON.stringify(answerTo(line))}\n`);
}

function answerTo(line: string): object {
  const { id, case: program } = JSON.parse(line);
  try {
    const world = runWorld(program);
    if (world.stale && strict) return { id, error: 'an accessor is used whose step has closed' };
    return { id, ...answerOf(world) };
  } catch (failure) {
    if (!(failure instanceof Fault)) throw failure; // A bug of the model isn't a case that can't be run.
    return { id, error: failure.message };
  }
}
