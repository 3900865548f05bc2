/** Runs the benches' program under callgrind and reads what each scenario's operations took. */
import { spawnSync } from 'node:child_process';
import { mkdtempSync, readdirSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import type { Figures } from './compare.js';

/** Callgrind's files; removed by who asked for them. */
export interface Counted {
  readonly figures: Figures;
  readonly profiles: ReadonlyMap<string, string>;
  readonly directory: string;
}

/** `sizes`: operations by scenario; so many that what is done once does not count. */
export function count(program: string, sizes: Readonly<Record<string, number>>): Counted {
  const directory = mkdtempSync(join(tmpdir(), 'counts-'));
  const words = Object.entries(sizes).flatMap(([scenario, size]) => [scenario, String(size)]);
  const tool = ['--tool=callgrind', '--collect-atstart=no', '--dump-instr=no', '-q'];
  const out = `--callgrind-out-file=${join(directory, 'out')}`;
  const { error, status, stderr } = spawnSync(
    'valgrind',
    [...tool, out, program, '--count', ...words],
    { encoding: 'utf8' },
  );
  try {
    if (error !== undefined) throw new Error(`valgrind does not start: ${error.message}`);
    if (status !== 0) throw new Error(`${program} --count failed: ${stderr.trim()}`);
    return { ...read(directory, sizes), directory };
  } catch (error) {
    rmSync(directory, { recursive: true });
    throw error;
  }
}

function read(directory: string, sizes: Readonly<Record<string, number>>) {
  const totals = new Map<string, number>();
  const profiles = new Map<string, string>();
  for (const file of readdirSync(directory)) {
    const text = readFileSync(join(directory, file), 'utf8');
    const scenario = /^desc: Trigger: Client Request: (\S+)$/m.exec(text)?.[1];
    const total = /^totals: (\d+)$/m.exec(text)?.[1];
    if (scenario === undefined || total === undefined) continue;
    totals.set(scenario, Number(total));
    profiles.set(scenario, join(directory, file));
  }
  const figures = Object.fromEntries(
    Object.entries(sizes).map(([scenario, size]) => {
      const total = totals.get(scenario);
      if (!total) throw new Error(`callgrind has collected nothing for ${scenario}`);
      return [scenario, Math.round((total / size) * 10) / 10];
    }),
  );
  return { figures, profiles };
}
