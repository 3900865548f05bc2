/**
 * Holds the speed of the JavaScript engine: its times as ratios to async/await's in the same process, beside bench/ratios.json.
 * A ratio that grew by more than 60 % fails; one that fell by 40 % asks for a new figure, but passes.
 *
 *   npm run bench:ratios [-- --update]
 */
import { execFileSync } from 'node:child_process';
import { readFileSync, writeFileSync } from 'node:fs';
import { fileURLToPath } from 'node:url';

const root = fileURLToPath(new URL('..', import.meta.url));
const file = `${root}bench/ratios.json`;
const worse = 1.6;
const better = 0.6;
const again = 3;

type Ratios = Record<string, number>;

function measure(scenarios: readonly string[]): Ratios {
  const inherit = {
    cwd: root,
    stdio: ['ignore', 'pipe', 'inherit'] as ['ignore', 'pipe', 'inherit'],
  };
  const program = 'build/bench-js/ratios.js';
  const out = execFileSync(process.execPath, ['--expose-gc', program, ...scenarios], inherit);
  return JSON.parse(out.toString()) as Ratios;
}

function verdict(was: number, is: number): string {
  if (is > was * worse) return 'SLOWER';
  return is < was * better ? 'faster: --update' : 'ok';
}

const recorded = JSON.parse(readFileSync(file, 'utf8')) as Ratios;
const limit = (scenario: string) => recorded[scenario]! * worse;

/** What looks slower is measured again, in a process of its own, before that is believed. */
function measureAgain(measured: Ratios): void {
  for (let i = 0; i < again; i++) {
    const doubtful = Object.keys(measured).filter((name) => measured[name]! > limit(name));
    if (doubtful.length === 0) return;
    for (const [name, is] of Object.entries(measure(doubtful)))
      measured[name] = Math.min(is, measured[name]!);
  }
}

function check(measured: Ratios): number {
  measureAgain(measured);
  let slower = 0;
  for (const [scenario, is] of Object.entries(measured)) {
    const words = verdict(recorded[scenario]!, is);
    console.log(
      `${scenario.padEnd(12)} ${recorded[scenario]!.toFixed(2)} -> ${is.toFixed(2)} ${words}`,
    );
    if (words === 'SLOWER') slower++;
  }
  return slower;
}

function update(measured: Ratios): void {
  const rounded = Object.entries(measured).map(([name, is]) => [name, Number(is.toFixed(2))]);
  writeFileSync(file, `${JSON.stringify(Object.fromEntries(rounded), null, 2)}\n`);
  console.log(`written: bench/ratios.json ${JSON.stringify(Object.fromEntries(rounded))}`);
}

const measured = measure(Object.keys(recorded));
if (process.argv.includes('--update')) update(measured);
else process.exitCode = check(measured) === 0 ? 0 : 1;
