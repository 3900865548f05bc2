// How an error is shown: with those beside it (`also`) and before it (`cause`), each once, and not more than a few, as a chain may be long,
// or a circle.

import { inNode } from './context.js';
import { describe, errorPath, factsOf, StepError } from './error.js';

const MOST = 16;

/** What some consoles ask an object for. */
type Inspect = (value: unknown, options: object) => string;

/** Gives the errors of a class what consoles and threads ask for: a class with computed names is one that no bundler drops. */
export function printable<C extends { readonly prototype: object }>(what: C): C {
  const { prototype } = what;
  assign(prototype, Symbol.toStringTag, 'Error');
  if (inNode) assign(prototype, Symbol.for('nodejs.util.inspect.custom'), inspected);
  return what;
}

/** The `stack` that an error has itself. */
const STACK: PropertyDescriptor = {
  configurable: true,
  get(this: StepError) {
    return StepError.is(this) ? withOthers(ownText(this), this) : `${this}`;
  },
  set(this: StepError, text: unknown) {
    assign(this, 'stack', text);
  },
};

/** A program may change what an error says, as it may with every error. */
export function assign(error: object, name: string | symbol, value: unknown): void {
  Object.defineProperty(error, name, { value, writable: true, configurable: true });
}

/** The same once more, for what is to differ. */
export function copyOf(error: object): object {
  const fields = Object.getOwnPropertyDescriptors(error as Error);
  const { stack } = error as Error;
  Object.assign(fields, { stack: { value: stack, writable: true, configurable: true } });
  return Object.create(Object.getPrototypeOf(error), fields);
}

/** Has a `stack` of its own from now on. */
export function own(error: StepError): StepError {
  try {
    if (!Object.hasOwn(error, 'stack')) Object.defineProperty(error, 'stack', STACK);
  } catch {
    // Frozen by the program.
  }
  return error;
}

/** What an error says of itself: its name and message, where it was raised, the frames that were kept. */
function ownText(error: StepError): string {
  const { path } = error;
  const stack = factsOf(error).frames?.stack;
  const lines = typeof stack === 'string' ? stack.split('\n') : [];
  lines[0] = path === '' ? `${error}` : `${error}\n    at step ${path}`;
  return lines.join('\n');
}

/** The text, and under it those of the others. */
function withOthers(text: string, error: object, seen = new Set<unknown>([error])): string {
  let all = text;
  for (const [word, other] of othersOf(error, seen)) {
    const indented = textOf(other, seen).replaceAll('\n', '\n    ');
    all += `\n    ${word}: ${indented}`;
  }
  return all;
}

function textOf(error: unknown, seen: Set<unknown>): string {
  try {
    if (StepError.is(error)) return withOthers(ownText(error), error, seen);
    if (!isError(error)) return describe(error);
    return withOthers(typeof error.stack === 'string' ? error.stack : `${error}`, error, seen);
  } catch {
    return 'unreadable';
  }
}

/** For JSON: the same as plain data. */
export function plain(error: object, seen = new Set<unknown>([error])): object {
  const data: Record<string, unknown> = {};
  try {
    const { name, message } = error as Error;
    Object.assign(data, { name, message, ...error });
    const path = StepError.is(error) ? errorPath(error) : '';
    if (path !== '') data['path'] = path;
    delete data['stack'];
    delete data['cause'];
    if (Array.isArray(data['also'])) delete data['also'];
    for (const [word, other] of othersOf(error, seen)) {
      const value = isError(other) ? plain(other, seen) : other;
      if (word === 'cause') data['cause'] = value;
      else ((data['also'] ??= []) as unknown[]).push(value);
    }
  } catch {
    // It can't be read.
  }
  return data;
}

/** For a console: its text, and the fields that are not in it. */
function inspected(this: StepError, depth: number, options: object, inspect: Inspect): string {
  if (depth < 0) return `[${this}]`;
  const { message: _, cause: __, also: ___, ...own } = this as Partial<StepError>;
  return `${this.stack} ${inspect(own, options)}`;
}

function isError(value: unknown): value is Error {
  return value instanceof Error || StepError.is(value);
}

/** Those that were not seen yet, each with what it is to the error. */
function* othersOf(error: object, seen: Set<unknown>): Iterable<[string, unknown]> {
  const { also, cause } = error as { also?: unknown; cause?: unknown };
  const others: [string, unknown][] = Array.isArray(also) ? also.map((each) => ['also', each]) : [];
  if (cause !== undefined) others.push(['cause', cause]);
  for (const other of others) {
    if (seen.has(other[1]) || seen.size >= MOST) continue;
    seen.add(other[1]);
    yield other;
  }
}
