/** Runs the cases on every implementation, compares the traces, prints a table. */
import { basename } from 'node:path';
import { fileURLToPath } from 'node:url';
import type { LoadedCase } from './case.js';
import { mainOf, UsageError } from './commandline.js';
import { executeCases, type Outcome } from './execute.js';
import { buildAdapters, chooseImplementations } from './implementations.js';
import { againstKnown, type KnownFailure, loadKnown } from './known.js';
import { loadSuite } from './load.js';
import { type Options, readOptions, usage } from './options.js';
import { failedCases, failureReport, shareLine, table } from './report.js';

const root = fileURLToPath(new URL('..', import.meta.url));
const startLimitMs = 120_000;

async function main(args: readonly string[]): Promise<number> {
  const options = readOptions(args);
  const suite = loadSuite(root);
  const known = loadKnown(new URL('known-failures.yaml', import.meta.url), suite.cases);
  const problems = [...suite.problems, ...known.problems];
  if (problems.length > 0) {
    for (const problem of problems) console.error(problem);
    throw new Error(`the suite is not valid: ${problems.length} finding(s)`);
  }
  const cases = suite.cases.filter((found) => isChosen(found, options));
  if (cases.length === 0) throw new UsageError('no case is chosen');
  const implementations = chooseImplementations(options);
  buildAdapters(implementations, root);
  const limits = { startMs: startLimitMs, caseMs: options.limitMs };
  const outcomes = await Promise.all(
    implementations.map((implementation) => executeCases(implementation, cases, limits, root)),
  );
  if (options.json) console.log(JSON.stringify(summary(cases, outcomes)));
  else printReport(cases, outcomes, known.list);
  return outcomes.every((outcome) => isGood(outcome, known.list)) ? 0 : 1;
}

function isChosen({ file, program }: LoadedCase, { only, case: name }: Options): boolean {
  if (name !== undefined && program.case !== name) return false;
  return only === undefined || program.case.includes(only) || basename(file).includes(only);
}

function isGood(outcome: Outcome, list: readonly KnownFailure[]): boolean {
  const { failed, passedThough } = againstKnown(outcome, list);
  return failed.length === 0 && passedThough.length === 0 && outcome.fault === undefined;
}

function summary(cases: readonly LoadedCase[], outcomes: readonly Outcome[]) {
  const entries = outcomes.map(({ implementation, passed, failed, unfit, fault }) => {
    const names = failed.map(({ found }) => found.program.case);
    const told = {
      passed: passed.length,
      failed: names,
      ...(unfit.length === 0 ? {} : { unfit: unfit.length }),
      ...(fault === undefined ? {} : { fault }),
    };
    return [implementation, told];
  });
  return { cases: cases.length, ...Object.fromEntries(entries) };
}

function printReport(
  cases: readonly LoadedCase[],
  outcomes: readonly Outcome[],
  list: readonly KnownFailure[],
): void {
  const judged = outcomes.map((outcome) => ({ outcome, ...againstKnown(outcome, list) }));
  // A case that was never run has nothing to show.
  const shown = judged.flatMap(({ failed }) => failed.filter(({ fault }) => fault !== 'not run'));
  for (const found of failedCases(shown, cases)) console.log(`${failureReport(found, outcomes)}\n`);
  for (const { outcome, failed, passedThough } of judged) {
    const name = outcome.implementation;
    for (const { program } of passedThough) {
      console.log(`${name} passes a known failure, take it off the list: ${program.case}`);
    }
    const excused = outcome.failed.length - failed.length;
    if (excused > 0)
      console.log(`${name} fails ${excused} case(s) that known-failures.yaml excuses`);
    if (outcome.fault !== undefined) console.log(`${name}: the adapter ${outcome.fault}`);
  }
  console.log(table(cases, outcomes));
  for (const line of outcomes.flatMap((outcome) => shareLine(outcome) ?? [])) console.log(line);
}

await mainOf(usage, main);
