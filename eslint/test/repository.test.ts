import * as parser from '@typescript-eslint/parser';
import { expect } from 'chai';
import { Linter } from 'eslint';
import { execFileSync } from 'node:child_process';
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import * as steptree from 'steptree';
import { snippetsOf, tsProgram } from '../../tools/guide/page.js';
import plugin from '../src/index.js';

const root = fileURLToPath(new URL('../..', import.meta.url));

function files(...patterns: readonly string[]): string[] {
  const list = execFileSync('git', ['ls-files', ...patterns], { cwd: root, encoding: 'utf8' });
  return list.trim().split('\n');
}

/** What the rules say of a program; what it imports from `js/src` is what steptree exports. */
function findings(code: string): string[] {
  const modules = [...code.matchAll(/from '(\.[^']*\/src\/[^']*)'/g)].map(([, path]) => path!);
  const config: Linter.Config[] = [
    { files: ['**/*.ts'], languageOptions: { parser } },
    { files: ['**/*.ts'], settings: { steptree: { modules } }, ...plugin.configs.recommended },
  ];
  const messages = new Linter().verify(code, config, 'program.ts');
  return messages.map(({ line, message }) => `${line}: ${message}`);
}

const text = (file: string) => readFileSync(join(root, file), 'utf8');

describe('what the rules say of this repository', function () {
  this.timeout(600_000);

  for (const folder of [
    'js/examples',
    'js/conformance',
    'conformance',
    'bench/js',
    'tools/pictures',
    'tools/resp',
  ])
    it(`nothing of ${folder}`, () => {
      const all = files(`:(glob)${folder}/**/*.ts`, `:(glob)${folder}/**/*.js`);
      const found = all.flatMap((file) => findings(text(file)).map((each) => `${file}:${each}`));
      expect(found).to.deep.equal([]);
    });

  it('nothing of the guide', () => {
    const found = files('README.md', 'docs/*.md').flatMap((page) => {
      const snippets = snippetsOf(join(root, page)).filter(({ lang }) => lang === 'ts');
      const program = tsProgram(snippets, Object.keys(steptree));
      return findings(program).map((each) => `${page}:${each}`);
    });
    expect(found).to.deep.equal([]);
  });

  it('but what is wrong there is found', () => {
    const session = text('js/examples/resp/session.ts');
    const handler = 'if (code === errors.Timeout) step.success(ok);';
    expect(session).to.include(handler);
    const found = findings(session.replace(handler, handler.replace('step', 'asi')));
    expect(found).to.have.length(1);
    expect(found[0]).to.include('`asi` belongs to an outer body');
  });
});
