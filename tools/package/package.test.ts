import { expect } from 'chai';
import { buildSync, type OutputFile } from 'esbuild';
import { readdirSync, readFileSync, statSync } from 'node:fs';
import { createRequire } from 'node:module';
import { join, normalize } from 'node:path';
import { gzipSync } from 'node:zlib';
import { inspectorPage } from '../inspector.js';
import { entries, subpaths } from './entries.js';
import { call, type Installed, installApi, installPackage, root } from './installed.js';
import { link, picture } from './links.js';
import { hasMaps } from './mapped.js';
import { hasTypes, runsOn } from './suites.js';

const core = '{ AsyncSteps }';
/** What is documented; the rest is for entries of the package only. */
const documented = readFileSync(join(root, 'js/api/index.api.md'), 'utf8');
const everything = `{ ${[
  ...new Set(
    [...documented.matchAll(/^export (?:class|function|const) (\w+)/gm)].map(([, name]) => name),
  ),
].join(', ')} }`;
const pool = 'steptree/pool';
const otel = 'steptree/otel';

/** Bytes of what is imported, or of what it adds to something else. */
interface Budget {
  readonly what: string;
  readonly names: string;
  readonly bytes: number;
  readonly from?: string;
  readonly over?: string;
}
const budgets: readonly Budget[] = [
  { what: 'the core', names: core, bytes: 17.95 * 1024 },
  { what: 'values that are run', names: '{ steps, run }', bytes: 18.92 * 1024 },
  { what: 'everything', names: everything, bytes: 46 * 1024 },
  { what: 'observing', names: '{ AsyncSteps, observe }', over: core, bytes: 6.5 * 1024 },
  { what: 'a recorder', names: '{ AsyncSteps, FlightRecorder }', over: core, bytes: 9.5 * 1024 },
  { what: 'figures', names: '{ AsyncSteps, Metrics }', over: core, bytes: 7.25 * 1024 },
  { what: 'stalls', names: '{ AsyncSteps, StallWatch }', over: core, bytes: 10.75 * 1024 },
  {
    what: 'published events',
    names: '{ AsyncSteps, publishEvents }',
    over: core,
    bytes: 6.95 * 1024,
  },
  { what: 'a mutex', names: '{ AsyncSteps, Mutex }', over: core, bytes: 1.28 * 1024 },
  { what: 'a throttle', names: '{ AsyncSteps, Throttle }', over: core, bytes: 1.34 * 1024 },
  { what: 'a limiter', names: '{ AsyncSteps, Limiter }', over: core, bytes: 2.53 * 1024 },
  { what: 'a read-write lock', names: '{ AsyncSteps, RwLock }', over: core, bytes: 1.22 * 1024 },
  { what: 'a gate', names: '{ AsyncSteps, Gate }', over: core, bytes: 0.71 * 1024 },
  { what: 'a breaker', names: '{ AsyncSteps, Breaker }', over: core, bytes: 2.1 * 1024 },
  { what: 'guards of keys', names: '{ AsyncSteps, Keyed }', over: core, bytes: 0.65 * 1024 },
  { what: 'a barrier', names: '{ AsyncSteps, Barrier }', over: core, bytes: 0.55 * 1024 },
  { what: 'a hedge', names: '{ AsyncSteps, hedge }', over: core, bytes: 1.95 * 1024 },
  { what: 'a channel', names: '{ AsyncSteps, Channel }', over: core, bytes: 1.9 * 1024 },
  { what: 'a virtual tool', names: '{ AsyncSteps, VirtualTool }', over: core, bytes: 1.25 * 1024 },
  { what: 'a scope', names: '{ AsyncSteps, Scope }', over: core, bytes: 0.6 * 1024 },
  { what: 'the error alone', names: '{ StepError }', bytes: 1.25 * 1024 },
  { what: 'the codes alone', names: '{ errors }', bytes: 256 },
  { what: 'offload', names: '*', from: pool, over: '{ errors, StepError }', bytes: 0.4 * 1024 },
  {
    what: 'traces',
    names: '{ traceFlows }',
    from: otel,
    over: '{ errors, observe, StepError }',
    bytes: 0.96 * 1024,
  },
];

