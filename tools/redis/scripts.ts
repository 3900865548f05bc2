/**
 * The scripts of `spec/redis`, for whoever puts them into a program.
 *
 * Its first line says what Redis allows it: without `allow-oom` it isn't begun when there is no memory, with that it's never cut off in the middle.
 * A script with a line `-- uses: NAME` begins with that file, which is none that is run by itself: its name begins with `_`.
 */
import { createHash } from 'node:crypto';
import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';

const folder = fileURLToPath(new URL('../../spec/redis', import.meta.url));

/** Lines that only say something aren't sent. */
function code(name: string): string {
  const text = readFileSync(join(folder, `${name}.lua`), 'utf8');
  const used = text.match(/^-- uses: (.+)$/m)?.[1]?.split(' ') ?? [];
  const own = text
    .split('\n')
    .filter((line) => !/^\s*(?:--.*)?$/.test(line))
    .map((line) => line.trim());
  const first = own[0]?.startsWith('#!') ? own.splice(0, 1) : [];
  return [...first, ...used.map(code), ...own].join('\n');
}

const isRun = (name: string) => name.endsWith('.lua') && !/(?:^|\/)_/.test(name);

/** By their paths without `.lua`. */
export function redisScripts(): Record<string, { text: string; sha: string }> {
  const names = readdirSync(folder, { recursive: true, encoding: 'utf8' }).filter(isRun).sort();
  return Object.fromEntries(
    names.map((file) => {
      const name = file.replace(/\.lua$/, '');
      const text = code(name);
      return [name, { text, sha: createHash('sha1').update(text).digest('hex') }];
    }),
  );
}
