/** What is tested of source maps. */
import { expect } from 'chai';
import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { call, type Installed, root } from './installed.js';
import { mapOf } from './maps.js';

const text = (path: string) => readFileSync(join(root, path), 'utf8');

/** Each map of a `dist` is named by its module, and has the sources as they are, named as in the repository. */
export function expectMaps(dist: string): void {
  const maps = readdirSync(dist).filter((name) => name.endsWith('.map'));
  expect(maps).not.to.deep.equal([]);
  for (const name of maps) {
    const code = readFileSync(join(dist, name.replace(/\.map$/, '')), 'utf8');
    expect(code.endsWith(`\n//# sourceMappingURL=${name}\n`), name).to.equal(true);
    const { sources, sourcesContent } = mapOf(join(dist, name));
    for (const [i, source] of sources.entries()) {
      // What the bundler has put in has no file.
      if (source.startsWith('<define:')) continue;
      expect(source, name).to.match(/^\.\.\/\w/);
      expect(sourcesContent[i], source).to.equal(text(source.slice(3)));
    }
  }
}

/** The lines of the sources to which the frames of a stack lead that a program prints, from the innermost one on. */
function linesOfStack(program: string, cwd: string): string[] {
  const said = call('node', ['--enable-source-maps', '--input-type=module', '-e', program], cwd);
  return [...said.matchAll(/ at .*\/(js\/src\/\w+\.ts):(\d+):\d+\)/g)].map(([, path, line]) =>
    text(path!).split('\n')[Number(line) - 1]!.trim(),
  );
}

export function hasMaps(installed: () => Installed): void {
  it('has maps to its sources, which are in them', () => {
    expectMaps(join(installed().project, 'node_modules/steptree/dist'));
  });

  for (const file of ['node.js', 'index.cjs', 'index.js', 'browser.js']) {
    it(`has stacks of ${file} that lead to lines of its sources with --enable-source-maps`, () => {
      const program = `import { VirtualTool } from './node_modules/steptree/dist/${file}';
        try { new VirtualTool().advance(-1); } catch (error) { console.log(error.stack); }`;
      const [, checked, advanced] = linesOfStack(program, installed().project);
      expect(checked).to.include('badArgument(');
      expect(advanced).to.include("checkDelay('advance'");
    });
  }
}
