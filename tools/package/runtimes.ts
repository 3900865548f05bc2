/** What runs JavaScript and isn't Node, as npm carries it: programs of tools/package/checkers. */
import { existsSync, readdirSync } from 'node:fs';
import { join } from 'node:path';
import { root } from './installed.js';

export interface Runtime {
  readonly name: string;
  /** The program, and what stands before the file. */
  readonly command: () => readonly [string, ...string[]];
}

const exe = process.platform === 'win32' ? '.exe' : '';

export const runtimes: readonly Runtime[] = [
  { name: 'Deno', command: () => [program('@deno', `deno${exe}`), 'run', '-A', '--no-lock'] },
  { name: 'Bun', command: () => [program('@oven', `bin/bun${exe}`)] },
];

/** npm installs the package of this machine. */
function program(scope: string, path: string): string {
  const folder = join(root, 'tools/package/checkers/node_modules', scope);
  const packages = existsSync(folder) ? readdirSync(folder) : [];
  const found = packages.map((name) => join(folder, name, path)).find((file) => existsSync(file));
  if (found === undefined) throw new Error(`no ${scope}: tools/setup deep installs it`);
  return found;
}
