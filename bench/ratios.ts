/**
 * Holds the speed of the JavaScript engine: its times as ratios to async/await's in the same process, beside bench/ratios.json, on the
 * newest Node and on the oldest. A ratio that grew by more than 60 % fails; one that fell by 40 % asks for a new figure, but passes.
 *
 *   npm run bench:ratios [-- --update]
 */
import { execFileSync } from 'node:child_process';
import { readFileSync, writeFileSync } from 'node:fs';
import { fileURLToPath } from 'node:url';
import { fetchNode, versionOf } from '../tools/nodes.js';
import { oldest } from './subjects.js';

const root = fileURLToPath(new URL('..', import.meta.url));
const file = `${root}bench/ratios.json`;
const worse = 1.6;
const better = 0.6;
const again = 3;

type Ratios = Record<string, number>;

/** By the line of Node. */
type Recorded = Record<string, Ratios>;

const newest = versionOf().split('.')[0]!;
const nodes = new Map([
  [newest, fetchNode()],
  [oldest, fetchNode(oldest)],
]);

function measure(node: string, scenarios: readonly string[]): Ratios {
  const inherit = {
    cwd: root,
    stdio: ['ignore', 'pipe', 'inherit'] as ['ignore', 'pipe', 'inherit'],
  };
  const program = 'build/bench-js/ratios.js';
  const out = execFileSync(node, ['--expose-gc', program, ...scenarios], inherit);
  return JSON.parse(out.toString()) as Ratios;
}

function verdict(was: number, is: number): string {
  if (is > was * worse) return 'SLOWER';
  return is < was * better ? 'faster: --update' : 'ok';
}

/** What looks slower is measured again, in a process of its own, before that is believed. */
function measureAgain(node: string, recorded: Ratios, measured: Ratios): void {
  for (let i = 0; i < again; i++) {
    const doubtful = Object.keys(measured).filter(
      (name) => measured[name]! > recorded[name]! * worse,
    );
    if (doubtful.length === 0) return;
    for (const [name, is] of Object.entries(measure(node, doubtful)))
      measured[name] = Math.min(is, measured[name]!);
  }
}

/** How many are slower. */
function check(line: string, recorded: Ratios, measured: Ratios): number {
  let slower = 0;
  for (const [scenario, is] of Object.entries(measured)) {
    const was = recorded[scenario]!;
    const words = verdict(was, is);
    const name = `Node ${line} ${scenario}`;
    console.log(`${name.padEnd(30)} ${was.toFixed(2)} -> ${is.toFixed(2)} ${words}`);
    if (words === 'SLOWER') slower++;
  }
  return slower;
}

const rounded = (measured: Ratios): Ratios =>
  Object.fromEntries(Object.entries(measured).map(([name, is]) => [name, Number(is.toFixed(2))]));

const recorded = JSON.parse(readFileSync(file, 'utf8')) as Recorded;
const updates = process.argv.includes('--update');
const updated: Recorded = {};
let slower = 0;
for (const [line, node] of nodes) {
  const expected = recorded[line];
  if (expected === undefined && !updates)
    throw new Error(`bench/ratios.json has nothing of Node ${line}: --update`);
  // The scenarios of a Node that is new are those of the others.
  const measured = measure(node, Object.keys(expected ?? Object.values(recorded)[0]!));
  if (expected !== undefined && !updates) {
    measureAgain(node, expected, measured);
    slower += check(line, expected, measured);
  }
  updated[line] = rounded(measured);
}
if (updates) {
  writeFileSync(file, `${JSON.stringify(updated, null, 2)}\n`);
  console.log(`written: bench/ratios.json ${JSON.stringify(updated)}`);
}
process.exitCode = slower === 0 ? 0 : 1;
