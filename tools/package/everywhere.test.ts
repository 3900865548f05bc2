import { expect } from 'chai';
import { buildSync } from 'esbuild';
import { cpSync } from 'node:fs';
import { join } from 'node:path';
import { call, type Installed, installPackage, root } from './installed.js';
import { runtimes } from './runtimes.js';
import { hasTypes, runsOn, tested } from './suites.js';

describe('the npm package, wherever it is used', function () {
  this.timeout(600_000);
  let installed: Installed;
  let newestNode: string;

  before(() => {
    installed = installPackage();
    newestNode = call('node', ['--import', 'tsx', 'tools/newestnode.ts']).trim();
  });

  runsOn(
    'the newest Node',
    () => newestNode,
    () => installed,
  );
  hasTypes('node16', 'node16', () => installed);
  hasTypes('node18', 'node16', () => installed);
  hasTypes('es2022', 'bundler', () => installed);
  hasTypes('preserve', 'bundler', () => installed);
  hasTypes('commonjs', 'bundler', () => installed);

  for (const { name, command } of runtimes) {
    it(`runs on ${name}: the example of the README, jobs, the inspector, mixed modules`, () => {
      const [program, ...before] = command();
      const said = (file: string) => call(program, [...before, file], installed.project);
      cpSync(join(root, 'js/examples/hello'), join(installed.project, 'hello'), {
        recursive: true,
      });
      expect(said('hello/hello.js')).to.equal('user of Ann, cart of Ann\n');
      expect(said('both.js')).to.equal('caught\n');
      expect(said('runtime.js')).to.equal(
        "InternalError locator: Node's inspector can't be used here\n" +
          'offload works\ninspector 200 closed\n',
      );
    });
  }

  it('gives attw nothing to find', () => {
    call('attw', [installed.tarball, '--profile', 'strict']);
  });

  const jest = join(root, 'tools/package/jest/node_modules/jest/bin/jest.js');

  it('is required, and mocks time, in a test of Jest', () => {
    const options = ['--rootDir', '.', '--testMatch', '**/jest.test.cjs', '--ci', '--silent=false'];
    call(process.execPath, [jest, ...options], installed.project);
  });

  it('is tested by Jest, which imports it', () => {
    const program = ['--experimental-vm-modules', jest];
    const options = ['--rootDir', '.', '--testMatch', '**/*.test.js', '--ci', '--json'];
    const said = tested('jest', process.execPath, [...program, ...options], installed);
    expect(said).to.include('"numPassedTests":1,');
  });

  it('is tested by Vitest', () => {
    const vitest = join(root, 'tools/package/vitest/node_modules/vitest/vitest.mjs');
    const options = ['run', '--reporter', 'json'];
    const said = tested('vitest', process.execPath, [vitest, ...options], installed);
    expect(said).to.include('"numPassedTests":1,');
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
});
