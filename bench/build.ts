/** Makes what is measured: the packages of the peers, the C++ programs, the compiled JavaScript. */
import { type ChildProcess, spawn } from 'node:child_process';
import { fileURLToPath } from 'node:url';
import type { Language } from './scenario.js';
import { oldest } from './subjects.js';

const root = fileURLToPath(new URL('..', import.meta.url));

/** As the tool understands it: no line. */
const newest = '';

const commands: Readonly<Record<Language, readonly string[]>> = {
  cpp: [
    'tools/setup bench',
    'cmake --preset bench',
    'cmake --build --preset bench -j 2 --target bench',
  ],
  js: [
    'tools/setup bench-js',
    ...[newest, oldest].map((line) => `node --import tsx tools/newestnode.ts ${line}`),
    'npm run -s build',
    'rm -rf build/bench-js && node_modules/.bin/tsc -p bench/tsconfig.json',
    // Outside of bench/ `steptree` is the package as it is shipped, and this is where the peers are.
    'ln -sfn ../../bench/node_modules build/bench-js/node_modules',
  ],
};

let running: ChildProcess | null = null;
process.on('exit', () => running?.kill());

/** What the command prints goes to standard error. */
function run(command: string): Promise<void> {
  return new Promise((resolve, reject) => {
    running = spawn('bash', ['-c', command], { cwd: root, stdio: [0, 2, 2] });
    running.on('error', reject);
    running.on('close', (code) => {
      running = null;
      if (code === 0) resolve();
      else reject(new Error(`failed: ${command}`));
    });
  });
}

/** What is in C++ of the bench over Redis: without the peers of the other one. */
export async function buildNative(): Promise<void> {
  await run('tools/setup test');
  await run('cmake --preset counts && cmake --build --preset counts -j 2 --target bench-redis');
}

export async function build(languages: ReadonlySet<Language>): Promise<void> {
  for (const lang of languages) for (const command of commands[lang]) await run(command);
}
