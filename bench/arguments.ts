/** What the run is asked to do. */
import type { Language, Scenario } from './scenario.js';
import { scenarios } from './scenarios.js';

export interface Options {
  readonly quick: boolean;
  readonly json: boolean;
  readonly repeat: number;
  readonly scenarios: readonly Scenario[];
  /** All scenarios of both languages in full: what may be published. */
  readonly complete: boolean;
  /** These take their place in what is published. */
  readonly adds: boolean;
}

export const usage = `npm run bench -- [options]
  --quick         smaller sizes, 3 repetitions, under 90 seconds
  --only NAMES    these scenarios, by commas or by repeating the option: a scenario of exactly this name, or
                  else all whose names contain it
  --lang cpp|js   only one language
  --repeat N      how often each program is started (5; 3 with --quick)
  --add           with --only: these scenarios, measured in full, take their place in bench/results/
  --json          on standard output nothing but the array of results
Without --quick, --only, --lang and --repeat it renews bench/results/ and the table of README.md; else, and without --add,
the report goes to build/bench-report/.`;

/** A mistake in the command line; its message is for the user. */
export class UsageError extends Error {}

function languageOf(value: string): Language {
  if (value === 'cpp' || value === 'js') return value;
  throw new UsageError(`--lang is cpp or js, not '${value}'`);
}

function countOf(value: string): number {
  const count = Number(value);
  if (Number.isSafeInteger(count) && count >= 1) return count;
  throw new UsageError(`--repeat is a number of 1 or more, not '${value}'`);
}

function named(name: string, from: readonly Scenario[]): readonly Scenario[] {
  const exact = from.filter((scenario) => scenario.name === name);
  const found = exact.length > 0 ? exact : from.filter((scenario) => scenario.name.includes(name));
  if (name !== '' && found.length > 0) return found;
  const names = [...new Set(from.map((scenario) => scenario.name))];
  throw new UsageError(`no scenario '${name}'; there are: ${names.join(', ')}`);
}

export function parse(args: readonly string[]): Options {
  let quick = false;
  let json = false;
  let adds = false;
  let repeat: number | null = null;
  let lang: Language | null = null;
  const only: string[] = [];
  const rest = args.flatMap((word) => (word.startsWith('--') ? word.split(/=(.*)/s, 2) : [word]));
  const next = (option: string): string => {
    const value = rest.shift();
    if (value === undefined) throw new UsageError(`${option} needs a value`);
    return value;
  };
  for (let word = rest.shift(); word !== undefined; word = rest.shift()) {
    if (word === '--quick') quick = true;
    else if (word === '--json') json = true;
    else if (word === '--add') adds = true;
    else if (word === '--only') only.push(...next(word).split(','));
    else if (word === '--lang') lang = languageOf(next(word));
    else if (word === '--repeat') repeat = countOf(next(word));
    else throw new UsageError(`no option '${word}'\n${usage}`);
  }
  if (adds && (only.length === 0 || quick || repeat !== null))
    throw new UsageError('--add goes with --only and --lang, and nothing else');
  const ofLang = scenarios.filter((scenario) => lang === null || scenario.lang === lang);
  const chosen = only.length === 0 ? ofLang : only.flatMap((name) => named(name, ofLang));
  return {
    quick,
    json,
    repeat: repeat ?? (quick ? 3 : 5),
    scenarios: ofLang.filter((scenario) => chosen.includes(scenario)),
    complete: !quick && lang === null && repeat === null && only.length === 0,
    adds,
  };
}
