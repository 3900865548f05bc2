// A step is its own accessor: one object, valid in some of its phases.
//
// Every call asks the phase first. In a body, in a pending awaitable and in a handler calls latch and `error`, `break` and
// `continue` throw, to leave the body. On a waiting step they claim and throw nothing. Everywhere else they throw
// `InternalError` at their caller and leave the tree alone.

import { add, addAwait, addLoop, addRelinquish, addSection, addValues } from './adder.js';
import { type Completion, completionOf } from './completion.js';
import { checkCode, checkFunction, type Failure, placed, StepError } from './error.js';
import type { Guard } from './guard.js';
import { heirOf } from './heir.js';
import type {
  Body,
  CancelHandler,
  Deferred,
  EachBody,
  ErrorHandler,
  IAdder,
  IAsyncSteps,
  IFlow,
  IParallel,
  ISync,
  RepeatBody,
  Signal,
} from './iasyncsteps.js';
import { addParallel } from './iparallel.js';
import type { Source, Success, Values } from './istep.js';
import { fail, requireValid, steer, succeed } from './latch.js';
import { COUNT, EACH, ENDLESS } from './loopmode.js';
import { pathOf } from './path.js';
import { VALID, WAIT } from './phase.js';
import type { State } from './state.js';
import { defer } from './shield.js';
import { optionsOf, Step, type StepFields } from './step.js';
import { signalOf } from './stepsignal.js';
import { armStep, remainingOf } from './timer.js';
import { checkDelay } from './timers.js';

/** The calls that each add a step, of a root and of an accessor. Guide: docs/first-flow.md#steps-that-add-steps */
abstract class Adder<S = any> implements IAdder<S> {
  /** @internal */
  declare bits: number;
  /** @internal */
  declare tail: Step | null;
  /** @internal */
  declare count: number;

  /** See {@link IAsyncSteps}; on a root that is executing it throws `InternalError`, as all adding does. */
  add(body: Body<S>, onerror?: ErrorHandler<S>, name?: string): this {
    add(this, body, onerror, name);
    return this;
  }

  /** Adds a step whose result are these values, at most 4; more: `InternalError`. Guide: docs/values.md#to-the-next-step */
  successStep(...values: unknown[]): this {
    addValues(this, values);
    return this;
  }

  loop(body: (asi: IAsyncSteps<S>) => unknown, label?: string): this {
    addLoop(this, ENDLESS, undefined, body, label);
    return this;
  }

  repeat(n: number, body: RepeatBody<S>, label?: string): this {
    addLoop(this, COUNT, n, body, label);
    return this;
  }

  /**
   * Adds a loop over an array, a Map, any iterable or async iterable, or an object's own keys; the body gets (key or index, value).
   * Guide: docs/loops.md
   */
  forEach<V>(list: Source<readonly V[]>, body: EachBody<number, V, S>, label?: string): this;
  forEach<K, V>(map: Source<ReadonlyMap<K, V>>, body: EachBody<K, V, S>, label?: string): this;
  forEach<V>(
    items: Source<Iterable<V> | AsyncIterable<V>>,
    body: EachBody<number, V, S>,
    label?: string,
  ): this;
  forEach<V>(
    object: Source<Readonly<Record<string, V>>>,
    body: EachBody<string, V, S>,
    label?: string,
  ): this;
  forEach(collection: unknown, body: unknown, label?: string): this {
    addLoop(this, EACH, collection, body, label);
    return this;
  }

  /**
   * Adds a step whose branches, which are added to what it returns, run side by side, in turns. It ends when all have ended; the first error
   * cancels the others, and is the step's. Guide: docs/many-at-once.md#all-of-them
   */
  parallel(onerror?: ErrorHandler<S>, name?: string): IParallel<S> {
    return addParallel(this, onerror, name);
  }

  await(awaitable: PromiseLike<unknown> | IFlow, onerror?: ErrorHandler<S>): this {
    addAwait(this, awaitable, onerror);
    return this;
  }

  sync(guard: ISync | Guard, body: Body<S>, onerror?: ErrorHandler<S>): this {
    addSection(this, guard, body, onerror);
    return this;
  }

  /**
   * Adds a step, without a result, at which the line goes to the tail of its tool's queue: others have their turns.
   * Guide: docs/loops.md#a-loop-starves-nobody
   */
  relinquish(): this {
    addRelinquish(this);
    return this;
  }
}

// biome-ignore lint/correctness/noUnusedVariables: it is merged with the class
interface Accessor extends Adder, StepFields {}

// biome-ignore lint/suspicious/noUnsafeDeclarationMerging: it inherits them, see below
abstract class Accessor implements IAsyncSteps {
  /** @internal A body that returns one says nothing. */
  get 'steptree.returned'(): string {
    return '';
  }

  /** @internal For errors, which know nothing else of steps. */
  toPath(): string {
    return pathOf(this);
  }

  get state(): State {
    return this.line.flow.state;
  }

  newInstance(): IFlow {
    requireValid(this, 'newInstance');
    return this.line.flow.newInstance();
  }

  success<V extends Values>(...values: V): Success<V>;
  success(a?: unknown, b?: unknown, c?: unknown, d?: unknown): any {
    succeed(this, arguments.length, a, b, c, d);
  }

  error(code: string, info?: string, cause?: unknown): never {
    throwLatched(fail(this, code, info, cause, this.error));
  }

  errorNoThrow(code: string, info?: string, cause?: unknown): void {
    fail(this, code, info, cause, this.errorNoThrow);
  }

  breakLoop(label?: string): never {
    throwLatched(steer(this, 'break', label));
  }

  continueLoop(label?: string): never {
    throwLatched(steer(this, 'continue', label));
  }

  break(label?: string): never {
    throwLatched(steer(this, 'break', label));
  }

  continue(label?: string): never {
    throwLatched(steer(this, 'continue', label));
  }

  breakNoThrow(label?: string): void {
    steer(this, 'break', label);
  }

  continueNoThrow(label?: string): void {
    steer(this, 'continue', label);
  }

  setTimeout(ms: number, code?: string): void {
    requireValid(this, 'setTimeout');
    const delay = checkDelay('setTimeout', ms);
    if (code !== undefined) checkCode('setTimeout', code);
    armStep(this.line.top!, delay, code);
    this.bits |= WAIT;
  }

  setCancel(handler: CancelHandler): void {
    requireValid(this, 'setCancel');
    checkFunction('setCancel', handler);
    optionsOf(this).cancel = handler;
    this.bits |= WAIT;
  }

  defer(fn: Deferred): void {
    requireValid(this, 'defer');
    defer(this, fn);
  }

  remaining(): number {
    requireValid(this, 'remaining');
    return remainingOf(this);
  }

  get signal(): Signal {
    return signalOf(this);
  }

  waitExternal(): Completion {
    requireValid(this, 'waitExternal');
    return completionOf(this);
  }

  valid(): boolean {
    return (this.bits & VALID) !== 0;
  }
}

export type { Accessor };

/** Steps inherit these calls. Whoever has flows, which take only what adds steps from here, has made steps accessors by that. */
function ancestor(): typeof Adder {
  heirOf(heirOf(Adder, Accessor), Step);
  return Adder;
}

const Ancestor = /* @__PURE__ */ ancestor();
type Ancestor<S = any> = Adder<S>;
export { Ancestor as Adder };

/** Leaves the body; a waiting step has no body to leave. */
function throwLatched(failure: Failure | null): never {
  if (failure !== null) throw StepError.is(failure) ? placed(failure) : failure;
  return undefined as never;
}
