import { expect } from 'chai';
import { fileURLToPath } from 'node:url';
import { executeCases, type Outcome } from '../execute.js';
import type { LoadedCase } from '../case.js';
import { failureReport, shareLine, table } from '../report.js';

const fake = fileURLToPath(new URL('fake-adapter.mjs', import.meta.url));
const limits = { startMs: 20_000, caseMs: 1000 };

const casesNamed = (...names: readonly string[]): LoadedCase[] =>
  names.map((name, i) => ({
    chapter: i % 2 === 0 ? 'model' : 'error',
    file: 'conformance/cases/model.yaml',
    line: i + 1,
    program: { case: name, rules: ['model-1'], flows: { main: [] }, trace: ['main ok'] },
  }));

const run = (names: readonly string[], flag = ''): Promise<Outcome> =>
  executeCases(
    { name: 'fake', command: `node ${fake} ${flag}` },
    casesNamed(...names),
    limits,
    '.',
  );

const faults = ({ failed }: Outcome) =>
  Object.fromEntries(failed.map(({ found, fault }) => [found.program.case, fault]));

describe('executeCases', function () {
  this.timeout(30_000);

  it('passes a case whose trace is equal', async () => {
    const outcome = await run(['right one', 'right two']);
    expect(outcome.passed).to.have.length(2);
    expect(outcome.failed).to.deep.equal([]);
    expect(outcome.fault).to.equal(undefined);
  });

  it('reports a wrong trace and goes on with the same adapter', async () => {
    const outcome = await run(['a wrong trace', 'right']);
    expect(outcome.failed[0]?.trace).to.deep.equal(['a', 'main error X']);
    expect(outcome.passed).to.have.length(1);
  });

  it('lets a case exceed the limits of an implementation, with OutOfSteps only', async () => {
    const exceeding = casesNamed('it is too large', 'it is wrong', 'it is right').map((found) => ({
      ...found,
      program: { ...found.program, exceeds: ['fake'] },
    }));
    const fixed = { name: 'fake', command: `node ${fake}` };
    const outcome = await executeCases(fixed, exceeding, limits, '.');
    expect(outcome.passed.map(({ program }) => program.case)).to.deep.equal(['it is too large']);
    expect(faults(outcome)['it is right']).to.equal('does not exceed its limits');
    const other = await executeCases({ ...fixed, name: 'other' }, exceeding, limits, '.');
    expect(other.passed.map(({ program }) => program.case)).to.deep.equal(['it is right']);
  });

  it('reports a crash with exit code and stderr, and starts the adapter again', async () => {
    const outcome = await run(['right before', 'a crash', 'right after']);
    expect(faults(outcome)['a crash']).to.equal('crashed: exit code 3\npanic: out of luck');
    expect(outcome.passed.map(({ program }) => program.case)).to.deep.equal([
      'right before',
      'right after',
    ]);
  });

  it('ends an adapter that hangs, and goes on', async () => {
    const outcome = await run(['it hangs', 'right']);
    expect(faults(outcome)['it hangs']).to.match(/^hangs: no answer within 1000 ms/);
    expect(outcome.passed).to.have.length(1);
  });

  it('reports garbage and an answer of another id, and goes on', async () => {
    const outcome = await run(['garbage', 'right', 'other id', 'right too']);
    expect(faults(outcome)['garbage']).to.equal('garbage: hello there');
    expect(faults(outcome)['other id']).to.match(/^garbage: {"id":/);
    expect(outcome.passed).to.have.length(2);
  });

  it('reports what the adapter itself refuses', async () => {
    const outcome = await run(['refused', 'right']);
    expect(faults(outcome)).to.deep.equal({ refused: 'adapter: unknown action dance' });
    expect(outcome.passed).to.have.length(1);
  });

  it('neither passes nor fails a case that the adapter calls unfit', async () => {
    const outcome = await run(['an unfit case', 'right']);
    expect(outcome.unfit.map(({ program }) => program.case)).to.deep.equal(['an unfit case']);
    expect(outcome.passed).to.have.length(1);
    expect(outcome.failed).to.deep.equal([]);
  });

  it('adds up how many steps are values', async () => {
    const outcome = await run(['of values', 'right', 'an unfit case', 'all values']);
    expect(outcome.share).to.deep.equal({ steps: 6, values: 4, bodies: 2 });
    expect(shareLine(outcome)).to.equal('fake: 4 of 6 steps are values, and 2 bodies');
    expect(shareLine(await run(['right']))).to.equal(undefined);
  });

  it('reports an adapter that cannot be started, by case', async () => {
    const outcome = await run(['one', 'two'], '--dead');
    expect(outcome.fault).to.equal('at its start: crashed: exit code 1\nno such library');
    expect(outcome.failed).to.have.length(2);
  });

  it('reports an exit code other than 0 after the last case', async () => {
    const outcome = await run(['right'], '--leaks');
    expect(outcome.passed).to.have.length(1);
    expect(outcome.fault).to.equal('ended with exit code 23\n4 bytes leaked');
  });
});

describe('report', function () {
  this.timeout(30_000);

  it('shows both traces side by side and the command that replays', async () => {
    const outcome = await run(["a 'wrong' trace"]);
    const [failure] = outcome.failed;
    expect(failureReport(failure?.found as LoadedCase, [outcome]).split('\n')).to.deep.equal([
      "FAILED a 'wrong' trace  (conformance/cases/model.yaml:1)",
      '    expected | fake',
      '  > main ok  | a',
      '  >          | main error X',
      `  replay: npm run conformance -- --case 'a '\\''wrong'\\'' trace'`,
    ]);
  });

  it('counts cases by chapter', async () => {
    const names = ['right', 'wrong', 'right too'];
    expect(table(casesNamed(...names), [await run(names)]).split('\n')).to.deep.equal([
      'chapter  cases  fake',
      'model        2     2',
      'error        1     0',
      'all          3     2',
    ]);
  });

  it('counts the cases that are unfit apart', async () => {
    const names = ['right', 'unfit'];
    expect(
      table(casesNamed(...names), [await run(names)])
        .split('\n')
        .slice(-2),
    ).to.deep.equal(['unfit              1', 'all          2     1']);
  });
});
