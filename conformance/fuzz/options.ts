/** The command line of the fuzzer. */
import { commandOptions, commandsOf } from '../listed.js';
import { UsageError, valuesOf } from '../commandline.js';

const usual = ['js', 'cpp', 'defined', 'defined-cpp', 'c'];

export const usage = `usage: npm run fuzz -- [options]
  --seed N           of the programs; without it a fresh one, which is printed
  --programs N       how many (default 20000)
  --minutes N        for how long, in the place of --programs
  --program K        only the program of that number, or K-L for all from K to L
  --replay FILE      only the cases of a YAML file
  --run NAME         compare only this implementation with the model: nitro, native (programs in two languages), ${usual.join(', ')} or impl (repeatable; default ${usual.join(', ')})
  --impl COMMAND     a further implementation: COMMAND starts its adapter
  --js COMMAND       another command for the adapter js; so --cpp and the others
  --limit MS         time that an adapter has for a program (default 60000)
  --findings N       stop after so many different findings (default 10)
  --json             print the result as JSON and nothing else`;

const text = { type: 'string' } as const;

const known = {
  seed: text,
  programs: text,
  minutes: text,
  program: text,
  replay: text,
  run: { type: 'string', multiple: true },
  impl: text,
  ...commandOptions,
  limit: text,
  findings: text,
  json: { type: 'boolean' },
} as const;

export interface FuzzOptions {
  readonly seed: number;
  readonly first: number;
  /** After the last; Infinity if time decides. */
  readonly end: number;
  readonly minutes: number;
  readonly replay?: string;
  readonly run: readonly string[];
  readonly impl?: string;
  readonly commands: Readonly<Record<string, string>>;
  readonly limitMs: number;
  readonly findings: number;
  readonly json: boolean;
}

export function readFuzzOptions(args: readonly string[]): FuzzOptions {
  const values = valuesOf(args, known);
  const minutes = numberOf('minutes', values.minutes, Infinity);
  const programs = numberOf('programs', values.programs, minutes < Infinity ? Infinity : 20_000);
  const [first, end] = rangeOf(values.program) ?? [0, programs];
  return {
    seed: numberOf('seed', values.seed, Math.floor(Math.random() * 2 ** 31)),
    first,
    end,
    minutes,
    ...(values.replay === undefined ? {} : { replay: values.replay }),
    run: values.run ?? [...usual, ...(values.impl === undefined ? [] : ['impl'])],
    ...(values.impl === undefined ? {} : { impl: values.impl }),
    commands: commandsOf(values),
    limitMs: numberOf('limit', values.limit, 60_000),
    findings: numberOf('findings', values.findings, 10),
    json: values.json ?? false,
  };
}

function numberOf(name: string, text: string | undefined, otherwise: number): number {
  const number = text === undefined ? otherwise : Number(text);
  if (number >= 0) return number;
  throw new UsageError(`--${name}: a number from 0 up, not '${text}'`);
}

function rangeOf(text: string | undefined): [first: number, end: number] | undefined {
  if (text === undefined) return undefined;
  const [, first, last] = /^(\d+)(?:-(\d+))?$/.exec(text) ?? [];
  if (first === undefined) throw new UsageError(`--program: K or K-L, not '${text}'`);
  return [Number(first), Number(last ?? first) + 1];
}
