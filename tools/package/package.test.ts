import { expect } from 'chai';
import { buildSync, type OutputFile } from 'esbuild';
import { cpSync, readdirSync } from 'node:fs';
import { join } from 'node:path';
import { gzipSync } from 'node:zlib';
import { call, type Installed, installPackage, root } from './installed.js';

const core = '{ AsyncSteps }';
const pool = 'steptree/pool';

/** Bytes of what is imported, or of what it adds to something else. */
interface Budget {
  readonly what: string;
  readonly names: string;
  readonly bytes: number;
  readonly from?: string;
  readonly over?: string;
}
const budgets: readonly Budget[] = [
  { what: 'the core', names: core, bytes: 15.1 * 1024 },
  { what: 'everything', names: '*', bytes: 18.35 * 1024 },
  { what: 'a mutex', names: '{ AsyncSteps, Mutex }', over: core, bytes: 0.9 * 1024 },
  { what: 'a throttle', names: '{ AsyncSteps, Throttle }', over: core, bytes: 1.2 * 1024 },
  { what: 'a limiter', names: '{ AsyncSteps, Limiter }', over: core, bytes: 1.75 * 1024 },
  { what: 'a read-write lock', names: '{ AsyncSteps, RwLock }', over: core, bytes: 1024 },
  { what: 'a channel', names: '{ AsyncSteps, Channel }', over: core, bytes: 0.85 * 1024 },
  { what: 'a tool alone', names: '{ VirtualTool }', bytes: 3.25 * 1024 },
  { what: 'the error alone', names: '{ StepError }', bytes: 1024 },
  { what: 'the codes alone', names: '{ errors }', bytes: 256 },
  { what: 'offload', names: '*', from: pool, over: '{ errors, StepError }', bytes: 512 },
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
      'dist/pool.js',
      ...modules,
    ];
    expect(installed.files).to.deep.equal(files.sort());
  });

  it('has no dependencies but one that may be missing', () => {
    expect(installed.manifest).not.to.have.any.keys('dependencies', 'optionalDependencies');
    expect(installed.manifest['peerDependencies']).to.have.all.keys('piscina');
    expect(installed.manifest['peerDependenciesMeta']).to.deep.equal({
      piscina: { optional: true },
    });
    expect(readdirSync(join(installed.project, 'node_modules'))).not.to.include('piscina');
  });

  for (const [which, node] of [
    ['this Node', () => process.execPath],
    ['the newest Node', () => newestNode],
  ] as const) {
    it(`is imported on ${which}`, () => {
      expect(call(node(), ['esm.js'], installed.project)).to.equal('import works\noffload works\n');
    });

    it(`is required on ${which}`, () => {
      const output = call(node(), ['cjs.cjs'], installed.project);
      expect(output).to.equal('require Mine string\nrequire function\n');
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

  it('gives its classes the names that they are imported by', async () => {
    const all = await import(join(installed.project, 'node_modules/steptree/dist/index.js'));
    const names = Object.keys(all).filter((name) => typeof all[name] === 'function');
    expect(names).to.include.members(['AsyncSteps', 'StepError', 'VirtualTool']);
    expect(names.map((name) => all[name].name)).to.deep.equal(names);
  });

  it('throws an Error also from a bundle that exports no error', async () => {
    const { text } = bundle('{ VirtualTool }');
    const { VirtualTool } = await import(`data:text/javascript,${encodeURIComponent(text)}`);
    expect(() => new VirtualTool().advance(-1)).to.throw(Error, 'advance: expected');
  });

  it('passes all cases', () => {
    const adapter = join(installed.project, 'adapter.js');
    buildSync({
      entryPoints: [join(root, 'js/conformance/adapter.ts')],
      outfile: adapter,
      bundle: true,
      external: ['steptree'],
      platform: 'node',
      format: 'esm',
      logLevel: 'silent',
    });
    const options = ['--run', 'js', '--js', `node ${adapter}`];
    call('node', ['--import', 'tsx', 'conformance/run.ts', ...options]);
  });

  for (const { what, names, from, over, bytes } of budgets) {
    it(`is bundled for browsers: ${what}, minified and gzipped, in ${bytes} bytes`, function () {
      const size = sizeOf(names, from) - (over === undefined ? 0 : sizeOf(over));
      if (this.test !== undefined) this.test.title += `: ${size}`;
      expect(size).to.be.within(100, bytes);
    });
  }

  function sizeOf(names: string, from?: string): number {
    return gzipSync(bundle(names, from).contents, { level: 9 }).length;
  }

  function bundle(names: string, from = 'steptree'): OutputFile {
    const { outputFiles } = buildSync({
      stdin: { contents: `export ${names} from '${from}'`, resolveDir: installed.project },
      bundle: true,
      minify: true,
      format: 'esm',
      platform: 'browser',
      target: 'es2022',
      write: false,
      logLevel: 'silent',
    });
    return outputFiles[0] as OutputFile;
  }
});
