import { expect } from 'chai';
import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { loadSuite } from '../load.js';

const good = `
- case: an empty flow ends ok
  rules: [model-5]
  flows: { main: [] }
  trace: ["main ok"]
`;

describe('loadSuite', () => {
  let root: string;

  beforeEach(() => {
    root = mkdtempSync(join(tmpdir(), 'steptree-suite-'));
    mkdirSync(join(root, 'conformance/cases'), { recursive: true });
    mkdirSync(join(root, 'spec'));
  });
  afterEach(() => rmSync(root, { recursive: true }));

  const cases = (text: string, name = 'model') =>
    writeFileSync(join(root, `conformance/cases/${name}.yaml`), text);
  const withStep = (step: string) =>
    good.replace('main: []', `main: [${step}]`).replace('ends ok', 'of one step');
  const problemsOf = (text: string) => {
    cases(text);
    return loadSuite(root).problems;
  };

  it('reads case files with chapter and place', () => {
    cases(good);
    const { cases: found, problems } = loadSuite(root);
    expect(problems).to.deep.equal([]);
    expect(found).to.have.length(1);
    expect(found[0]).to.include({ chapter: 'model', line: 2 });
    expect(found[0]?.file).to.equal('conformance/cases/model.yaml');
  });

  it('takes what stands before a dash in the name for the chapter', () => {
    cases(good, 'flow-map');
    expect(loadSuite(root).cases[0]?.chapter).to.equal('flow');
  });

  it('reads the case blocks of the chapters, and no other blocks', () => {
    const block = (info: string) => `\`\`\`${info}${good}\`\`\`\n`;
    writeFileSync(join(root, 'spec/loop.md'), `# Loop\n\n${block('yaml case')}\n${block('yaml')}`);
    const { cases: found, problems } = loadSuite(root);
    expect(problems).to.deep.equal([]);
    expect(found.map(({ chapter, line }) => [chapter, line])).to.deep.equal([['loop', 4]]);
  });

  it('refuses a name that is taken', () => {
    cases(good);
    cases(good, 'error');
    expect(loadSuite(root).problems).to.deep.equal([
      'conformance/cases/model.yaml:2: "an empty flow ends ok": the name is taken at conformance/cases/error.yaml:2',
    ]);
  });

  it('refuses what is no YAML', () => {
    expect(problemsOf('- case: [')).to.have.length.above(0);
  });

  it('refuses an unknown key of a case', () => {
    expect(problemsOf(`${good}  skip: true\n`)).to.deep.equal([
      `conformance/cases/model.yaml:2: "an empty flow ends ok": unknown key 'skip'`,
    ]);
  });

  it('refuses an unknown key of a form', () => {
    expect(problemsOf(withStep('{step: a, dont: []}'))).to.deep.equal([
      `conformance/cases/model.yaml:2: "an empty flow of one step": at /flows/main/0: unknown key 'dont'`,
    ]);
  });

  it('refuses an unknown action', () => {
    expect(problemsOf(withStep('{step: a, do: [{dance: 1}]}'))[0]).to.match(
      /at \/flows\/main\/0\/do\/0: names no known form or action/,
    );
    expect(problemsOf(withStep('{step: a, do: [dance]}'))[0]).to.match(
      /must be one of relinquish, /,
    );
  });

  it('refuses a case that names no rule', () => {
    expect(problemsOf(good.replace('[model-5]', '[]'))).to.have.length(1);
  });

  it('tells secondary keys from actions of the same name', () => {
    const actions = [
      '{done: c, success: [1]}',
      '{done: c, error: X, info: y}',
      '{settle: p, error: X}',
      '{execute: main, done: false}',
      '{repeat: r, times: 2, do: []}',
      '{times: 2, do: [success]}',
    ];
    const step = `{step: a, do: [{waitExternal: c}, {return: p}, ${actions.join(', ')}]}`;
    expect(problemsOf(withStep(step))).to.deep.equal([]);
    expect(problemsOf(withStep('{step: a, do: [{success: [1], info: x}]}'))).to.have.length(1);
  });

  it('refuses names that nothing makes', () => {
    const step = '{step: a, do: [{done: c, valid: true}, {cancel: other}]}';
    expect(problemsOf(withStep(step))).to.deep.equal([
      `conformance/cases/model.yaml:2: "an empty flow of one step": done: nothing in the case makes 'c'`,
      `conformance/cases/model.yaml:2: "an empty flow of one step": cancel: nothing in the case makes 'other'`,
    ]);
  });
});
