import { expect } from 'chai';
import { buildSync } from 'esbuild';
import { cpSync, readdirSync } from 'node:fs';
import { join } from 'node:path';
import { gzipSync } from 'node:zlib';
import { call, type Installed, installPackage, root } from './installed.js';

const budgets = [
  { what: 'the core', names: '{ AsyncSteps }', bytes: 8.75 * 1024 },
  { what: 'everything', names: '*', bytes: 9 * 1024 },
];

describe('the npm package', function () {
  this.timeout(180_000);
  let installed: Installed;
  let newestNode: string;

  before(() => {
    installed = installPackage();
    newestNode = call('node', ['--import', 'tsx', 'tools/newestnode.ts']).trim();
  });

  it('holds what a user needs and nothing else', () => {
    const modules = readdirSync(join(root, 'js/src'), { recursive: true, encoding: 'utf8' })
      .filter((name) => name.endsWith('.ts'))
      .map((name) => `dist/${name.replace(/\.ts$/, '.d.ts')}`);
    const files = [
      'CHANGELOG.md',
      'LICENSE',
      'README.md',
      'package.json',
      'dist/index.js',
      ...modules,
    ];
    expect(installed.files).to.deep.equal(files.sort());
  });

  it('has no dependencies', () => {
    expect(installed.manifest).not.to.have.any.keys(
      'dependencies',
      'optionalDependencies',
      'peerDependencies',
    );
  });

  for (const [which, node] of [
    ['this Node', () => process.execPath],
    ['the newest Node', () => newestNode],
  ] as const) {
    it(`is imported on ${which}`, () => {
      expect(call(node(), ['esm.js'], installed.project)).to.equal('import works\n');
    });

    it(`is required on ${which}`, () => {
      const output = call(node(), ['cjs.cjs'], installed.project);
      expect(output).to.equal('require Mine string\n');
    });

    it(`runs the example of the README on ${which}`, () => {
      cpSync(join(root, 'js/examples/hello'), join(installed.project, 'hello'), {
        recursive: true,
      });
      expect(call(node(), ['hello/hello.js'], installed.project)).to.equal('user! cart!\n');
    });
  }

  for (const [module, resolution] of [
    ['nodenext', 'nodenext'],
    ['es2022', 'bundler'],
  ] as const) {
    it(`has types that infer and refuse, with ${resolution} resolution`, () => {
      const options = ['--module', module, '--moduleResolution', resolution];
      call('tsc', ['-p', 'tsconfig.json', ...options], installed.project);
    });
  }

  it('gives publint nothing to find', () => {
    call('publint', ['run', installed.tarball, '--strict']);
  });

  it('gives attw nothing to find', () => {
    call('attw', [installed.tarball, '--profile', 'esm-only']);
  });

  for (const { what, names, bytes } of budgets) {
    it(`is bundled for browsers: ${what}, minified and gzipped, in ${bytes} bytes`, function () {
      const [bundle] = buildSync({
        stdin: { contents: `export ${names} from 'steptree'`, resolveDir: installed.project },
        bundle: true,
        minify: true,
        format: 'esm',
        platform: 'browser',
        target: 'es2022',
        write: false,
        logLevel: 'silent',
      }).outputFiles;
      const size = gzipSync(bundle?.contents ?? '', { level: 9 }).length;
      if (this.test !== undefined) this.test.title += `: ${size}`;
      expect(size).to.be.within(200, bytes);
    });
  }
});
