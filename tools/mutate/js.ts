/** JavaScript: the adapter becomes one file, which says whether it compiles at all; mocha runs in the copied tree. */
import { readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { build } from 'esbuild';
import type { LoadedCase } from '../../conformance/case.js';
import { firstFailure } from './cases.js';
import { inOrder } from './order.js';
import { run } from './run.js';
import { copyTree } from './tree.js';
import type { Workshop } from './workshop.js';

const env = { NODE_OPTIONS: '--max-old-space-size=1500' };

export async function jsWorkshop(root: string, cases: readonly LoadedCase[]): Promise<Workshop> {
  const tree = copyTree(root);
  const bundle = join(tree, 'adapter.mjs');
  const adapter = { name: 'js', command: ['node', bundle], env };
  await bundleAdapter(tree, bundle);
  const original = readFileSync(bundle, 'utf8');
  return {
    tree,
    async build(file, _, mutated) {
      writeFileSync(join(tree, file), mutated);
      if (!(await bundleAdapter(tree, bundle))) return 'broken';
      return readFileSync(bundle, 'utf8') === original ? 'same' : 'made';
    },
    defences: ({ chapters, ownTests, otherTests }, limitMs) => [
      () => firstFailure(adapter, inOrder(cases, chapters), tree, limitMs),
      () => unitTests(tree, [...ownTests, ...otherTests], limitMs),
    ],
    isSame: async () => false,
  };
}

/** What types and unused code are gone from; false if it doesn't compile. */
async function bundleAdapter(tree: string, outfile: string): Promise<boolean> {
  try {
    await build({
      entryPoints: [join(tree, 'js/conformance/adapter.ts')],
      alias: { steptree: join(tree, 'js/src/index.ts') },
      ...{ bundle: true, format: 'esm', platform: 'node', outfile },
      // Names stay: which are short is decided by the letters of the source, types and all.
      ...{ minifyWhitespace: true, minifySyntax: true, logLevel: 'silent' },
    });
    return true;
  } catch {
    return false;
  }
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
