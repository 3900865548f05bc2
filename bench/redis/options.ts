/** What a run over Redis is asked to do. */
import { UsageError } from '../arguments.js';
import { type Scenario, scenarios } from './scenarios.js';

export interface Options {
  readonly scenarios: readonly Scenario[];
  readonly repeat: number;
  readonly seconds: number;
  readonly json: boolean;
  /** All scenarios in full: what may be published. */
  readonly complete: boolean;
  /** Some in full, which take their place among the published ones. */
  readonly adds: boolean;
}

export const usage = `npm run bench:redis -- [options]
  --quick        one repetition of a second, by at most 8 processes
  --only NAMES   scenarios whose names contain one of these, by commas
  --add          with --only: these, in full, take their place in bench/results/
  --repeat N     how often each is measured (3; 1 with --quick)
  --json         on standard output nothing but the results
  --check        only: whether steptree asks Redis for as much as bench/redis/counts.json says
Without --quick and --only, and with --add, it renews bench/results/redis.json and bench/results/redis.md; else the report goes to
build/bench-report/.`;

function countOf(value: string | undefined): number {
  const count = Number(value);
  if (Number.isSafeInteger(count) && count >= 1) return count;
  throw new UsageError(`--repeat is a number of 1 or more, not '${value}'`);
}

function named(list: string): Scenario[] {
  return list.split(',').flatMap((name) => {
    const found = scenarios.filter((scenario) => name !== '' && scenario.name.includes(name));
    if (found.length > 0) return found;
    const names = scenarios.map((scenario) => scenario.name);
    throw new UsageError(`no scenario '${name}'; there are: ${names.join(', ')}`);
  });
}

export function parse(args: readonly string[]): Options {
  const words = [...args];
  let quick = false;
  let json = false;
  let adds = false;
  let repeat: number | null = null;
  let only: Set<Scenario> | null = null;
  for (let word = words.shift(); word !== undefined; word = words.shift()) {
    if (word === '--quick') quick = true;
    else if (word === '--json') json = true;
    else if (word === '--add') adds = true;
    else if (word === '--repeat') repeat = countOf(words.shift());
    else if (word === '--only') only = new Set(named(words.shift() ?? ''));
    else throw new UsageError(`no option '${word}'\n${usage}`);
  }
  if (adds && (quick || only === null))
    throw new UsageError('--add needs --only, and is of full runs: not with --quick');
  const fits = (scenario: Scenario) =>
    only?.has(scenario) ?? !(quick && (scenario.processes > 8 || scenario.lines > 1000));
  return {
    scenarios: scenarios.filter(fits),
    repeat: repeat ?? (quick ? 1 : 3),
    seconds: quick ? 1 : 2,
    json,
    complete: !quick && only === null,
    adds,
  };
}