/** As it's served, minified. */
const pageBytes = 11.5 * 1024;
/** Half of it are source maps, which no bundle has. */
const tarballBytes = 1600 * 1024;

describe('the npm package', function () {
  this.timeout(600_000);
  let installed: Installed;

  before(() => {
    installed = installPackage();
  });

  it('holds what a user needs and nothing else', () => {
    const types = readdirSync(join(root, 'js/src'))
      .filter((name) => name.endsWith('.ts'))
      .map((name) => `dist/${name.replace(/ts$/, 'd.cts')}`);
    const spec = readdirSync(join(root, 'spec')).filter((name) => /\.(?:md|json)$/.test(name));
    const maps = ['browser.js', ...entries.flatMap((entry) => [`${entry}.js`, `${entry}.cjs`])].map(
      (name) => `dist/${name}.map`,
    );
    const built = ['browser.js', 'index.js', 'index.cjs', 'index.d.ts', 'node.js'];
    const files = [
      ...['CHANGELOG.md', 'LICENSE', 'README.md', 'package.json'],
      ...subpaths.map((entry) => `${entry}/package.json`),
      ...readdirSync(join(root, 'docs'), { recursive: true, encoding: 'utf8' })
        .filter((name) => /\.(?!png)\w+$/.test(name))
        .map((name) => `docs/${name}`),
      ...built.map((name) => `dist/${name}`),
      ...subpaths.flatMap((entry) =>
        [`${entry}.js`, `${entry}.cjs`, `${entry}.d.ts`, `node${entry}.js`].map(
          (name) => `dist/${name}`,
        ),
      ),
      ...maps,
      ...spec.map((name) => `spec/${name}`),
      ...types,
    ];
    expect(installed.files).to.deep.equal(files.sort());
  });

  hasMaps(() => installed);

  it(`is a tarball of ${tarballBytes} bytes at most`, function () {
    const { size } = statSync(installed.tarball);
    if (this.test !== undefined) this.test.title += `: ${size}`;
    expect(size).to.be.at.most(tarballBytes);
  });

  it('says nothing to its users that is for its makers', () => {
    const makers = ['private', 'config', 'scripts', 'devDependencies'];
    expect(installed.manifest).not.to.have.any.keys(...makers);
  });

  it('has whatever its pages link to', () => {
    const folder = join(installed.project, 'node_modules/steptree');
    const pages = installed.files.filter((name) => name.endsWith('.md'));
    const links = pages.flatMap((page) => {
      const text = readFileSync(join(folder, page), 'utf8');
      const paths = [...text.matchAll(link), ...text.matchAll(picture)].map((found) =>
        found.at(-1)!,
      );
      return paths.map((path) => normalize(join(page, '..', path)));
    });
    expect(links).to.include.members(['spec/values.md', 'docs/what-became-what.md']);
    const there = (path: string) => installed.files.some((name) => `${name}/`.startsWith(path));
    expect(links.filter((path) => !there(path))).to.deep.equal([]);
  });

  it('has no dependencies but five that may be missing', () => {
    expect(installed.manifest).not.to.have.any.keys('dependencies', 'optionalDependencies');
    expect(installed.manifest['peerDependencies']).to.have.all.keys(
      'piscina',
      '@opentelemetry/api',
      'steptree-native',
      'redis',
      'ioredis',
    );
    expect(installed.manifest['peerDependenciesMeta']).to.deep.equal({
      '@opentelemetry/api': { optional: true },
      piscina: { optional: true },
      'steptree-native': { optional: true },
      redis: { optional: true },
      ioredis: { optional: true },
    });
    expect(installed.modules).to.deep.equal(['steptree']);
  });

  runsOn(
    'this Node',
    () => process.execPath,
    () => installed,
  );
  hasTypes('nodenext', 'nodenext', () => installed);

  it('gives publint nothing to find', () => {
    call('publint', ['run', installed.tarball, '--strict']);
  });

  it('is found by who reads no exports', () => {
    const folder = join(installed.project, 'node_modules/steptree');
    const require = createRequire(import.meta.url);
    const mainOf = (path: string) => require(join(folder, path, 'package.json')).main as string;
    expect(require(join(folder, mainOf('.')))).to.include.keys('AsyncSteps', 'errors');
    expect(require(join(folder, 'pool', mainOf('pool')))).to.have.keys('offload', 'task');
    expect(require(join(folder, 'inspector', mainOf('inspector')))).to.have.keys('inspect');
    expect(require(join(folder, 'locate', mainOf('locate')))).to.have.keys('locator');
    expect(require(join(folder, 'redis', mainOf('redis')))).to.include.keys('RedisConnection');
    installApi(installed);
    expect(require(join(folder, 'otel', mainOf('otel')))).to.have.keys(
      'inTrace',
      'traceFlows',
      'traceparent',
    );
  });

  it('says in one sentence that steptree-native is missing, imported and required', async () => {
    const said =
      "steptree/native: the package steptree-native isn't installed: npm install steptree-native";
    const folder = join(installed.project, 'node_modules/steptree');
    const require = createRequire(import.meta.url);
    const required = () =>
      require(join(folder, 'native', require(join(folder, 'native/package.json')).main));
    expect(required).to.throw(Error, said);
    const imported = await import(join(folder, 'dist/nodenative.js')).catch((error) => error);
    expect([imported.code, imported.info]).to.deep.equal(['InternalError', said]);
  });

  for (const file of ['index.js', 'index.cjs', 'browser.js']) {
    it(`gives its classes the names that they are imported by, in ${file}`, async () => {
      const all = await import(join(installed.project, 'node_modules/steptree/dist', file));
      const names = Object.keys(all).filter((name) => /^[A-Z]/.test(name));
      expect(names).to.include.members(['AsyncSteps', 'StepError', 'VirtualTool']);
      expect(names.map((name) => all[name].name)).to.deep.equal(names);
    });
  }

  for (const platform of ['browser', 'node', 'neutral'] as const) {
    it(`is one, imported and required in one bundle, for ${platform}`, async () => {
      const contents = `
        import * as imported from 'steptree';
        import * as pool from 'steptree/pool';
        const required = require('steptree');
        const names = new Set([...Object.keys(imported), ...Object.keys(required)]);
        export const others = [...names].filter((name) => imported[name] !== required[name]);
        export let caught = false;
        export const stray = await pool.offload({ run: async () => { throw new Error('E'); } }, 1)
          .call(undefined, { signal: undefined }).catch((error) => error.message);
        try { pool.offload({}); } catch (error) { caught = error instanceof imported.StepError; }`;
      const { outputFiles } = buildSync({
        stdin: { contents, resolveDir: installed.project },
        bundle: true,
        format: 'esm',
        platform,
        mainFields: ['module', 'main'],
        write: false,
        logLevel: 'silent',
      });
      const [{ text }] = outputFiles as [OutputFile];
      const { others, stray, caught } = await import(
        `data:text/javascript,${encodeURIComponent(text)}`
      );
      expect([others, stray, caught]).to.deep.equal([[], 'E', true]);
    });
  }

  it('throws an Error also from a bundle that exports no error', async () => {
    const { text } = bundle('{ VirtualTool }');
    const { VirtualTool } = await import(`data:text/javascript,${encodeURIComponent(text)}`);
    expect(() => new VirtualTool().advance(-1)).to.throw(Error, 'advance: expected');
  });

  for (const { what, names, from, over, bytes } of budgets) {
    it(`is bundled for browsers: ${what}, minified and gzipped, in ${bytes} bytes`, function () {
      const size = sizeOf(names, from) - (over === undefined ? 0 : sizeOf(over));
      if (this.test !== undefined) this.test.title += `: ${size}`;
      expect(size).to.be.within(100, bytes);
    });
  }

  it(`has an inspector whose page, gzipped, has ${pageBytes} bytes at most`, function () {
    const size = gzipSync(inspectorPage(), { level: 9 }).length;
    if (this.test !== undefined) this.test.title += `: ${size}`;
    expect(size).to.be.within(1000, pageBytes);
  });

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
      external: ['@opentelemetry/api'],
      logLevel: 'silent',
    });
    return outputFiles[0] as OutputFile;
  }
});
