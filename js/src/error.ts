// An error is a value in the engine: one StepError a raise, which is the record of its unwinding too. What a program threw
// that is not ours stays what it is: the record carries it (`foreign`) and shows it as `exception`.
//
// A StepError captures no native stack, unless it's asked to: that costs 300 times its price, and the step path says more. It is no
// instance that the Error constructor made, which would cost ten times its price, but inherits from it, so `instanceof Error`, printing
// and matching work. Node says nothing of an error without a `stack` of its own, so it gets one, which is made when it's read, before
// the program is shown it; that costs too much for errors which nobody sees.

import { errors } from './codes.js';
import { inNode } from './context.js';
import type { Code } from './declared.js';
import { assign, own, plain, printable } from './errortext.js';
import { heirOf } from './heir.js';
import type { Step } from './step.js';
import { describe, isObject, tagOf } from './portable.js';
import { viewed } from './view.js';

let orders = 0;

/** The records of exceptions that aren't ours, with which flows have failed. To keep all that are thrown would cost as much as to throw them. */
export const records = /* @__PURE__ */ new WeakMap<object, StepError>();

/** Errors are numbered as they are raised. */
export function nextOrder(): number {
  return ++orders;
}

/** What the runtime knows of an error, and the program doesn't see. */
class Facts {
  /** Where it was raised. */
  declare origin: Step | string | null;
  /** The same, if that lies inside of the step which raises it: it's one of another runtime. */
  declare from?: string;
  declare order: number;
  /** What was thrown, if it was not this error. */
  declare foreign: object | undefined;
  /** That it is the same as, for another unwinding. */
  declare source: StepError | null;
  /** Its `also`. */
  declare later: StepError[] | null;
  declare frames: { stack?: unknown } | null;
  /** The step wasn't in the phase for the call: only set then. */
  declare invalid?: boolean;

  constructor() {
    this.origin = null;
    this.order = 0;
    this.foreign = undefined;
    this.source = this.later = this.frames = null;
  }
}

class StepError {
  declare readonly code: Code;
  declare readonly info: string;
  /** What it was made from: the native exception, or the error that a handler replaced. */
  declare cause?: unknown;
  /** Of a `DefenseRejected` by a throttle, or by a breaker that is open or opens: in how many milliseconds it lets the next one in. */
  declare retry_after?: number;
  /**
   * The name of the guard or channel that has refused: of a `DefenseRejected`, `Deadlock` or `Closed` by one of the runtime, of a
   * `RedisFailed` or `LeaseLost` by one over Redis; `''`: it has none. `undefined` of all other errors. A guard of your own may set both. [sync-172, channel-43]
   */
  declare guard?: string;
  /**
   * Of a timeout: what was waited for, `0/|cart sync: waits for mutex "db", and 2 more`: the first line in add order that did, and how many
   * others. `undefined`: nothing was. In browsers only if the program has `snapshotText`. Guide: docs/hangs.md
   */
  declare waits?: string;
  /**
   * Name, message, path, the frames if they were kept (`captureStacks` of a flow), then `also` and `cause`, each with its own. It's made
   * when it's read.
   */
  declare stack: string;
  readonly #facts = new Facts();

  /** Whether it is a StepError; asks nothing of a hostile object. */
  static is(value: unknown): value is StepError {
    return typeof value === 'object' && value !== null && #facts in value;
  }

  /** @internal Doesn't ask its prototype, which may be another one by now. */
  static facts(error: StepError): Facts {
    return error.#facts;
  }

  /**
   * The StepError of any error that a flow has failed with, or fails with in a handler: that very error, or what the runtime knows of
   * one that isn't ours, its `code`, `info`, `path`, `also`. Of one that several flows share, that of the last. `undefined` for others.
   *
   *     flow.promise().catch((error) => log(error, StepError.of(error)?.path));
   */
  static of(error: unknown): StepError | undefined {
    if (ErrorHeir.is(error)) return error;
    const inView = viewed !== null && exceptionOf(viewed) === error ? viewed : undefined;
    const record = inView ?? records.get(error as object);
    return record && own(placed(record));
  }

  constructor(code: Code, info?: string, cause?: unknown);
  /** @internal Bare: it isn't shown to anybody yet. */
  constructor(code: Code, info: string | undefined, cause: unknown, bare: boolean);
  constructor(code: string, info = '', cause?: unknown, bare = false) {
    this.code = code;
    this.info = info;
    if (cause !== undefined) this.cause = cause;
    if (!bare) own(this);
  }

  get name(): string {
    return 'StepError';
  }

  set name(text: string) {
    assign(this, 'name', text);
  }

  get message(): string {
    return `${this.code}${this.info && `: ${this.info}`}`;
  }

  set message(text: string) {
    assign(this, 'message', text);
  }

  /** From the root: `page/1/|carts/#2` is step 1 of `page`, branch `carts`, round 2; '' if no step has raised it yet. [error-30] */
  get path(): string {
    return errorPath(this);
  }

  set path(path: string) {
    assign(this, 'path', path);
  }

