// Errors of native steps, as those of JavaScript's.

import { StepError } from 'steptree';
import type { Described } from './binding.js';
import { factsOf } from './engine.js';
import { goesOn, move } from './moved.js';

/** Where in JavaScript's tree the native one begins: the path of the step, and what that is called in both. */
export interface Place {
  path: string;
  name: string;
}

/** The path from JavaScript's root: that of the step, then what lies inside of it. */
export function joined({ path, name }: Place, inside: string): string {
  const at = inside === name || inside.startsWith(`${name}/`) ? 0 : inside.indexOf(`/${name}`) + 1;
  const rest = at > 0 || inside.startsWith(name) ? inside.slice(at + name.length) : '';
  return path + rest;
}

/** With what is behind it. The innermost is made first: there are no calls inside of calls for causes. */
export function errorOf(described: Described, place: Place | null, isRaised = true): Error {
  const chain: Described[] = [];
  let at: Described | undefined = described;
  for (; at !== undefined; at = at.object ? undefined : at.cause) chain.push(at);
  let error: Error | undefined;
  for (at = chain.pop(); at !== undefined; at = chain.pop())
    error = oneOf(at, error, place, isRaised && chain.length === 0);
  return error!;
}

/** `isRaised`: it's what the step is about to fail with. */
function oneOf(
  described: Described,
  cause: Error | undefined,
  place: Place | null,
  isRaised: boolean,
): Error {
  const { code, info, path, foreign, retry_after, guard, waits, also } = described;
  const isKnown = place !== null && path !== '';
  if (described.object !== undefined) {
    const later = (also ?? []).map((each) => errorOf(each, place, false));
    if (isKnown) move(described.object, joined(place, path), later);
    return isRaised && isKnown ? again(described.object, code) : described.object;
  }
  if (foreign) {
    const own = code === 'InternalError' ? {} : { code };
    const thrown = Object.assign(new Error(info, cause && { cause }), own);
    if (!isRaised || !isKnown) return thrown;
    const record = new StepError(code, info, thrown);
    factsOf(record).foreign = thrown;
    factsOf(record).from = joined(place, path);
    return record;
  }
  const error = new StepError(code, info, cause);
  if (isKnown) factsOf(error)[isRaised ? 'from' : 'origin'] = joined(place, path);
  if (retry_after !== undefined) error.retry_after = retry_after;
  if (guard !== undefined) error.guard = guard;
  if (waits !== undefined) error.waits = place === null ? waits : waitsAt(place, waits);
  if (also !== undefined) error.also = also.map((later) => errorOf(later, place, false));
  return error;
}

/** An error of a service goes on as what it was. */
function again(object: Error, code: string): Error {
  const inner = StepError.of(object);
  const record = new StepError(code, inner?.info ?? object.message, object);
  const facts = factsOf(record);
  facts.from = inner?.path ?? '';
  facts.later = (inner && factsOf(inner).later) ?? null;
  if (inner) goesOn(inner, record);
  if (inner !== object) {
    facts.foreign = object;
    return record;
  }
  const {
    code: _,
    info: __,
    path: ___,
    stack: ____,
    ...more
  } = Object.getOwnPropertyDescriptors(object);
  delete record.cause;
  return Object.defineProperties(record, more as PropertyDescriptorMap);
}

/** The text begins with the path of what waits: spec/timeout.md. */
function waitsAt({ path, name }: Place, waits: string): string {
  const at = waits.indexOf(name);
  return at < 0 ? waits : path + waits.slice(at + name.length);
}
