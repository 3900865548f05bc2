// An error is a value in the engine: one StepError a raise, which is the record of its unwinding too. What a program threw
// that is not ours stays what it is: the record carries it (`foreign`) and shows it as `exception`.
//
// A StepError captures no native stack, unless it's asked to: that costs 300 times its price, and the step path says more. It is no
// instance that the Error constructor made, which would cost ten times its price, but inherits from it, so `instanceof Error`, printing
// and matching work. Node says nothing of an error without a `stack` of its own, so it gets one, which is made when it's read, before
// the program is shown it; that costs too much for errors which nobody sees.

import { errors } from './codes.js';
import { assign, copyOf, own, ownText, plain, printable, withOthers } from './errortext.js';
import { heirOf } from './heir.js';
import { pathOf } from './path.js';
import { viewedAs } from './state.js';
import type { Step } from './step.js';

let orders = 0;

/** The records of exceptions that aren't ours, with which flows have failed. To keep all that are thrown would cost as much as to throw them. */
const records = /* @__PURE__ */ new WeakMap<object, StepError>();
/** Whose `also` such an exception shows. */
const shown = /* @__PURE__ */ new WeakMap<object, StepError>();

/** Loop control is no error. */
export function errorOf(failure: Failure): StepError | null {
  return StepError.is(failure) ? failure : null;
}

/** Errors are numbered as they are raised. */
export function nextOrder(): number {
  return ++orders;
}

class StepError {
  declare readonly code: string;
  declare readonly info: string;
  /** What it was made from: the native exception, or the error that a handler replaced. */
  declare cause?: unknown;
  /** Of a `DefenseRejected` by a throttle: in how many milliseconds it lets the next one in. */
  declare retry_after?: number;
  /**
   * Name, message, path, the frames if they were kept (`captureStacks` of a flow), then `also` and `cause`, each with its own. It's made
   * when it's read.
   */
  declare stack: string;
  #origin: Step | string | null = null;
  #order = 0;
  #foreign: unknown = undefined;
  #source: StepError | null = null;
  #later: StepError[] | null = null;
  #frames: { stack?: unknown } | null = null;

  /** Whether it is a StepError; asks nothing of a hostile object. */
  static is(value: unknown): value is StepError {
    return typeof value === 'object' && value !== null && #origin in value;
  }

  /**
   * The StepError of any error that a flow has failed with, or fails with in a handler: that very error, or what the runtime knows of
   * one that isn't ours, its `code`, `info`, `path`, `also`. Of one that several flows share, that of the last. `undefined` for others.
   *
   *     flow.promise().catch((error) => log(error, StepError.of(error)?.path));
   */
  static of(error: unknown): StepError | undefined {
    if (ErrorHeir.is(error)) return error;
    const record = viewedAs(error) ?? records.get(error as object);
    return record && own(ErrorHeir.place(record));
  }

