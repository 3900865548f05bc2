import { execFileSync } from 'node:child_process';
import { join } from 'node:path';

const own = import.meta.dirname;
const flags = ['-std=c99', '-shared', '-fPIC', `-I${join(own, '../../../cpp/include')}`];

/** `odd.c` as a plug-in of that name: its path. */
export function oddPlugin(folder: string, name: string): string {
  const path = join(folder, `${name}.so`);
  const args = [...flags, `-DNAME="${name}"`, join(own, 'odd.c'), '-o', path];
  execFileSync(process.env['CC'] ?? 'cc', args);
  return path;
}
