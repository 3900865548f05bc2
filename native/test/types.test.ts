import { execFileSync, spawnSync } from 'node:child_process';
import { mkdirSync, writeFileSync } from 'node:fs';
import { fileURLToPath } from 'node:url';
import { expect } from 'chai';
import { interfaceOf } from '../ts/interface.js';
import { builtPlugin } from './plugin.js';

const here = (path: string) => fileURLToPath(new URL(path, import.meta.url));
const handler = (name: string, description = '', least = 0, most = 0) => ({
  name,
  description,
  least,
  most,
});
const greeter = interfaceOf({
  name: 'my-greeter',
  version: '1.0',
  handlers: [
    handler('greet', 'greet(name: string): string — says hello', 1, 1),
    handler('pair', 'pair(): [string, number]'),
    handler('other', 'greet(name: string): string', 1, 2),
    handler('get-user', 'finds one */ at all', 1, 1),
  ],
});

describe('the types of a plug-in', function () {
  this.timeout(60_000);

  it('come from descriptions that are signatures, else from the number of values', () => {
    expect(greeter).to.equal(`/** Of my-greeter 1.0. */
export interface MyGreeter {
  /** says hello */
  greet(name: string): string;
  pair(): [string, number];
  /** greet(name: string): string */
  other(value1: unknown, value2?: unknown): unknown;
  /** finds one * / at all */
  "get-user"(value1: unknown): unknown;
}
`);
  });

  it('are an interface whatever a plug-in says', () => {
    const said = [
      'a(x: { y: string; z: number }): Map<string, () => void>',
      'b(): string; } declare const evil: number; interface Other {',
      'c(x: string: string',
      'd(): string /* — text',
    ];
    const handlers = said.map((description) => handler(description.slice(0, 1), description));
    expect(interfaceOf({ name: '9 odd-name/*', version: '*/ 1', handlers })).to
      .equal(`/** Of 9 odd-name/* * / 1. */
export interface _9OddName {
  a(x: { y: string; z: number }): Map<string, () => void>;
  /** b(): string; } declare const evil: number; interface Other { */
  b(): unknown;
  /** c(x: string: string */
  c(): unknown;
  /** d(): string /* — text */
  d(): unknown;
}
`);
    expect(interfaceOf({ name: '-', version: '1', handlers: [] })).to.include('interface Plugin {');
  });

  it('are what load takes', () => {
    const folder = here('../build/test/types');
    mkdirSync(folder, { recursive: true });
    writeFileSync(`${folder}/greeter.d.ts`, greeter);
    writeFileSync(
      `${folder}/program.ts`,
      `import { run } from 'steptree';
import { load } from '../../../ts/index.js';
import type { MyGreeter } from './greeter.js';

const greeter = await load<MyGreeter>('./greeter.so');
export const hello: Promise<string> = run(greeter.step('greet', 'Ada'));
// @ts-expect-error: it takes a name
greeter.step('greet', 5);
// @ts-expect-error: it takes two at most
greeter.step('other', 1, 2, 3);
`,
    );
    const config = { extends: here('../tsconfig.json'), include: ['*.ts'] };
    writeFileSync(`${folder}/tsconfig.json`, JSON.stringify(config));
    execFileSync(here('../../node_modules/.bin/tsc'), ['-p', folder], { encoding: 'utf8' });
  });

  const command = (...args: string[]) =>
    spawnSync(process.execPath, ['--import', 'tsx', here('../ts/command.ts'), ...args], {
      encoding: 'utf8',
    });

  it('are written by the command', () => {
    const { status, stdout } = command('types', builtPlugin());
    expect(status).to.equal(0);
    expect(stdout).to.match(/^\/\*\* Of tried 1\.0\. \*\/\nexport interface Tried \{\n/);
    expect(stdout).to.include('  /** leaves what it got */\n  echo(value1?: unknown,');
  });

  it('need a plug-in', () => {
    const { status, stderr } = command('types', '/nowhere.so');
    expect([status, stderr]).to.deep.equal([1, stderr]);
    expect(stderr).to.match(/^PluginRefused: \/nowhere\.so: /);
    expect(command('type').status).to.equal(2);
  });
});
