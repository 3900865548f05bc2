import { expect } from 'chai';
import { spawnSync } from 'node:child_process';
import { fileURLToPath } from 'node:url';
import { loadSuite } from '../load.js';

const root = fileURLToPath(new URL('../..', import.meta.url));
const fake = `node ${fileURLToPath(new URL('fake-adapter.mjs', import.meta.url))}`;
const cases = loadSuite(root).cases.filter(({ chapter }) => chapter === 'results');

function conformance(...args: readonly string[]) {
  const run = ['--import', 'tsx', 'conformance/run.ts', '--run', 'impl', '--impl', fake, ...args];
  const { status, stdout, stderr } = spawnSync(process.execPath, run, {
    cwd: root,
    encoding: 'utf8',
  });
  return { status, stdout, stderr };
}

describe('the command', function () {
  this.timeout(60_000);

  it('prints nothing but JSON with --json, and fails if a case fails', () => {
    const { status, stdout } = conformance('--json', '--only', 'results');
    const result = JSON.parse(stdout);
    expect(Object.keys(result)).to.deep.equal(['cases', 'impl']);
    expect(result.cases).to.be.at.least(cases.length);
    expect(result.impl.passed + result.impl.failed.length).to.equal(result.cases);
    expect(status).to.equal(1);
  });

  it('passes and prints the table where all is well', () => {
    const easy = loadSuite(root).cases.find(
      ({ program }) => program.trace.length === 1 && program.trace[0] === 'main ok',
    );
    const { status, stdout } = conformance('--case', easy?.program.case as string);
    expect(stdout.split('\n').at(0)).to.match(/^chapter +cases +impl$/);
    expect(status).to.equal(0);
  });

  it('runs one case by name and shows how to replay it', () => {
    const name = cases.find(({ program }) => program.trace.length > 2)?.program.case as string;
    const { status, stdout } = conformance('--case', name);
    expect(stdout).to.contain(`FAILED ${name}`);
    expect(stdout).to.contain('npm run conformance -- --case');
    expect(status).to.equal(1);
  });

  it('says what is wrong with its arguments', () => {
    for (const [args, message] of [
      [['--case', 'no such case'], /^no case is chosen/],
      [
        ['--run', 'ada'],
        /^--run: one of js, cpp, nitro, defined, defined-cpp, model, c, native, python, impl, not 'ada'/,
      ],
      [['--limit', 'soon'], /^--limit: a number above 0, not 'soon'/],
      [['--frobnicate'], /frobnicate/],
    ] as const) {
      const { status, stderr } = conformance(...args);
      expect(stderr).to.match(message).and.to.contain('usage:');
      expect(status).to.equal(2);
    }
  });
});
