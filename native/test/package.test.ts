import { mkdirSync, mkdtempSync, readdirSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { expect } from 'chai';
import { call, root } from '../../tools/package/installed.js';
import { expectMaps } from '../../tools/package/mapped.js';
import { builtPlugin } from './plugin.js';

const program = `import { AsyncSteps, run } from 'steptree';
import { load } from 'steptree-native';

const plugin = await load(process.argv[2]);
console.log(await run(plugin.step('echo', 'from C')));
`;

const types = `import { load } from 'steptree-native';
import { run } from 'steptree';

const plugin = await load<{ greet(name: string): string }>('./greeter.so');
export const hello: Promise<string> = run(plugin.step('greet', 'Ada'));
// @ts-expect-error: it takes a name
plugin.step('greet', 5);
// @ts-expect-error: there is no such handler
plugin.step('grete', 'Ada');
`;

describe('the package of the addon', function () {
  this.timeout(600_000);
  let project: string;
  const tarball = (name: string) =>
    join(
      project,
      readdirSync(project).find((file) => file.startsWith(name) && file.endsWith('.tgz'))!,
    );

  before(() => {
    project = mkdtempSync(join(tmpdir(), 'steptree-native-'));
    call('npm', ['run', '--silent', 'stage']);
    call('npm', ['run', '--silent', 'stage:native']);
    for (const name of ['npm', 'native'])
      call('npm', ['pack', `./build/${name}`, '--pack-destination', project]);
    writeFileSync(join(project, 'package.json'), '{ "private": true, "type": "module" }\n');
    // What is in the registry is no matter of this test.
    const headers = join(root, 'node_modules/node-api-headers');
    const given = [tarball('steptree-0'), tarball('steptree-native'), headers];
    call('npm', ['install', '--offline', '--install-links', ...given], project);
  });
  after(() => rmSync(project, { recursive: true, force: true }));

  it('is built where it is installed, and runs', () => {
    writeFileSync(join(project, 'program.js'), program);
    const said = call(process.execPath, ['program.js', builtPlugin()], project);
    expect(said).to.equal('from C\n');
  });

  it('has maps to its sources, which are in them', () => {
    expectMaps(join(project, 'node_modules/steptree-native/dist'));
  });

  it('has types', () => {
    writeFileSync(join(project, 'types.ts'), types);
    const options = ['--noEmit', '--strict', '--module', 'nodenext', '--target', 'es2022'];
    call(
      'tsc',
      [...options, '--types', 'node', '--typeRoots', join(root, 'node_modules/@types'), 'types.ts'],
      project,
    );
  });

  it('says in one sentence what is missing', () => {
    const bare = join(project, 'bare');
    mkdirSync(bare);
    const installed = join(project, 'node_modules/steptree-native');
    rmSync(join(installed, 'build'), { recursive: true });
    const failed = () => call('env', [`PATH=${bare}`, process.execPath, 'install.mjs'], installed);
    expect(failed).to.throw(
      /^env .* failed\nsteptree-native: there is no prebuilds\/\S+\/steptree\.node, and it can't be built: cmake is not installed; it takes CMake 3\.22 and a compiler for C\+\+20\.\n$/,
    );
  });
});
