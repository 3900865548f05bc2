// What it costs the compiler to follow values through steps, in instantiations of types: they don't depend on the machine.

import { expect } from 'chai';
import { execFileSync } from 'node:child_process';
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';

const root = fileURLToPath(new URL('../..', import.meta.url));

/** Of a program with so many steps, each inside of the one before. */
function costOf(depth: number): number {
  const directory = mkdtempSync(join(tmpdir(), 'typescost-'));
  try {
    const nested = '(_asi, n) => n + 1, steps('.repeat(depth - 1);
    writeFileSync(
      join(directory, 'nested.mts'),
      `import { run, steps } from '${join(root, 'js/src/index.js')}';
      export const sum: Promise<number> =
        run(steps(() => 5, steps(${nested}(_asi, n) => n${')'.repeat(depth - 1)})));`,
    );
    const compilerOptions = { typeRoots: [join(root, 'node_modules/@types')], types: ['node'] };
    writeFileSync(
      join(directory, 'tsconfig.json'),
      JSON.stringify({
        extends: join(root, 'tsconfig.json'),
        compilerOptions,
        files: ['nested.mts'],
        include: [],
      }),
    );
    const args = [join(root, 'node_modules/typescript/bin/tsc'), '--extendedDiagnostics'];
    const options = { cwd: directory, encoding: 'utf8' } as const;
    const said = execFileSync(process.execPath, args, options);
    return Number(/Instantiations: +(\d+)/.exec(said)![1]);
  } finally {
    rmSync(directory, { recursive: true });
  }
}

describe('types of step values', function () {
  this.timeout(120_000);

  it('300 nested steps cost at most ten times as much as 30', () => {
    const without = costOf(1);
    expect(costOf(300) - without).to.be.below(10.5 * (costOf(30) - without));
  });
});
