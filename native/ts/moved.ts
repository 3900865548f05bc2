// The error of a service's flow goes on in the flow that has called: its paths begin at that one's root from then on.

import { errors, StepError } from 'steptree';
import { factsOf } from './engine.js';

/** With which error of a flow others went. A cause that a program keeps and gives to many goes once. */
const movedWith = new WeakMap<StepError, StepError>();

/** What an error was before it went on as one of the flow around. */
const sourceOf = new WeakMap<StepError, StepError>();

export function goesOn(error: StepError, as: StepError): void {
  sourceOf.set(as, error);
}

/** `path`: of the native step that the service was to. `later`: what that step failed with besides. */
export function move(object: Error, path: string, later: readonly Error[]): void {
  const error = StepError.of(object);
  if (error === undefined || movedWith.get(error) === error) return;
  const [root] = error.path.split('/', 1) as [string];
  const isInside = (text: unknown): text is string =>
    typeof text === 'string' && (text === root || text.startsWith(`${root}/`));
  const next: unknown[] = [error];
  const seen = new Set<unknown>();
  for (let at = next.pop(); at !== undefined; at = next.pop()) {
    if (!StepError.is(at) || seen.has(at)) continue;
    seen.add(at);
    next.push(at.cause, ...(factsOf(at).later ?? []));
    if (at !== error && isKept(at, seen)) continue;
    movedWith.set(at, error);
    if (isInside(at.path)) factsOf(at).origin = path + at.path.slice(root.length);
    const { waits } = at;
    if (typeof waits === 'string' && isInside(waits.split(' ', 1)[0]))
      at.waits = path + waits.slice(root.length);
  }
  if (later.length > 0) join(error, later);
}

/** It went with another error, which none of these was. */
function isKept(error: StepError, seen: ReadonlySet<unknown>): boolean {
  const before = movedWith.get(error);
  if (before === undefined) return false;
  for (const one of seen) if (sourceOf.get(one as StepError) === before) return false;
  return true;
}

/** They come last. */
function join(error: StepError, later: readonly Error[]): void {
  const facts = factsOf(error);
  const all = facts.later ?? [];
  const order = Math.max(facts.order, ...all.map((one) => factsOf(one).order));
  const joined = later.map((one) => {
    const record = StepError.of(one) ?? recordOf(one);
    factsOf(record).order ||= order;
    return record;
  });
  facts.later = [...all, ...joined];
}

function recordOf(foreign: Error): StepError {
  const { code = errors.InternalError } = foreign as { code?: string };
  const record = new StepError(code, foreign.message, foreign);
  factsOf(record).foreign = foreign;
  return record;
}