  /** Errors of the same closing that were not the first, in event order; before them what it replaced in a handler, if that isn't its cause. */
  get also(): unknown[] {
    const later = this.#facts.later ?? [];
    return later.sort((a, b) => a.#facts.order - b.#facts.order).map(exceptionOf);
  }

  set also(also: unknown[]) {
    assign(this, 'also', also);
  }

  /** Name, message, code, info, path, and the same of `also` and `cause`. What JSON can't take is only named. */
  toJSON(): object | string {
    return plain(this);
  }
}

/**
 * An error with a code, raised by a step or by the runtime. It's an `instanceof Error`, but none for `Error.isError`, `structuredClone` and
 * `postMessage`: they give `{ code, info }`. Guide: docs/errors.md
 *
 *     throw new StepError('NotFound', `no user ${id}`);
 */
const ErrorHeir = /* @__PURE__ */ printable(/* @__PURE__ */ heirOf(Error, StepError));
type ErrorHeir = StepError;
export { ErrorHeir as StepError };

export function factsOf(error: StepError): Facts {
  return ErrorHeir.facts(error);
}

/** It was raised there, as the n-th error of its flow. */
export function raiseAt(error: StepError, where: Step | string | null, order: number): StepError {
  const facts = factsOf(error);
  facts.origin ??= (inNode && facts.from) || where;
  facts.order = order;
  return error;
}

/**
 * Keeps the path and lets go of the step, and with it of the flow. Whatever shows the error to the program does this before, as
 * somebody may keep it then; an error that nobody gets to see needs no path.
 */
export function placed(error: StepError): StepError {
  const facts = factsOf(error);
  const { origin } = facts;
  if (isObject(origin)) facts.origin = (origin as Step).toPath();
  return error;
}

/** Empty if no step has raised it. */
export function errorPath(error: StepError): string {
  return (factsOf(placed(error)).origin as string | null) ?? '';
}

/** What user code is shown: what was thrown, if it was not this object. */
export function exceptionOf(error: StepError): object {
  return factsOf(error).foreign ?? own(placed(error));
}

/** Keeps the frames of the call. */
export function capture(error: StepError, above: unknown): StepError {
  const { captureStackTrace } = Error as {
    captureStackTrace?: (target: object, above: unknown) => void;
  };
  captureStackTrace?.((factsOf(error).frames = {}), above);
  return error;
}

/** A new error, raised by a step. */
export function raisedBy(
  step: Step | null,
  code: string,
  info?: string,
  cause?: unknown,
): StepError {
  return raiseAt(newError(code, info, cause), step, nextOrder());
}

/** One that nobody has been shown. */
export function newError(code: string, info?: string, cause?: unknown): StepError {
  return new ErrorHeir(code, info, cause, true);
}

/**
 * What `breakLoop` and `continueLoop` throw to leave a body. No error: swallowing it changes nothing, since the step has taken note before.
 * Guide: docs/errors.md
 *
 *     if (LoopControl.is(thrown)) throw thrown; // of a `catch` around calls of the accessor
 */
export class LoopControl {
  /** Which of both. */
  declare readonly action: 'break' | 'continue';
  readonly #loop: Step;

  /** Whether it is such a signal; asks nothing of a hostile object. */
  static is(value: unknown): value is LoopControl {
    return typeof value === 'object' && value !== null && #loop in value;
  }

  /** For the runtime. */
  constructor(action: 'break' | 'continue', loop: Step) {
    this.action = action;
    this.#loop = loop;
  }

  /** @internal The step of the loop that is meant. */
  get loop(): Step {
    return this.#loop;
  }
}

export type Failure = StepError | LoopControl;

/** An `InternalError` for the caller that made a mistake, with a native stack: it's a bug that somebody will look for. */
export function misuse(info: string, cause?: unknown): StepError {
  return capture(new ErrorHeir(errors.InternalError, info, cause), misuse);
}

/** For the caller whose step isn't in the phase for it: perhaps because it was left. */
export function invalidUse(info: string): StepError {
  const error = misuse(info);
  factsOf(error).invalid = true;
  return error;
}

export function isInvalidUse(reason: unknown): boolean {
  return StepError.is(reason) && !!factsOf(reason).invalid;
}

/** Throws the `InternalError` for an argument: what was expected and what came. */
export function badArgument(call: string, expected: string, actual: unknown): never {
  throw misuse(`${call}: expected ${expected}, got ${describe(actual)}`);
}

export function checkFunction(call: string, fn: unknown, what = 'a function'): void {
  if (typeof fn !== 'function') badArgument(call, what, fn);
}

export function checkBoolean(name: string, value: unknown): void {
  if (typeof value !== 'boolean') badArgument(name, 'true or false', value);
}

export function checkCount(name: string, value: unknown, least: 0 | 1): number {
  if (!Number.isSafeInteger(value) || (value as number) < least)
    badArgument(name, `a count of ${least} or more`, value);
  return value as number;
}

/**
 * What is given has a name that is `known`, of words with a space between them: a limit that is misspelt would be none. A signal or an
 * error in the place of options has no own names.
 */
export function checkOptions<T>(call: string, options: T, known?: string): T {
  const tag = tagOf(options);
  if (tag !== '[object Object]') badArgument(call, 'options', isObject(options) ? tag : options);
  if (known === undefined) return options;
  const keys = Object.keys(options as object); // a proxy's own code, which may come here again
  if (known !== lastKnown) words = (lastKnown = known).split(' ');
  for (const key of keys) if (!words.includes(key)) badArgument(call, `one of ${known}`, key);
  return options;
}

/** The names that were asked for last: to split them for each call is 10 % of `request3`. */
let words: string[] = [];
let lastKnown: string;

/** No label is the empty one. */
export function checkLabel(call: string, label: unknown): string {
  if (label === undefined) return '';
  if (typeof label !== 'string') badArgument(call, 'a string as label', label);
  return label;
}

export function checkCode(call: string, code: unknown): void {
  if (!isCode(code)) badArgument(call, 'a code', code);
}

export function isCode(code: unknown): code is string {
  return typeof code === 'string' && code !== '';
}

/** The code, whatever the program has made of an error that it was shown. */
export function codeOf(error: StepError): string {
  try {
    const { code } = error;
    if (isCode(code)) return code;
  } catch {
    // It can't be read any more.
  }
  return errors.InternalError;
}
