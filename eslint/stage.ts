/**
 * Lays out in `build/eslint` what is published of the plugin: `npm run stage:eslint && npm publish build/eslint`.
 *
 * One module, for `import` and `require`; its page is that of the guide.
 */
import { cpSync, mkdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { buildSync } from 'esbuild';
import { withoutDeadLinks } from '../tools/package/links.js';
import { manifestOf } from '../tools/package/manifest.js';
import { keepInside } from '../tools/package/maps.js';

const root = fileURLToPath(new URL('..', import.meta.url));
const staged = join(root, 'build/eslint');

const types = `import type { ESLint, Linter } from 'eslint';

declare const plugin: ESLint.Plugin & {
  readonly configs: {
    /** All rules, as errors. */
    readonly recommended: Linter.Config;
  };
};
export = plugin;
`;

rmSync(staged, { recursive: true, force: true });
mkdirSync(join(staged, 'dist'), { recursive: true });

const manifest = manifestOf(root, 'eslint', ['private', 'type', 'devDependencies']);
writeFileSync(join(staged, 'package.json'), `${JSON.stringify(manifest, null, 2)}\n`);

buildSync({
  entryPoints: [join(root, 'eslint/src/index.ts')],
  outfile: join(staged, 'dist/index.cjs'),
  bundle: true,
  format: 'cjs',
  platform: 'node',
  target: 'es2022',
  minifySyntax: true,
  sourcemap: 'linked',
  // Whoever imports it gets the plugin itself.
  footer: { js: 'module.exports = module.exports.default;' },
  logLevel: 'warning',
});
keepInside(join(staged, 'dist'));
writeFileSync(join(staged, 'dist/index.d.cts'), types);
cpSync(join(root, 'eslint/docs'), join(staged, 'docs'), { recursive: true });
cpSync(join(root, 'LICENSE'), join(staged, 'LICENSE'));

const page = join(staged, 'README.md');
const guide = readFileSync(join(root, 'docs/lint.md'), 'utf8').replaceAll(
  '../eslint/docs/',
  'docs/',
);
writeFileSync(page, withoutDeadLinks(guide.replace(/\nNext: .*\n$/, ''), page));

console.log('build/eslint is the package: npm pack ./build/eslint');
