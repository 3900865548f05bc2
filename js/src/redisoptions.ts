// What is wrong with the arguments of a call of `steptree/redis`, said at the call.

import { errors, type Part, type Step, StepError, step } from './index.js';
import { describe, tagOf } from './portable.js';
import type { RedisConnection } from './redisconnection.js';

export function mistake(what: string): StepError {
  return new StepError(errors.InternalError, what);
}

/** What was given instead of what was expected. */
export function expected(call: string, what: string, given: unknown): StepError {
  return mistake(`${call}: expected ${what}, got ${describe(given)}`);
}

/** The first argument of all that is over Redis. */
export function checkConnection(call: string, given: RedisConnection): RedisConnection {
  const { script, channel } = Object(given) as Partial<RedisConnection>;
  if (typeof script === 'function' && typeof channel === 'object') return given;
  throw expected(call, 'a RedisConnection', given);
}

/** What takes work of a connection that is closed would get none. */
export function checkOpen(call: string, { whyClosed }: RedisConnection): void {
  if (whyClosed) throw new StepError(errors.Closed, `${call}: ${whyClosed}`);
}

/** `known`: their names, with blanks between. */
export function checkNames<T extends object>(call: string, options: T, known: string): T {
  if (typeof options !== 'object' || options === null) throw expected(call, 'options', options);
  for (const key of Object.keys(options))
    if (!known.split(' ').includes(key))
      throw mistake(`${call}: expected one of ${known}, got '${key}'`);
  return options;
}

/** What is called for a job or a call: a step value or a body, which finds these. */
export function handlerIn<A extends unknown[]>(call: string, given: Part<A, unknown>): Step {
  const kind = Array.isArray(given) ? 'a list' : tagOf(given).slice('[object '.length, -1);
  if (/Generator/.test(kind)) throw mistake(`${call}: expected no generator function`);
  try {
    return step(given) as unknown as Step;
  } catch {
    const got = kind === 'a list' ? kind : describe(given);
    throw mistake(`${call}: expected a function or a step, got ${got}`);
  }
}

/** A number of milliseconds, places, attempts: from `least` up to `most`. */
export function numberIn(what: string, given: unknown, least: number, most: number): number {
  if (typeof given === 'number' && given >= least && given <= most) return given;
  const range = most === Infinity ? `${least} or more` : `from ${least} to ${most}`;
  throw mistake(`${what}: expected a number, ${range}, got ${describe(given)}`);
}

/** One that counts. */
export function wholeIn(what: string, given: unknown, least: number, most: number): number {
  const number = numberIn(what, given, least, most);
  if (Number.isInteger(number) || number === Infinity) return number;
  throw mistake(`${what}: expected a whole number, got ${number}`);
}
