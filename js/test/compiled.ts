// What the compiler says of a program that uses the sources.

import { spawnSync } from 'node:child_process';
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';

const root = fileURLToPath(new URL('../..', import.meta.url));

/** `program` imports from 'steptree'. */
export function compiled(program: string, ...options: string[]): string {
  const directory = mkdtempSync(join(tmpdir(), 'compiled-'));
  try {
    writeFileSync(join(directory, 'program.mts'), program);
    const compilerOptions = {
      typeRoots: [join(root, 'node_modules/@types')],
      types: ['node'],
      paths: { steptree: [join(root, 'js/src/index.ts')] },
    };
    writeFileSync(
      join(directory, 'tsconfig.json'),
      JSON.stringify({
        extends: join(root, 'tsconfig.json'),
        compilerOptions,
        files: ['program.mts'],
        include: [],
      }),
    );
    const args = [join(root, 'node_modules/typescript/bin/tsc'), ...options];
    return spawnSync(process.execPath, args, { cwd: directory, encoding: 'utf8' }).stdout;
  } finally {
    rmSync(directory, { recursive: true });
  }
}
