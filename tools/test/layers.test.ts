import { expect } from 'chai';
import { buildSync } from 'esbuild';
import { readFileSync } from 'node:fs';
import { fileURLToPath } from 'node:url';
import { againstOrder, importsOf, namingKinds } from '../layers.js';

const root = fileURLToPath(new URL('../..', import.meta.url));

describe('layers', () => {
  it('an import that goes up is found, and a file that is not listed', () => {
    const graph = { 'js/src/a.ts': ['js/src/b.ts'], 'js/src/b.ts': [], 'js/src/c.ts': [] };
    const faults = againstOrder(new Map(Object.entries(graph)), '//     low  a b\n');
    expect(faults).to.deep.equal(['js/src/a.ts: js/src/b.ts', "js/src/c.ts isn't in the list"]);
  });

  it('no file of js/src imports one that stands above it', () => {
    const graph = importsOf(`${root}js/src/`);
    expect(graph.size).to.be.above(50);
    const index = readFileSync(`${root}js/src/index.ts`, 'utf8');
    expect(againstOrder(graph, index)).to.deep.equal([]);
  });

  it('no file below the kinds of steps names one, not even as a type', () => {
    const folder = `${root}js/src/`;
    const index = readFileSync(`${folder}index.ts`, 'utf8');
    expect(namingKinds(folder, index)).to.deep.equal([]);
    expect(namingKinds(folder, '//     low  adder tree\n//     kinds     loop\n')).to.deep.equal([
      "adder: './loop.js'",
    ]);
  });

  it('each file of js/src can be imported alone', async () => {
    const { outputFiles } = buildSync({
      entryPoints: [...importsOf(`${root}js/src/`).keys()].map((file) => root + file),
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
