// What a native step costs, from JavaScript to JavaScript, beside one of JavaScript's: median of batches, in nanoseconds.
//
//     node --import tsx native/test/cost.ts PLUGIN.so

import { AsyncSteps, step, type Step } from 'steptree';
import { load } from '../ts/index.js';
import type { Tried } from './plugin.js';

const plugin = await load<Tried>(process.argv[2]!);
const runs = 20_000;

function batch(part: Step): Promise<number> {
  const flow = new AsyncSteps();
  flow.repeat(runs, part as any);
  const begin = performance.now();
  return new Promise((done) =>
    flow.execute(({ kind }) => {
      if (kind !== 'ok') throw new Error(kind);
      done(((performance.now() - begin) * 1e6) / runs);
    }),
  );
}

async function cost(part: Step): Promise<number> {
  const times: number[] = [];
  for (let i = 0; i < 15; i++) times.push(await batch(part));
  return times.sort((a, b) => a - b)[7]!;
}

const js = step((asi: any) => asi.success(1));
for (const [name, part] of [
  ['a step of JavaScript', js],
  ['echo(1)', plugin.step('echo', 1)],
  ['echo()', plugin.step('echo').with()],
  ['echo(1).timeout(1000)', plugin.step('echo', 1).timeout(1000)],
  ['js.timeout(1000)', js.timeout(1000)],
  ['chain(0)', plugin.step('chain', 0)],
  ['chain(10)', plugin.step('chain', 10)],
] as [string, Step][])
  console.log(name.padEnd(24), Math.round(await cost(part)));
process.exit();
