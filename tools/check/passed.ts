/** Which parts have passed with these very files: they needn't run again. */
import { execFileSync } from 'node:child_process';
import { createHash } from 'node:crypto';
import { existsSync, mkdirSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import type { Result } from './result.js';

interface Kept {
  readonly files: string;
  readonly results: Record<string, Result>;
}

export class Passed {
  readonly #path: string;
  readonly #files: string;
  readonly #results: Record<string, Result>;

  constructor(root: string) {
    this.#path = join(root, 'build/passed.json');
    this.#files = hashOfFiles(root);
    const kept: Kept | undefined = existsSync(this.#path)
      ? JSON.parse(readFileSync(this.#path, 'utf8'))
      : undefined;
    this.#results = kept?.files === this.#files ? kept.results : {};
  }

  of(name: string): Result | undefined {
    return this.#results[name];
  }

  keep(result: Result): void {
    if (result.failed === 0) this.#results[result.name] = result;
    else delete this.#results[result.name];
    mkdirSync(join(this.#path, '..'), { recursive: true });
    writeFileSync(this.#path, JSON.stringify({ files: this.#files, results: this.#results }));
  }
}

/** Of all files that are part of the project or are about to be, and of the Node that runs the checks. */
function hashOfFiles(root: string): string {
  const hash = createHash('sha256').update(process.version);
  const list = execFileSync('git', ['ls-files', '-coz', '--exclude-standard'], { cwd: root });
  for (const name of list.toString().split('\0').sort()) {
    if (name === '' || !existsSync(join(root, name))) continue;
    const content = readFileSync(join(root, name));
    hash.update(`${name}\0${content.length}\0`).update(content);
  }
  return hash.digest('hex');
}
