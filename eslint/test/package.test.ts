import { expect } from 'chai';
import { spawnSync } from 'node:child_process';
import { cpSync, readdirSync, readFileSync, rmSync, symlinkSync, writeFileSync } from 'node:fs';
import { createRequire } from 'node:module';
import { join } from 'node:path';
import { gzipSync } from 'node:zlib';
import { call, root } from '../../tools/package/installed.js';
import { expectMaps } from '../../tools/package/mapped.js';
import plugin from '../src/index.js';

const folder = join(root, 'build/eslintpackage');
const project = join(folder, 'project');
const modules = join(project, 'node_modules');

/** Runs the ESLint of a version in the project, as `npx eslint` does. */
function lint(version: string, ...args: readonly string[]) {
  rmSync(join(modules, 'eslint'), { recursive: true, force: true });
  symlinkSync(join(root, 'eslint/node_modules', version), join(modules, 'eslint'));
  const { status, stdout, stderr } = spawnSync(
    process.execPath,
    ['node_modules/eslint/bin/eslint.js', ...args],
    { cwd: project, encoding: 'utf8' },
  );
  return { status, said: stdout + stderr };
}

describe('the npm package of the plugin', function () {
  this.timeout(600_000);
  let tarball: string;
  let files: string[];

  before(() => {
    rmSync(folder, { recursive: true, force: true });
    cpSync(join(root, 'eslint/test/consumer'), project, { recursive: true });
    writeFileSync(join(project, 'package.json'), '{ "private": true, "type": "module" }\n');
    call('node', ['--import', 'tsx', 'eslint/stage.ts']);
    call('npm', ['pack', './build/eslint', '--pack-destination', folder]);
    tarball = join(
      folder,
      readdirSync(folder).find((name) => name.endsWith('.tgz'))!,
    );
    const options = ['--offline', '--ignore-scripts', '--legacy-peer-deps'];
    call('npm', ['install', ...options, tarball], project);
    files = readdirSync(join(modules, 'eslint-plugin-steptree'), {
      recursive: true,
      encoding: 'utf8',
    })
      .filter((name) => /\.\w+$|LICENSE/.test(name))
      .sort();
  });

  it('holds a module, its map and types, and a page for each rule', () => {
    expect(files).to.deep.equal(
      [
        ...['LICENSE', 'README.md', 'package.json', 'dist/index.cjs', 'dist/index.d.cts'],
        'dist/index.cjs.map',
        ...Object.keys(plugin.rules!).map((name) => `docs/${name}.md`),
      ].sort(),
    );
  });

  it('has a map to its sources, which are in it', () => {
    expectMaps(join(modules, 'eslint-plugin-steptree/dist'));
  });

  it('has a page that leads to those of its rules, and to nothing that is missing', () => {
    const page = readFileSync(join(modules, 'eslint-plugin-steptree/README.md'), 'utf8');
    const links = [...page.matchAll(/\]\(((?!https:)[^)]+)\)/g)].map(([, path]) => path!);
    expect(links).to.have.length(Object.keys(plugin.rules!).length);
    expect(files).to.include.members(links);
  });

  it('depends on nothing but ESLint, which its user has', () => {
    const manifest = JSON.parse(
      readFileSync(join(modules, 'eslint-plugin-steptree/package.json'), 'utf8'),
    );
    expect(manifest).not.to.have.any.keys('dependencies', 'devDependencies', 'private', 'scripts');
    expect(manifest.peerDependencies).to.deep.equal({ eslint: '>=9' });
    expect(manifest.version).to.equal(plugin.meta!.version);
    const own = JSON.parse(readFileSync(join(root, 'package.json'), 'utf8'));
    expect(manifest.version).to.equal(own.version);
  });

  it('has at most 15 KB of code', () => {
    const code = readFileSync(join(modules, 'eslint-plugin-steptree/dist/index.cjs'));
    expect(gzipSync(code).length).to.be.at.most(15 * 1024);
  });

  for (const version of ['eslint9', 'eslint']) {
    it(`finds a mistake, and says what to do, by ${version}`, () => {
      const { status, said } = lint(version, '.');
      expect(said).to.match(
        /wrong\.js\n +4:22 +error +`asi` belongs to an outer body, .* Call `inner` +steptree\/no-outer-accessor\n/,
      );
      expect(said).to.match(
        /wrong\.cjs\n +3:7 +error +`flow` is filled, .* +steptree\/no-floating-steps\n/,
      );
      expect(said).to.include('2 problems (2 errors, 0 warnings)');
      expect(status).to.equal(1);
    });

    it(`is required by a configuration of ${version}`, () => {
      const { status, said } = lint(version, '-c', 'required.config.cjs', 'wrong.js', 'right.js');
      expect(said).to.include('1 problem (0 errors, 1 warning)');
      expect(status).to.equal(0);
    });

    it(`mends it by ${version}`, () => {
      const wrong = join(project, 'wrong.js');
      const text = readFileSync(wrong, 'utf8');
      expect(lint(version, '--fix', 'wrong.js')).to.deep.equal({ status: 0, said: '' });
      expect(readFileSync(wrong, 'utf8')).to.equal(readFileSync(join(project, 'right.js'), 'utf8'));
      writeFileSync(wrong, text);
    });

    it(`has types that ${version} takes`, () => {
      lint(version, '--version');
      call('tsc', ['-p', 'tsconfig.json'], project);
    });
  }

  it('is the same, imported and required', async () => {
    const path = join(modules, 'eslint-plugin-steptree/dist/index.cjs');
    const { default: imported } = await import(path);
    expect(imported).to.equal(createRequire(import.meta.url)(path));
    expect(imported.configs.recommended.plugins.steptree).to.equal(imported);
  });

  it('gives publint and attw nothing to find', () => {
    call('publint', ['run', tarball, '--strict']);
    call('attw', [tarball, '--profile', 'strict']);
  });
});
