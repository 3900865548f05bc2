/**
 * Lays out in `build/native` what is published of the addon: `npm run stage:native && npm publish build/native`.
 *
 * It has the sources of the C++ runtime with it, as it's compiled when it is installed.
 */
import { execFileSync } from 'node:child_process';
import { cpSync, mkdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { buildSync } from 'esbuild';
import { withoutDeadLinks } from '../tools/package/links.js';
import { manifestOf } from '../tools/package/manifest.js';
import { keepInside } from '../tools/package/maps.js';

const root = fileURLToPath(new URL('..', import.meta.url));
const staged = join(root, 'build/native');

rmSync(staged, { recursive: true, force: true });
mkdirSync(staged, { recursive: true });

const manifest = manifestOf(root, 'native', ['private']);
writeFileSync(join(staged, 'package.json'), `${JSON.stringify(manifest, null, 2)}\n`);

buildSync({
  entryPoints: [join(root, 'native/ts/index.ts'), join(root, 'native/ts/command.ts')],
  outdir: join(staged, 'dist'),
  bundle: true,
  splitting: true,
  format: 'esm',
  platform: 'node',
  target: 'es2022',
  minifySyntax: true,
  sourcemap: 'linked',
  external: ['steptree'],
  logLevel: 'warning',
});
keepInside(join(staged, 'dist'));
execFileSync(join(root, 'node_modules/.bin/tsc'), ['-p', 'native/tsconfig.build.json'], {
  cwd: root,
  stdio: 'inherit',
});

for (const name of ['CMakeLists.txt', 'install.mjs', 'src'])
  cpSync(join(root, 'native', name), join(staged, name), { recursive: true });
for (const name of [
  'CMakeLists.txt',
  ...['CMakeLists.txt', 'include', 'src', 'cmake', 'gdb', 'cabi'].map((name) => `cpp/${name}`),
])
  cpSync(join(root, name), join(staged, 'runtime', name), {
    recursive: true,
    filter: (path) => !/cabi\/(test|conformance)$/.test(path),
  });
cpSync(join(root, 'LICENSE'), join(staged, 'LICENSE'));

const page = join(staged, 'README.md');
const guide = readFileSync(join(root, 'docs/native.md'), 'utf8');
writeFileSync(page, withoutDeadLinks(guide.replace(/\nNext: .*\n$/, ''), page));

console.log('build/native is the package: npm pack ./build/native');
