/**
 * How steptree's time relates to async/await's, both in this process, scenario by scenario: one line of JSON. The CPU's time
 * counts, and of several rounds in turn the best, so that a machine which does other things changes little.
 *
 *   node --expose-gc ratios.js SCENARIO...
 */
import { once, programOf } from './harness.js';
import { subject as asyncAwait } from './peers/async-await.js';
import { subject as steptree } from './steptree.js';
import type { Subject } from './subject.js';

const rounds = 12;
const roundMs = 25;

/** Nanoseconds of one operation, in a round of `size`. */
async function round(subject: Subject, scenario: string, size: number): Promise<number> {
  const watch = await once(programOf(subject, scenario), size, false);
  return watch.worked();
}

/** Operations that fill a round; what it takes to find out warms up. */
async function sizeOf(subject: Subject, scenario: string): Promise<number> {
  let ns = 0;
  for (const size of [300, 3_000, 3_000, 3_000]) ns = await round(subject, scenario, size);
  return Math.min(1_000_000, Math.max(300, Math.round((roundMs * 1e6) / ns)));
}

async function ratio(scenario: string): Promise<number> {
  const pair = [steptree, asyncAwait];
  const best = [Number.POSITIVE_INFINITY, Number.POSITIVE_INFINITY];
  const sizes: number[] = [];
  for (const subject of pair) sizes.push(await sizeOf(subject, scenario));
  for (let i = 0; i < rounds; i++) {
    for (const [which, subject] of pair.entries()) {
      const ns = await round(subject, scenario, sizes[which]!);
      best[which] = Math.min(best[which]!, ns);
    }
  }
  return best[0]! / best[1]!;
}

const measured: Record<string, number> = {};
for (const scenario of process.argv.slice(2)) measured[scenario] = await ratio(scenario);
console.log(JSON.stringify(measured));
