/** Makes what is measured: the packages of the peers, the C++ programs, the compiled JavaScript. */
import { spawnSync } from 'node:child_process';
import { fileURLToPath } from 'node:url';
import type { Language } from './scenarios.js';

const root = fileURLToPath(new URL('..', import.meta.url));

const commands: Readonly<Record<Language, readonly string[]>> = {
  cpp: [
    'tools/setup bench',
    'cmake --preset bench',
    'cmake --build --preset bench -j 2 --target bench',
  ],
  js: [
    'tools/setup bench-js',
    'npm run -s build',
    'rm -rf build/bench-js && node_modules/.bin/tsc -p bench/tsconfig.json',
    // Outside of bench/ `steptree` is the package as it is shipped, and this is where the peers are.
    'ln -sfn ../../bench/node_modules build/bench-js/node_modules',
  ],
};

/** What the commands print goes to standard error. */
export function build(languages: ReadonlySet<Language>): void {
  for (const lang of languages) {
    for (const command of commands[lang]) {
      const { status } = spawnSync('bash', ['-c', command], { cwd: root, stdio: [0, 2, 2] });
      if (status !== 0) throw new Error(`failed: ${command}`);
    }
  }
}
