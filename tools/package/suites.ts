/** What is tested with several Nodes and several kinds of modules. */
import { expect } from 'chai';
import { cpSync } from 'node:fs';
import { join } from 'node:path';
import { call, type Installed, installApi, root } from './installed.js';

export function runsOn(which: string, node: () => string, installed: () => Installed): void {
  const said = (file: string) => call(node(), [file], installed().project);

  it(`is imported on ${which}`, () => {
    expect(said('esm.js')).to.equal(
      'import works\noffload works\nesm.js:16:44\ninspector 200 closed\n',
    );
  });

  it(`is required on ${which}`, () => {
    expect(said('cjs.cjs')).to.equal(
      'require Mine string\nrequire function\ncjs.cjs:15:37\ninspector 200 closed\n',
    );
  });

  it(`is one, imported and required in one process, on ${which}`, () => {
    expect(said('both.js')).to.equal('caught\n');
  });

  it(`traces, imported and required, on ${which}`, () => {
    installApi(installed());
    expect(said('otel.js')).to.equal('load in page page\n');
    expect(said('otel.cjs')).to.equal('traced\n');
  });

  it(`runs the example of the README on ${which}`, () => {
    const hello = join(installed().project, 'hello');
    cpSync(join(root, 'js/examples/hello'), hello, { recursive: true });
    expect(said('hello/hello.js')).to.equal('user of Ann, cart of Ann\n');
  });

  it(`is tested by mocha and by node:test on ${which}`, () => {
    const mocha = join(root, 'node_modules/mocha/bin/mocha.js');
    const options = ['--no-config', '--reporter', 'json'];
    expect(tested('mocha', node(), [mocha, ...options], installed())).to.match(/"passes": 1,/);
    const own = ['--test', '--test-reporter', 'tap'];
    expect(tested('node', node(), own, installed())).to.match(/^# pass 1$/m);
  });
}

/** What a runner says of its test in the example `testing`. */
export function tested(
  runner: string,
  node: string,
  args: readonly string[],
  { project }: Installed,
): string {
  cpSync(join(root, 'js/examples/testing'), join(project, 'testing'), { recursive: true });
  return call(node, [...args, `testing/${runner}.test.js`], project);
}

export function hasTypes(module: string, resolution: string, installed: () => Installed): void {
  it(`has types that infer and refuse, in modules of both kinds and in a mix of them, with ${module} and ${resolution} resolution`, () => {
    const options = ['--module', module, '--moduleResolution', resolution];
    installApi(installed());
    for (const config of ['tsconfig.json', 'otel.json'])
      call('tsc', ['-p', config, ...options], installed().project);
  });
}
