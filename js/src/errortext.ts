// How an error is shown: with those beside it (`also`) and before it (`cause`), each once, and not more than a few, as a chain may be long,
// or a circle.

import { inNode } from './context.js';
import type { StepError } from './error.js';
import { describe, isError } from './portable.js';

const MOST = 16;

/** What Node's consoles ask an object for. */
export const INSPECT = /* @__PURE__ */ Symbol.for('nodejs.util.inspect.custom');

/** What some consoles ask an object for. */
type Inspect = (value: unknown, options: object) => string;

/** The class of our errors. It needs this file, so it's no import. */
interface OurErrors {
  readonly prototype: object;
  is(value: unknown): value is StepError;
  facts(error: StepError): { readonly frames: { stack?: unknown } | null };
}
let ours: OurErrors;

/** Gives the errors of a class what consoles and threads ask for: a class with computed names is one that no bundler drops. */
export function printable<C extends OurErrors>(what: C): C {
  ours = what;
  assign(what.prototype, Symbol.toStringTag, 'Error');
  if (inNode) assign(what.prototype, INSPECT, inspected);
  return what;
}

/** The `stack` that an error has itself. */
const STACK: PropertyDescriptor = {
  configurable: true,
  get(this: StepError) {
    return ours.is(this) ? written(this) : `${this}`;
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
  const lines = `${ours.facts(error).frames?.stack}`.split('\n');
  lines[0] = `${error}${path && `\n    at step ${path}`}`;
  return lines.join('\n');
}

/** The text, and under it those of the others. */
function withOthers(text: string, error: object, seen: Set<unknown>): string {
  let all = text;
  for (const [word, other] of othersOf(error, seen)) {
    const indented = written(other, seen).replaceAll('\n', '\n    ');
    all += `\n    ${word}: ${indented}`;
  }
  return all;
}

function written(error: unknown, seen = new Set([error])): string {
  try {
    if (ours.is(error)) return withOthers(ownText(error), error, seen);
    if (!isError(error)) return describe(error);
    return withOthers(`${error.stack || error}`, error, seen);
  } catch {
    return 'unreadable';
  }
}

/** While JSON is made of what hangs on an error: that may lead back to it. */
let inside = false;

/** For JSON: the same as plain data; inside of another one its name and message. */
export function plain(error: any, seen = new Set<unknown>([error])): object | string {
  if (inside) return `${error}`;
  const data: Record<string, unknown> = {};
  let also: unknown[] = [];
  try {
    for (const name of ['name', 'message', ...Object.keys(error), 'path'])
      data[name] = json(error, name);
    data['path'] ||= undefined;
    for (const [word, other] of othersOf(error, seen)) {
      const value = isError(other) ? plain(other, seen) : json([other], 0);
      data[word] = word === 'also' ? (also = [...also, value]) : value;
    }
  } catch {
    // It can't be read.
  }
  return data;
}

/** As it comes from JSON. What that can't take is only named. */
function json(from: any, name: string | number): unknown {
  let value: unknown = 'unreadable';
  inside = true;
  try {
    value = from[name];
    ({ value } = JSON.parse(JSON.stringify({ value })));
  } catch {
    value = describe(value);
  }
  inside = false;
  return value;
}

/** For a console: its text, and the fields that are not in it. */
function inspected(this: StepError, depth: number, options: object, inspect: Inspect): string {
  if (depth < 0) return `[${this}]`;
  const { message: _, cause: __, also: ___, ...own } = this as Partial<StepError>;
  return `${placedStack(this)} ${inspect(own, options)}`;
}

/** Node's `fetch` puts frames of its own in the place of those of what it rejects with, `signal.reason` too: the path stands below them. */
function placedStack({ stack, path }: StepError): string {
  const place = `\n    at step ${path}`;
  return path === '' || `${stack}`.includes(place) ? stack : stack + place;
}

/** Those that were not seen yet, each with what it is to the error. */
function othersOf(error: object, seen: Set<unknown>): [string, unknown][] {
  const { also, cause } = error as { also?: unknown; cause?: unknown };
  const others: [string, unknown][] = Array.isArray(also) ? also.map((each) => ['also', each]) : [];
  others.push(['cause', cause]);
  return others.filter(
    ([, other]) => other !== undefined && seen.size < MOST && seen.size < seen.add(other).size,
  );
}
