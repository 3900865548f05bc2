/**
 * Several versions stand side by side, each in a folder of its own; the newest is where one comes first.
 *
 *     node --import tsx site/make/versions.ts FOLDER     after a version has been added to what is published
 */
import { existsSync, readdirSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';

const numbersOf = (version: string) => version.split('.').map(Number);

/** The newest first. */
export function versionsIn(folder: string): string[] {
  return readdirSync(folder)
    .filter((name) => /^\d+\.\d+\.\d+$/.test(name) && existsSync(join(folder, name, 'index.html')))
    .sort((a, b) => {
      const [left, right] = [numbersOf(a), numbersOf(b)];
      const at = left.findIndex((number, i) => number !== right[i]);
      return at < 0 ? 0 : right[at]! - left[at]!;
    });
}

export function writeVersions(folder: string): void {
  const versions = versionsIn(folder);
  writeFileSync(join(folder, 'versions.json'), `${JSON.stringify(versions)}\n`);
  const [newest] = versions;
  if (newest === undefined) throw new Error(`${folder} has no version`);
  const to = `${newest}/index.html`;
  const page = `<!doctype html><html lang="en"><meta charset="utf-8"><title>steptree</title><meta http-equiv="refresh" content="0; url=${to}"><a href="${to}">steptree ${newest}</a></html>\n`;
  writeFileSync(join(folder, 'index.html'), page);
}

if (import.meta.filename === process.argv[1]) writeVersions(process.argv[2]!);
