/** Smaller programs than a given one, those first that lose the most. Not all of them are valid. */
import type { Program } from '../case.js';

type Json = unknown;
type Put = (part: Json) => Program;

/** Keys that a program can't be without, or that say nothing. */
const fixed = new Set(['case', 'rules']);

export function* smaller(program: Program): Iterable<Program> {
  const whole: Put = (part) => part as Program;
  yield* shortened(program, whole);
  yield* simpler(program, whole);
}

/** The parts of a part, each with what puts another in its place. */
function* parts(part: Json, put: Put): Iterable<readonly [key: string, part: Json, put: Put]> {
  if (Array.isArray(part)) {
    for (const [i, item] of part.entries()) {
      yield [String(i), item, (other) => put(part.with(i, other))];
    }
  } else if (typeof part === 'object' && part !== null) {
    for (const [key, value] of Object.entries(part)) {
      if (!fixed.has(key)) yield [key, value, (other) => put({ ...part, [key]: other })];
    }
  }
}

/** Without items of a list or keys of an object, outer ones first; many at a time before one at a time. */
function* shortened(part: Json, put: Put): Iterable<Program> {
  if (Array.isArray(part)) {
    for (let size = part.length; size > 0; size = size >> 1) {
      for (let at = 0; at < part.length; at += size) {
        yield put([...part.slice(0, at), ...part.slice(at + size)]);
      }
    }
    for (const [i, item] of part.entries()) {
      for (const inner of listsIn(item)) {
        yield put([...part.slice(0, i), ...inner, ...part.slice(i + 1)]);
      }
    }
  } else if (typeof part === 'object' && part !== null) {
    for (const key of Object.keys(part)) {
      const { [key]: _, ...rest } = part as { [key: string]: Json };
      if (!fixed.has(key)) yield put(rest);
    }
  }
  for (const [, inner, putInner] of parts(part, put)) yield* shortened(inner, putInner);
}

/** What stands in an action may take its place. */
function* listsIn(item: Json): Iterable<Json[]> {
  if (typeof item !== 'object' || item === null || Array.isArray(item)) return;
  for (const value of Object.values(item)) {
    if (Array.isArray(value) && value.length > 0) yield value;
    else if (typeof value === 'object' && value !== null) yield* listsIn(value);
  }
}

/** Smaller numbers, plain steps and values. */
function* simpler(part: Json, put: Put, key = ''): Iterable<Program> {
  for (const other of simplerThan(part, key)) yield put(other);
  for (const [name, inner, putInner] of parts(part, put)) yield* simpler(inner, putInner, name);
}

function* simplerThan(part: Json, key: string): Iterable<Json> {
  if (typeof part === 'number') {
    for (const less of [0, 1, Math.floor(part / 2), part - 1]) {
      if (less >= 0 && less < part) yield less;
    }
  } else if (key === 'info' || key === 'reason') {
    return;
  } else if (typeof part === 'object' && part !== null && !Array.isArray(part)) {
    const [kind, id] = Object.entries(part)[0] ?? [];
    if (typeof id !== 'string' || !steps.has(kind as string)) return;
    const {
      [kind as string]: _,
      do: actions,
      branches,
      catch: handler,
    } = part as {
      [key: string]: Json;
    };
    const body = actions ?? branches;
    yield {
      step: id,
      ...(body === undefined ? {} : { do: body }),
      ...(handler === undefined ? {} : { catch: handler }),
    };
  }
}

/** Forms that a step may take the place of. */
const steps = new Set([
  'loop',
  'repeat',
  'forEach',
  'map',
  'parallel',
  'race',
  'any',
  'sync',
  'shield',
  'retry',
  'hedge',
]);
