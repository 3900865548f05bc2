import { expect } from 'chai';
import { Linter, type Rule } from 'eslint';
import { readdirSync, readFileSync } from 'node:fs';
import plugin from '../src/index.js';

const folder = new URL('../docs/', import.meta.url);
const names = [
  ...['all', 'any', 'AsyncSteps', 'delay', 'forEach', 'loop', 'map', 'parallel'],
  ...['race', 'repeat', 'retry', 'run', 'step', 'steps', 'sync'],
];

/** The rules that say something of a block of a page. */
function findings(code: string): string[] {
  const config = [plugin.configs.recommended];
  const text = `import { ${names.join(', ')} } from 'steptree';\n${code}`;
  return new Linter().verify(text, config).map(({ ruleId, message }) => ruleId ?? message);
}

function blocks(page: string, title: string): string[] {
  const [, after = ''] = page.split(`## ${title}\n`);
  const [section = ''] = after.split(/^## /m);
  return [...section.matchAll(/^```js\n(.*?)^```$/gms)].map(([, code]) => code!);
}

describe('the settings', () => {
  const code = `import { step } from './flows.js';
    export const page = step((asi) => asi.add((inner) => asi.success(1)));`;
  const found = (modules: readonly string[]) =>
    new Linter().verify(code, [
      { settings: { steptree: { modules } } },
      plugin.configs.recommended,
    ]);

  it('a module of the program hands on what steptree exports', () => {
    expect(found(['./flows.js'])).to.have.length(1);
    expect(found(['./other.js'])).to.deep.equal([]);
  });
});

describe('a rule is switched off', () => {
  const guide = readFileSync(new URL('../../docs/lint.md', import.meta.url), 'utf8');
  const code = `import { delay, run } from 'steptree';
    run((asi) => {
      asi.add(delay(5)).await(fetch('/'));
    });`;
  const found = (text: string, ...more: Linter.Config[]) =>
    new Linter().verify(text, [plugin.configs.recommended, ...more]).map(({ ruleId }) => ruleId);

  it('for a project, as docs/lint.md says', () => {
    const rule = /\{ rules: \{ '(.*)': 'off' \} \}/.exec(guide)![1]!;
    expect(found(code)).to.deep.equal([rule]);
    expect(found(code, { rules: { [rule]: 'off' } })).to.deep.equal([]);
  });

  it('for a line, as docs/lint.md says', () => {
    const [comment] = /\/\/ eslint-disable-next-line [\w/-]+/.exec(guide)!;
    expect(found(code.replace('asi.add', `${comment}\n asi.add`))).to.deep.equal([]);
  });
});

describe('the pages of the rules', () => {
  it('there is one for each', () => {
    const pages = readdirSync(folder).map((name) => name.replace(/\.md$/, ''));
    expect(pages.sort()).to.deep.equal(Object.keys(plugin.rules!).sort());
  });

  it('docs/lint.md leads to all of them', () => {
    const guide = readFileSync(new URL('../../docs/lint.md', import.meta.url), 'utf8');
    const listed = [...guide.matchAll(/^\| \[([\w-]+)\]\(\.\.\/eslint\/docs\/\1\.md\)/gm)];
    expect(listed.map(([, name]) => name).sort()).to.deep.equal(Object.keys(plugin.rules!).sort());
  });

  for (const [name, rule] of Object.entries(plugin.rules!)) {
    const page = readFileSync(new URL(`${name}.md`, folder), 'utf8');

    it(`${name}: begins with what the rule says of itself`, () => {
      const { description } = (rule as Rule.RuleModule).meta!.docs!;
      expect(page.split('\n')[2]).to.include(description);
    });
    it(`${name}: finds what is wrong, and no other rule does`, () => {
      const wrong = blocks(page, 'Wrong');
      expect(wrong).not.to.have.length(0);
      for (const code of wrong)
        expect([...new Set(findings(code))], code).to.deep.equal([`steptree/${name}`]);
    });
    it(`${name}: no rule finds anything in what is right`, () => {
      const right = blocks(page, 'Right');
      expect(right).not.to.have.length(0);
      for (const code of right) expect(findings(code), code).to.deep.equal([]);
    });
  }
});
