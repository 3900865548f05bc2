/** Which implementations a run is about: those of implementations.yaml, changed by the command line. */
import { spawnSync } from 'node:child_process';
import { listed } from './listed.js';
import type { Implementation } from './execute.js';
import { UsageError } from './commandline.js';
import type { Options } from './options.js';

export function chooseImplementations({ impl, run, commands }: Options): Implementation[] {
  const all: Implementation[] = Object.entries(listed).map(([name, { command, build }]) => {
    const other = commands[name];
    if (other !== undefined) return { name, command: other };
    return { name, command, ...(build === undefined ? {} : { build }) };
  });
  if (impl !== undefined) all.push({ name: 'impl', command: impl });
  for (const name of run) {
    if (!all.some((known) => known.name === name)) {
      throw new UsageError(
        `--run: one of ${all.map((known) => known.name).join(', ')}, not '${name}'`,
      );
    }
  }
  return all.filter(({ name }) =>
    run.length === 0 ? listed[name]?.asked !== true : run.includes(name),
  );
}

/** Runs the build commands; their output goes to stderr, so that stdout holds the result only. */
export function buildAdapters(implementations: readonly Implementation[], cwd: string): void {
  for (const { name, build } of implementations) {
    if (build === undefined) continue;
    console.error(`building the adapter ${name}`);
    const { status, stdout } = spawnSync('sh', ['-c', build], {
      cwd,
      encoding: 'utf8',
      stdio: ['ignore', 'pipe', 'inherit'],
    });
    if (status === 0) continue;
    process.stderr.write(stdout);
    throw new Error(`the adapter ${name} cannot be built: ${build}`);
  }
}
