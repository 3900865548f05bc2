import { expect } from 'chai';
import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import type { LoadedCase } from '../case.js';
import { proofProblems, readRules, readTitles } from '../proof.js';
import { styleProblems } from '../style.js';

const aCase = (rules: readonly string[]): LoadedCase => ({
  chapter: 'model',
  file: 'conformance/cases/model.yaml',
  line: 3,
  program: { case: 'a case', rules, flows: { main: [] }, trace: [] },
});
const rule = (id: string) => ({
  id,
  place: 'spec/model.md:1',
  text: 'It MUST.',
  binds: ['js', 'cpp'] as const,
});
const titles = { js: new Set(['deep trees']), cpp: new Set(['deep trees']), c: new Set<string>() };

describe('readRules and readTitles', () => {
  let root: string;

  beforeEach(() => {
    root = mkdtempSync(join(tmpdir(), 'steptree-rules-'));
    for (const folder of ['spec', 'js/test/types', 'cpp/test', 'cpp/cabi/test']) {
      mkdirSync(join(root, folder), { recursive: true });
    }
  });
  afterEach(() => rmSync(root, { recursive: true }));

  const spec = (text: string) => writeFileSync(join(root, 'spec/model.md'), text);

  it('reads a rule with its continued lines', () => {
    spec(
      '# Model\n\n- **model-1** A body\n  MUST run.\n  Why: it must.\n- **model-2** It MUST NOT.\n',
    );
    const { rules, problems } = readRules(root);
    expect(problems).to.deep.equal([]);
    expect(rules.map(({ id, place }) => [id, place])).to.deep.equal([
      ['model-1', 'spec/model.md:3'],
      ['model-2', 'spec/model.md:6'],
    ]);
  });

  it('refuses a rule without a MUST, with two, of another chapter, with a taken number', () => {
    spec(
      '- **model-1** Maybe.\n- **model-2** MUST and MUST.\n- **loop-1** MUST.\n- **model-2** MUST.\n',
    );
    expect(readRules(root).problems).to.deep.equal([
      'spec/model.md:1: model-1 has 0 MUST, a rule has one',
      'spec/model.md:2: model-2 has 2 MUST, a rule has one',
      'spec/model.md:3: loop-1 is no rule of model',
      'spec/model.md:4: model-2 stands at spec/model.md:2 already',
    ]);
  });

  it('takes rules of every chapter in those about one language, which bind nothing else', () => {
    writeFileSync(join(root, 'spec/cpp.md'), '- **model-1** MUST.\n');
    writeFileSync(join(root, 'spec/js.md'), '- **loop-1** MUST.\n');
    const { rules, problems } = readRules(root);
    expect(problems).to.deep.equal([]);
    expect(rules.map(({ binds }) => binds)).to.deep.equal([['cpp'], ['js']]);
  });

  it('takes rules about the C interface in their own chapter, which bind nothing else', () => {
    writeFileSync(join(root, 'spec/abi.md'), '- **abi-1** MUST.\n- **model-1** MUST.\n');
    const { rules, problems } = readRules(root);
    expect(problems).to.deep.equal(['spec/abi.md:2: model-1 is no rule of abi']);
    expect(rules.map(({ binds }) => binds)).to.deep.equal([['c'], ['c']]);
  });

  it('reads which languages a rule binds', () => {
    spec(
      '- **model-1** MUST.\n- **model-2** In JS it MUST.\n- **model-3** C++: it MUST.\n' +
        '- **model-4** Like C++ it MUST.\n\n## Threads (C++)\n\n- **model-5** It MUST.\n',
    );
    expect(readRules(root).rules.map(({ binds }) => binds.join('+'))).to.deep.equal([
      'js+cpp',
      'js',
      'cpp',
      'js+cpp',
      'cpp',
    ]);
  });

  it('finds the titles of tests of all languages', () => {
    writeFileSync(
      join(root, 'js/test/types/add.ts'),
      `it('infers "x"', () => {});\nit(\n  "it's", f);`,
    );
    writeFileSync(join(root, 'cpp/test/add.cpp'), `TEST_CASE("moves \\"x\\"", "[a]") {}`);
    writeFileSync(join(root, 'cpp/cabi/test/add.c'), 'TEST("is added",\n     is_added);');
    const found = readTitles(root);
    expect([...found.js]).to.deep.equal(['infers "x"', "it's"]);
    expect([...found.cpp]).to.deep.equal(['moves \\"x\\"']);
    expect([...found.c]).to.deep.equal(['is added']);
  });
});

describe('proofProblems', () => {
  it('accepts a case or tests in both languages as proof', () => {
    const proofs = { 'model-2': { js: ['deep trees'], cpp: ['deep trees'] } };
    const rules = [rule('model-1'), rule('model-2')];
    expect(proofProblems(rules, [aCase(['model-1'])], proofs, titles)).to.deep.equal([]);
  });

  it('tells a rule without proof', () => {
    expect(proofProblems([rule('model-1')], [], {}, titles)).to.deep.equal([
      'spec/model.md:1: model-1 has no proof: no case names it, nor does proofs.yaml',
    ]);
  });

  it('tells a case that names an unknown rule', () => {
    expect(proofProblems([], [aCase(['model-9'])], {}, titles)).to.deep.equal([
      'conformance/cases/model.yaml:3: "a case" names model-9, which is no rule',
    ]);
  });

  it('tells proofs of unknown rules, by unknown tests, and in one language of two', () => {
    const proofs = {
      'model-1': { js: 'deep trees' },
      'model-2': { cpp: ['no such test'] },
      'model-9': { js: 'deep trees', cpp: 'deep trees' },
    };
    const rules = [rule('model-1'), { ...rule('model-2'), binds: ['cpp'] as const }];
    expect(proofProblems(rules, [], proofs, titles)).to.deep.equal([
      'proofs.yaml: model-1 binds cpp too, but names no test of it',
      'proofs.yaml: model-2: no test in cpp is called "no such test"',
      'proofs.yaml: model-9 is no rule',
    ]);
  });
});

describe('styleProblems', () => {
  const text = (sentence: string) => ({ ...rule('model-1'), text: sentence });

  it('finds a sentence of more than 25 words, and a rule without a reason', () => {
    const words = Array(25).fill('word').join(' ');
    const problems = styleProblems(
      [
        text(` ${words}. ${words}.\n  Why: so.`),
        text(` ${words} \`one more\`.\n  Why: so.`),
        text(' It MUST.'),
      ],
      ['model'],
    );
    expect(problems.map((problem) => problem.slice(0, 50))).to.deep.equal([
      'spec/model.md:1: model-1: a sentence of 26 words: ',
      "spec/model.md:1: model-1 doesn't say why",
    ]);
  });

  it('takes long sentences in chapters that have not been rewritten', () => {
    const words = Array(26).fill('word').join(' ');
    expect(styleProblems([text(` ${words}.\n  Why: so.`)], ['loop'])).to.deep.equal([]);
  });
});
