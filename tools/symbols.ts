/**
 * Keeps in `cpp/abi/` which functions the shared libraries export, a line each: a change of it is a change of these files. What is inline
 * or a template isn't there, as it differs between compilers; places of members are what `npm run layout` records.
 *
 *   npm run symbols               writes them, of build/dev; refuses what needs another number of the interface
 *   npm run symbols -- --check    says which aren't what the libraries export
 */
import { execFileSync } from 'node:child_process';
import { existsSync, mkdirSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';

const root = fileURLToPath(new URL('..', import.meta.url));
const libraries = [
  'steptree',
  'steptree-c',
  'steptree-pool',
  'steptree-inspector',
  'steptree-redis',
];

/** What `nm -DC --defined-only` prints, of functions that are no templates. Constructors have several entries of one name. */
export function functionsOf(printed: string): string[] {
  const names = [...printed.matchAll(/^[0-9a-f]+ T (.*)$/gm)].map(([, name]) => name!);
  return [...new Set(names)].sort();
}

/** The file: the number first. */
export const reportOf = (abi: number, functions: readonly string[]) =>
  `${[`# interface ${abi}`, ...functions].join('\n')}\n`;

/** What is gone although the number is the same. */
export function lost(stored: string, fresh: string): string[] {
  const [number, ...before] = stored.trimEnd().split('\n');
  const [now, ...after] = fresh.trimEnd().split('\n');
  return number === now ? before.filter((name) => !after.includes(name)) : [];
}

function fresh(library: string): string | undefined {
  const file = join(root, `build/dev/cpp/lib${library}.so`);
  if (!existsSync(file)) return undefined;
  const printed = execFileSync('nm', ['-DC', '--defined-only', file], { encoding: 'utf8' });
  const header = readFileSync(join(root, 'cpp/include/steptree/abi.hpp'), 'utf8');
  return reportOf(Number(/kAbi = (\d+)/.exec(header)?.[1]), functionsOf(printed));
}

if (process.argv[1] === fileURLToPath(import.meta.url)) {
  const onlyCheck = process.argv.includes('--check');
  mkdirSync(join(root, 'cpp/abi'), { recursive: true });
  for (const library of libraries) {
    const report = fresh(library);
    const name = `cpp/abi/${library}.txt`;
    const stored = existsSync(join(root, name)) ? readFileSync(join(root, name), 'utf8') : '';
    if (report === stored) continue;
    const gone = lost(stored, report ?? '');
    if (report === undefined) console.log(`${name}: build/dev has no such shared library`);
    else if (gone.length > 0) console.log(`${name}: needs another kAbi, for want of`, gone);
    else if (onlyCheck) console.log(`${name}: the library exports something else: npm run symbols`);
    else writeFileSync(join(root, name), report);
    if (onlyCheck || report === undefined || gone.length > 0) process.exitCode = 1;
  }
}
