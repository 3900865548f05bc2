/** The command line of the runner. */
import { adapters, commandOptions, commandsOf } from './listed.js';
import { UsageError, valuesOf } from './commandline.js';

export const usage = `usage: npm run conformance -- [options]
  --only TEXT        only cases whose name or file's name contains TEXT
  --case NAME        only the case of exactly this name
  --impl COMMAND     a further implementation: COMMAND starts its adapter
  --run NAME         only this implementation: ${adapters.join(', ')}, or impl for that of --impl (repeatable)
  --js COMMAND       another command for the adapter js, which is not built then; so --cpp and the others
  --limit MS         time that an adapter has for a case (default 20000)
  --json             print the result as JSON and nothing else`;

const text = { type: 'string' } as const;

const known = {
  only: text,
  case: text,
  impl: text,
  run: { type: 'string', multiple: true },
  ...commandOptions,
  limit: text,
  json: { type: 'boolean' },
} as const;

export interface Options {
  readonly only?: string;
  readonly case?: string;
  readonly impl?: string;
  readonly run: readonly string[];
  readonly commands: Readonly<Record<string, string>>;
  readonly limitMs: number;
  readonly json: boolean;
}

export function readOptions(args: readonly string[]): Options {
  const values = valuesOf(args, known);
  const { only, case: name, impl } = values;
  const limitMs = Number(values.limit ?? 20_000);
  if (!(limitMs > 0)) throw new UsageError(`--limit: a number above 0, not '${values.limit}'`);
  return {
    ...(only === undefined ? {} : { only }),
    ...(name === undefined ? {} : { case: name }),
    ...(impl === undefined ? {} : { impl }),
    run: values.run ?? [],
    commands: commandsOf(values),
    limitMs,
    json: values.json ?? false,
  };
}
