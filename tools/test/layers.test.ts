import { expect } from 'chai';
import { buildSync } from 'esbuild';
import { fileURLToPath } from 'node:url';
import { againstOrder, importsOf, namingKinds } from '../layers.js';

const root = fileURLToPath(new URL('../..', import.meta.url));

describe('layers', () => {
  it('an import that goes up is found, and a file that is not listed', () => {
    const graph = { 'js/src/a.ts': ['js/src/b.ts'], 'js/src/b.ts': [], 'js/src/c.ts': [] };
    const faults = againstOrder(new Map(Object.entries(graph)), '//     low  a b\n');
    expect(faults).to.deep.equal(['js/src/a.ts: js/src/b.ts', "js/src/c.ts isn't in the list"]);
  });

  it('a file below the kinds of steps that names one is found, also as a type', () => {
    const folder = `${root}js/src/`;
    expect(namingKinds(folder, '//     low  adder tree\n//     kinds     loop\n')).to.deep.equal([
      "adder: './loop.js'",
    ]);
  });

  it('each file of js/src can be imported alone, but for that which is another package', async () => {
    const files = [...importsOf(`${root}js/src/`).keys()].filter(
      (file) => !file.endsWith('/native.ts'),
    );
    const { outputFiles } = buildSync({
      entryPoints: files.map((file) => root + file),
      outdir: 'none',
      bundle: true,
      format: 'esm',
      write: false,
    });
    for (const { contents } of outputFiles) {
      await import(`data:text/javascript;base64,${Buffer.from(contents).toString('base64')}`);
    }
  });
});
