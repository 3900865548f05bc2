import { readFileSync } from 'node:fs';

/** Of a package that exports no manifest: `path` leads there from its entry. */
export function versionOf(name: string, path: string): string {
  const manifest = new URL(path, import.meta.resolve(name));
  return JSON.parse(readFileSync(manifest, 'utf8')).version;
}
