/** JavaScript: esbuild says whether it compiles, the adapter and mocha run from the copied tree. */
import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { transform } from 'esbuild';
import type { LoadedCase } from '../../conformance/case.js';
import { firstFailure } from './cases.js';
import { inOrder } from './order.js';
import { run } from './run.js';
import { copyTree } from './tree.js';
import type { Workshop } from './workshop.js';

const env = { NODE_OPTIONS: '--max-old-space-size=1500' };
const adapter = {
  name: 'js',
  command: ['node', '--import', 'tsx', 'js/conformance/adapter.ts'],
  env,
};

export async function jsWorkshop(
  root: string,
  name: string,
  cases: readonly LoadedCase[],
): Promise<Workshop> {
  const tree = copyTree(root, name);
  return {
    tree,
    async build(file, source, mutated) {
      try {
        if ((await compiled(source)) === (await compiled(mutated))) return 'same';
      } catch {
        return 'broken';
      }
      writeFileSync(join(tree, file), mutated);
      return 'made';
    },
    defences: ({ chapters, tests }, limitMs) => [
      () => firstFailure(adapter, inOrder(cases, chapters), tree, limitMs),
      () => unitTests(tree, tests, limitMs),
    ],
    isSame: async () => false,
  };
}

async function compiled(text: string): Promise<string> {
  // Not the short names: they are chosen by the letters of the source, types and all.
  const minify = { minifyWhitespace: true, minifySyntax: true } as const;
  return (await transform(text, { loader: 'ts', logLevel: 'silent', ...minify })).code;
}

async function unitTests(
  tree: string,
  tests: readonly string[],
  limitMs: number,
): Promise<string | undefined> {
  const mocha = ['node', 'node_modules/mocha/bin/mocha.js', '--bail', ...tests];
  const { exitCode, output } = await run(mocha, tree, limitMs, env);
  if (exitCode === 0) return undefined;
  return /^ +1\) (.+(?:\n +[^\s].*)?:)$/m.exec(output)?.[1] ?? 'unit tests';
}