  constructor(code: string, info?: string, cause?: unknown);
  /** @internal Bare: it isn't shown to anybody yet. */
  constructor(code: string, info: string | undefined, cause: unknown, bare: boolean);
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
    return this.info === '' ? this.code : `${this.code}: ${this.info}`;
  }

  set message(text: string) {
    assign(this, 'message', text);
  }

  /** Step names or indices from the root to where it was raised, joined by `/`; '' if no step has raised it yet. */
  get path(): string {
    return ErrorHeir.pathOf(this);
  }

  set path(path: string) {
    assign(this, 'path', path);
  }

  /** Errors of the same closing that were not the first, in event order. */
  get also(): unknown[] {
    return (this.#later ?? []).sort((a, b) => a.#order - b.#order).map(ErrorHeir.exceptionOf);
  }

  set also(also: unknown[]) {
    assign(this, 'also', also);
  }

  /** Name, message, code, info, path, and the same of `also` and `cause`. */
  toJSON(): object {
    return plain(this);
  }

  // What the runtime does with an error that the program was shown doesn't ask its prototype, which may be another one by now. The
  // class has no use for its own name, so that a bundler has none for another one.

  /** @internal It was raised there, as the n-th error of its flow. */
  static raise(error: StepError, where: Step | string | null, order: number): StepError {
    error.#origin ??= where;
    error.#order = order;
    return error;
  }

  /**
   * @internal Keeps the path and lets go of the step, and with it of the flow. Whatever shows the error to the program does this
   * before, as somebody may keep it then; an error that nobody gets to see needs no path.
   */
  static place(error: StepError): StepError {
    const origin = error.#origin;
    if (Object(origin) === origin) error.#origin = pathOf(origin as Step);
    return error;
  }

  /** @internal Empty if no step has raised it. */
  static pathOf(error: StepError): string {
    return (ErrorHeir.place(error).#origin as string | null) ?? '';
  }

  /** @internal What user code is shown: what was thrown, if it was not this object. */
  static exceptionOf(error: StepError): unknown {
    return error.#foreign ?? own(ErrorHeir.place(error));
  }

  /** @internal Keeps the frames of the call. */
  static capture(error: StepError, above: unknown): StepError {
    const { captureStackTrace } = Error as {
      captureStackTrace?: (target: object, above: unknown) => void;
    };
    captureStackTrace?.((error.#frames = {}), above);
    return error;
  }

  /** @internal Its text without the errors beside and before it. */
  static ownText(error: StepError): string {
    const frames = error.#frames;
    return ownText(error, error.path, frames === null ? undefined : frames.stack);
  }

  /** @internal */
  static textOf(error: StepError): string {
    return #origin in error ? withOthers(ErrorHeir.ownText(error), error) : `${error}`;
  }

  /** @internal It stands for something that user code threw, which may have been through an unwinding before; or through those of others. */
  static carry(error: StepError, thrown: unknown, shared = false): StepError {
    error.#foreign = thrown;
    if (Object(thrown) !== thrown) return error;
    const before = shown.get(thrown as object);
    if (before !== undefined && !shared) error.#later = [...before.#later!];
    return error;
  }

  /** @internal A flow has failed with it: what it stands for is found again. */
  static keep(error: StepError): unknown {
    const foreign = error.#foreign;
    if (Object(foreign) === foreign) records.set(foreign as object, ErrorHeir.place(error));
    return ErrorHeir.exceptionOf(error);
  }

  /** @internal It is the same as that one for another unwinding. */
  static repeat(error: StepError, source: StepError): StepError {
    error.#source = source;
    error.#later = source.#later && [...source.#later];
    return error;
  }

  /** @internal Joins a later error to the `also` of the first. */
  static join(first: StepError, later: StepError): void {
    ErrorHeir.place(later);
    first.#later ??= [];
    first.#later.push(later);
    const foreign: any = first.#foreign;
    if (Object(foreign) !== foreign) return;
    const before = shown.get(foreign);
    if (before === undefined || before.#later !== first.#later)
      first.#foreign = showing(first, foreign);
  }

  /** @internal The program has thrown the earlier one once more: they are one error to it. */
  static isAgain(error: StepError, earlier: StepError): boolean {
    const exception = ErrorHeir.exceptionOf(earlier);
    if (error.#source === exception || error.#source === earlier) return true;
    return ErrorHeir.exceptionOf(error) === exception;
  }

  /**
   * @internal A handler has raised the one in the place of the other. If they are the same for the program, so is their `also`.
   * Returns whether the other can be found now.
   */
  static replace(error: StepError, by: StepError): boolean {
    const exception = ErrorHeir.exceptionOf(error);
    if (by.#source === exception || by.#source === error) by.#foreign = exception;
    if (ErrorHeir.exceptionOf(by) === exception) {
      by.#later = error.#later;
      return true;
    }
    const shown = ErrorHeir.is(by.#foreign) ? by.#foreign : by;
    try {
      if ((shown.#foreign ?? shown.cause) === undefined) {
        shown.cause = exception;
        return true;
      }
    } catch {
      // Frozen by the program.
    }
    return false;
  }

  /** @internal The one is the error of an attempt, the other that of the next one. */
  static follow(error: StepError, next: StepError): void {
    if (ErrorHeir.replace(error, next)) return;
    ErrorHeir.join(next, error);
  }
}

/**
 * A foreign exception shows the errors that came after it as ours do. One that shows those of another flow already is two from now on: each
 * flow has its own.
 */
function showing(first: StepError, foreign: object): object {
  try {
    const target = shown.has(foreign) ? copyOf(foreign) : foreign;
    Object.defineProperty(target, 'also', { configurable: true, get: () => first.also });
    shown.set(target, first);
    records.set(target, first);
    return target;
  } catch {
    return foreign; // Frozen, or hostile: then only our own record has them.
  }
}

/** An error with a code, raised by a step or by the runtime. */
const ErrorHeir = /* @__PURE__ */ printable(/* @__PURE__ */ heirOf(Error, StepError));
type ErrorHeir = StepError;
export { ErrorHeir as StepError };

/** A new error, raised by a step. */
export function raisedBy(
  step: Step | null,
  code: string,
  info?: string,
  cause?: unknown,
): StepError {
  return StepError.raise(newError(code, info, cause), step, nextOrder());
}

/** One that nobody has been shown. */
export function newError(code: string, info?: string, cause?: unknown): StepError {
  return new ErrorHeir(code, info, cause, true);
}

/** What `breakLoop` and `continueLoop` throw to leave a body. */
export class LoopControl {
  declare readonly action: 'break' | 'continue';
  readonly #loop: Step;

  /** Whether it is such a signal; asks nothing of a hostile object. */
  static is(value: unknown): value is LoopControl {
    return typeof value === 'object' && value !== null && #loop in value;
  }

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
export function misuse(info: string): StepError {
  return StepError.capture(new ErrorHeir(errors.InternalError, info), misuse);
}

const invalid = /* @__PURE__ */ new WeakSet<object>();

/** For the caller whose step isn't in the phase for it: perhaps because it was left. */
export function invalidUse(info: string): StepError {
  const error = StepError.capture(new ErrorHeir(errors.InternalError, info), invalidUse);
  invalid.add(error);
  return error;
}

export function isInvalidUse(reason: unknown): boolean {
  return invalid.has(reason as object);
}

/** Throws the `InternalError` for an argument: what was expected and what came. */
export function badArgument(call: string, expected: string, actual: unknown): never {
  throw misuse(`${call}: expected ${expected}, got ${describe(actual)}`);
}

export function checkOptions<T>(call: string, options: T): T {
  return Object(options) === options ? options : badArgument(call, 'options', options);
}

/** No label is the empty one. */
export function checkLabel(call: string, label: unknown): string {
  if (label === undefined) return '';
  if (typeof label !== 'string') badArgument(call, 'a string as label', label);
  return label;
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

export function describe(value: unknown): string {
  if (typeof value === 'string') return `'${value}'`;
  return Object(value) === value ? typeof value : String(value);
}
