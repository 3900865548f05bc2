// Errors of native steps, as those of JavaScript's.

import { StepError } from 'steptree';
import type { Described } from './binding.js';

/** Where in JavaScript's tree the native one begins: the path of the step, and what that is called in both. */
export interface Place {
  path: string;
  name: string;
}

/** The path from JavaScript's root: that of the step, then what lies inside of it. */
function joined({ path, name }: Place, inside: string): string {
  if (name === '') return `${path}/${inside}`;
  const at = inside === name || inside.startsWith(`${name}/`) ? 0 : inside.indexOf(`/${name}`) + 1;
  const rest = at > 0 || inside.startsWith(name) ? inside.slice(at + name.length) : '';
  return path + rest;
}

/** With what is behind it. The innermost is made first: there are no calls inside of calls for causes. */
export function errorOf(described: Described, place: Place | null): Error {
  const chain: Described[] = [];
  for (let at: Described | undefined = described; at !== undefined; at = at.cause) chain.push(at);
  let error: Error | undefined;
  for (let at = chain.pop(); at !== undefined; at = chain.pop()) error = oneOf(at, error, place);
  return error!;
}

function oneOf(described: Described, cause: Error | undefined, place: Place | null): Error {
  const { code, info, path, foreign, retry_after, guard, waits, also } = described;
  if (foreign)
    return Object.assign(
      new Error(info, cause && { cause }),
      code === 'InternalError' ? {} : { code },
    );
  const error = new StepError(code, info, cause);
  if (place !== null && path !== '') error.path = joined(place, path);
  if (retry_after !== undefined) error.retry_after = retry_after;
  if (guard !== undefined) error.guard = guard;
  if (waits !== undefined) error.waits = waits;
  if (also !== undefined) error.also = also.map((later) => errorOf(later, place));
  return error;
}
