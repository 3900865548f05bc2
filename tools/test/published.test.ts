/** What is published beside each other: by one version, of one repository, each package once. */
import { expect } from 'chai';
import { execFileSync } from 'node:child_process';
import { mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { manifestOf } from '../package/manifest.js';

const root = fileURLToPath(new URL('../..', import.meta.url));
const read = (path: string) => readFileSync(join(root, path), 'utf8');
const json = (path: string) => JSON.parse(read(path));

describe('what is published', () => {
  let folder: string;
  beforeEach(() => void (folder = mkdtempSync(join(tmpdir(), 'published-'))));
  afterEach(() => rmSync(folder, { recursive: true }));

  function write(path: string, text: string, mode = 0o644): void {
    mkdirSync(join(folder, path, '..'), { recursive: true });
    writeFileSync(join(folder, path), text, { mode });
  }

  it('has one version, wherever it stands', () => {
    const { version } = json('package.json');
    const of = (path: string, where: RegExp) => {
      const found = [...read(path).matchAll(where)].map(([, number]) => number);
      expect(found, path).to.not.deep.equal([]);
      return found.join('.');
    };
    const versions = {
      'version.hpp': of(
        'cpp/include/steptree/version.hpp',
        /^#define STEPTREE_VERSION_[A-Z]+ (\d+)$/gm,
      ),
      'lock file': json('package-lock.json').packages[''].version,
      'steptree-native, which steptree wants':
        json('package.json').peerDependencies['steptree-native'],
      'steptree-native': json('native/package.json').version,
      'steptree, which steptree-native wants':
        json('native/package.json').peerDependencies.steptree,
      'ESLint plugin': json('eslint/package.json').version,
      'ESLint plugin, as it says': of('eslint/src/index.ts', /\bversion: '([\d.]+)'/g),
      vcpkg: json('packaging/vcpkg/steptree/vcpkg.json')['version-semver'],
      crate: of('rust/steptree-plugin/Cargo.toml', /^version = "([\d.]+)"$/gm),
      'lock file of the crate': of(
        'rust/Cargo.lock',
        /^name = "steptree-plugin"\nversion = "([\d.]+)"$/gm,
      ),
    };
    for (const [place, found] of Object.entries(versions)) expect(found, place).to.equal(version);
  });

  it('says of which repository it is, as the root does', () => {
    const repository = { type: 'git', url: 'git+https://github.com/steptree/steptree.git' };
    write('package.json', '{ "name": "steptree" }');
    write('eslint/package.json', '{ "name": "plugin", "private": true }');
    expect(manifestOf(folder, 'eslint', ['private'])).to.deep.equal({ name: 'plugin' });
    write('package.json', JSON.stringify({ repository }));
    expect(manifestOf(folder, 'eslint', ['private'])).to.deep.equal({
      name: 'plugin',
      repository: { ...repository, directory: 'eslint' },
    });
  });

  it('is left out where it is there already, so that a release goes on where it broke off', () => {
    write('bin/npm', npm, 0o755);
    for (const name of ['there', 'old', 'new'])
      write(`${name}/package.json`, JSON.stringify({ name, version: '1.2.0' }));
    const out = execFileSync(
      join(root, 'tools/package/publish'),
      ['there', 'old', 'new'].map((name) => join(folder, name)),
      { encoding: 'utf8', env: { ...process.env, PATH: `${folder}/bin:${process.env['PATH']}` } },
    );
    expect(out.trim().split('\n')).to.deep.equal([
      'there@1.2.0 is there',
      `publish ${folder}/old --provenance --access public`,
      `publish ${folder}/new --provenance --access public`,
    ]);
  });
});

/** One package is there, one in other versions only, and one isn't there at all. */
const npm = `#!/bin/sh
case "$*" in
'view there@1.2.0 version') echo 1.2.0 ;;
'view old@1.2.0 version') ;;
view*) echo E404 >&2; exit 1 ;;
*) echo "$*" ;;
esac
`;
