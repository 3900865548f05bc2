/**
 * Lays out in `build/npm` what is published: `npm run stage && npm publish build/npm`.
 *
 * The repository's package.json is for those who work on it; that of the package has what its users need.
 */
import { cpSync, mkdirSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { subpaths } from './entries.js';
import { withoutDeadLinks } from './links.js';

const root = fileURLToPath(new URL('../..', import.meta.url));
const staged = join(root, 'build/npm');

const own = ['private', 'config', 'scripts', 'devDependencies'];

function write(path: string, content: unknown): void {
  writeFileSync(join(staged, path), `${JSON.stringify(content, null, 2)}\n`);
}

rmSync(staged, { recursive: true, force: true });
mkdirSync(join(staged, 'spec'), { recursive: true });

const manifest = JSON.parse(readFileSync(join(root, 'package.json'), 'utf8'));
for (const key of own) delete manifest[key];
write('package.json', manifest);
// Who doesn't read `exports` looks for a folder.
for (const entry of subpaths) {
  mkdirSync(join(staged, entry));
  write(`${entry}/package.json`, {
    main: `../dist/${entry}.cjs`,
    types: `../dist/${entry}.d.cts`,
  });
}

for (const name of ['README.md', 'CHANGELOG.md', 'LICENSE', 'dist'])
  cpSync(join(root, name), join(staged, name), { recursive: true });
for (const name of readdirSync(join(root, 'spec')).filter((name) => /\.(?:md|json)$/.test(name)))
  cpSync(join(root, 'spec', name), join(staged, 'spec', name));
// Screenshots are larger than all else together.
const isSmall = (path: string) => !path.endsWith('screenshots');
cpSync(join(root, 'docs'), join(staged, 'docs'), { recursive: true, filter: isSmall });

for (const name of readdirSync(staged, { recursive: true, encoding: 'utf8' })) {
  if (!name.endsWith('.md')) continue;
  const page = join(staged, name);
  writeFileSync(page, withoutDeadLinks(readFileSync(page, 'utf8'), page));
}

console.log('build/npm is the package: npm pack ./build/npm');
