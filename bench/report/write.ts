/** Writes the report: all of it or nothing. */
import { mkdirSync, readFileSync, renameSync, writeFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { chart } from './chart.js';
import { measured, withMeasured } from './readme.js';
import type { Results } from './results.js';
import { table } from './table.js';

function files(results: Results, folder: string): Map<string, string> {
  return new Map([
    [join(folder, 'latest.json'), `${JSON.stringify(results, null, 2)}\n`],
    [join(folder, 'table.md'), table(results)],
    [join(folder, 'chart-light.svg'), chart(results, 'light')],
    [join(folder, 'chart-dark.svg'), chart(results, 'dark')],
  ]);
}

/** Everything is made and written beside its place before anything is moved there. */
function place(contents: ReadonlyMap<string, string>): void {
  for (const [file, text] of contents) {
    mkdirSync(dirname(file), { recursive: true });
    writeFileSync(`${file}.new`, text);
  }
  for (const file of contents.keys()) renameSync(`${file}.new`, file);
}

export function write(results: Results, folder: string): void {
  place(files(results, folder));
}

/** What was published last. */
export function published(folder: string): Results {
  return JSON.parse(readFileSync(join(folder, 'latest.json'), 'utf8')) as Results;
}

/** With the README's part of it. */
export function publish(results: Results, folder: string, readme: string): void {
  const contents = files(results, folder);
  contents.set(readme, withMeasured(readFileSync(readme, 'utf8'), measured(results)));
  place(contents);
}
