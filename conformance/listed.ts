/** The implementations of implementations.yaml, and for each an option by which the command line has another command for it. */
import { readFileSync } from 'node:fs';
import { parse } from 'yaml';

interface Listed {
  readonly command: string;
  readonly build?: string;
  /** Run if it's named: it needs what not every machine has. */
  readonly asked?: boolean;
}

const path = new URL('implementations.yaml', import.meta.url);
export const listed = parse(readFileSync(path, 'utf8')) as Readonly<Record<string, Listed>>;
export const adapters = Object.keys(listed);

type Texts = { readonly [name: string]: { readonly type: 'string' } };
export const commandOptions: Texts = Object.fromEntries(
  adapters.map((name) => [name, { type: 'string' }]),
);

/** Those that were given, among the values of all options. */
export function commandsOf(values: { readonly [name: string]: unknown }): Record<string, string> {
  const given = adapters.filter((name) => values[name] !== undefined);
  return Object.fromEntries(given.map((name) => [name, values[name] as string]));
}
