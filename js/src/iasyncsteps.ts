// What business logic sees. A library of steps needs these types and nothing else.

import type { Code } from './declared.js';
import type { Guard } from './guard.js';
import type { Success, Values, Source } from './istep.js';
import type { StateOf } from './state.js';

declare global {
  /** As the language has it; older libraries of types don't know it. */
  interface SymbolConstructor {
    readonly asyncDispose: unique symbol;
  }
}

/**
 * A step's body; no generator function. Bodies are nested, and each has its own accessor: to call all of them `asi`, against a linter's
 * `no-shadow`, keeps an inner body from using that of an outer one, which isn't valid any more.
 *
 * A returned awaitable (so an `async` function too) makes the body last until it has settled.
 */
export type Body<S = any> = (asi: IAsyncSteps<S>, ...values: any[]) => unknown;
/** It may return a step, but is none: nobody can call that. So it is with those below. */
export type ErrorHandler<S = any> = (this: void, asi: IAsyncSteps<S>, code: Code) => unknown;
export type CancelHandler<S = any> = (this: void, asi: IAsyncSteps<S>) => unknown;
/** A deferred function: the body of a step that runs when another one closes. */
export type Deferred<S = any> = (this: void, asi: IAsyncSteps<S>, outcome: IOutcome) => unknown;
export type RepeatBody<S = any> = (asi: IAsyncSteps<S>, index: number) => unknown;
export type EachBody<K, V, S = any> = (asi: IAsyncSteps<S>, key: K, value: V) => unknown;

/** A guard of the program's own, for `sync`. Those of the runtime are each a {@link Guard}, which nothing but `sync` locks. */
export interface ISync {
  /**
   * Runs as the body of a step of its own, without values: it may return, wait, add steps or fail. The guard is locked when that step has
   * ended with ok, or was completed from outside; a lock that ends in another way undoes what it did by `setCancel`.
   */
  lock(asi: IAsyncSteps): unknown;
  /**
   * Called exactly once for a lock, when the section closes, with how that has ended, as a deferred function is. As in a cancel handler only
   * `state`, `signal` and locals may be used; what it throws goes to `report`.
   */
  unlock(asi: IAsyncSteps, outcome: IOutcome): unknown;
}

/** What ends a flow from outside, an `AbortSignal` for instance. */
export interface ISignal {
  readonly aborted: boolean;
  readonly reason?: any;
  /** The listener may be a function, or an object with `handleEvent`. */
  addEventListener(type: 'abort', listener: any): void;
  removeEventListener(type: 'abort', listener: any): void;
}

/** The platform's `AbortSignal`, whose type is that of the program: Node's, or a browser's. */
export type Signal = typeof globalThis extends { AbortSignal: { prototype: infer S } }
  ? S
  : ISignal;

/** Of `execute` and `promise`. */
export interface RunOptions {
  /**
   * Cancels the flow when it's aborted; aborted already, the flow is cancelled before its first body. Its reason is the `cause` of the
   * outcome, and if it is a string, the reason. It's listened to as long as the flow runs. Guide: docs/deadlines.md#cancelling-from-outside
   */
  signal?: ISignal | undefined;
}

/** Of `map`. */
export interface MapOptions<R = any> {
  /** How many items, and results that wait for their turn, there are at a time: a whole number, 1 or more. */
  limit: number;
  /** Whether results come in the order of the source, else in that in which they are known. Default: `true`. */
  ordered?: boolean | undefined;
  /**
   * Gets each result, and the number of its item. Default: none, the results are one list. What it throws fails the step. It may cancel the
   * flow; a promise is no result of it: what takes time belongs into the body.
   */
  sink?: { call(value: R, index: number): void }['call'] | undefined;
}

/** What `forEach` can walk through; a step may stand in the place of the body. */
export interface ForEach<R, S = any> {
  <V>(list: Source<readonly V[]>, body: EachBody<number, V, S>, label?: string): R;
  <K, V>(map: Source<ReadonlyMap<K, V>>, body: EachBody<K, V, S>, label?: string): R;
  <V>(
    items: Source<Iterable<V> | AsyncIterable<V>>,
    body: EachBody<number, V, S>,
    label?: string,
  ): R;
  <V>(object: Source<Readonly<Record<string, V>>>, body: EachBody<string, V, S>, label?: string): R;
}

/** The calls that each add one step (to a level) or one branch (to a `parallel`) and chain. */
export interface IAdder<S = any> {
  /**
   * Adds a step. Its body runs in its turn, after the steps that were added before it, with the values of the step before; the handler runs
   * for an error of the body or of anything under it. `name` replaces the index in paths. What the body returns, or its promise brings, is
   * the step's value, but for `undefined`, `false` and what adders return. Beside `success()` it's ignored, beside added steps or
   * `waitExternal()` an InternalError. Guide: docs/first-flow.md#steps-that-add-steps
   */
  add(body: Body<S>, onerror?: ErrorHandler<S>, name?: string): this;
  /**
   * Adds a step that runs its body again and again until `breakLoop`, an error or a cancel. Every iteration is a fresh step.
   * Guide: docs/loops.md#until-something-happens
   */
  loop(body: (asi: IAsyncSteps<S>) => unknown, label?: string): this;
  /** Adds a loop of `n` iterations; the body gets 0 to n-1. Guide: docs/loops.md */
  repeat(n: number, body: RepeatBody<S>, label?: string): this;
  /**
   * Adds a loop over an array (live, its length taken at the start), a Map, any iterable or async iterable, or an object's own keys. The body
   * gets (key or index, value). Guide: docs/loops.md
   */
  forEach: ForEach<this, S>;
  /**
   * Adds a step that waits for an awaitable: its value is the step's result, its rejection the step's error. A step that is closed before
   * calls `cancel()` of the awaitable, if there is one and no other step awaits it. A promise that `cancel()` gives is waited for, within the
   * flow's `grace`: till then nothing in or around the step is closed. What can't be cancelled goes on, and is ignored, also when it fails;
   * only what a body has returned, and fails after its step was closed, is told to `report`. The argument is made when the step is added,
   * before the steps in front of it run: `asi.add(delay(50)).await(charge())` charges at once, `asi.add(delay(50)).add(() => charge())` after
   * 50 ms.
   *
   * A flow, idle and of the same tool, is executed when the step opens, ends the step with its values or error, and is cancelled with it: the
   * step waits for its cleanups. To await what somebody else has executed, await its `promise()`: that leaves the flow alone.
   * Guide: docs/waiting.md#promises-and-futures
   */
  await(awaitable: PromiseLike<unknown> | IFlow, onerror?: ErrorHandler<S>): this;
  /**
   * Adds a guarded section: a step whose body runs once the guard is locked, with the values of the step before. It's unlocked when the step
   * closes, in whatever way, before anything outside hears of it. `onerror` guards the body, with the lock held; an error of locking goes
   * outwards. Guide: docs/limits.md
   */
  sync(guard: ISync | Guard, body: Body<S>, onerror?: ErrorHandler<S>): this;
}

/** The calls of a root and of an accessor. */
export interface ISteps<S = any> extends IAdder<S> {
  /** Adds a step whose result are these values, at most 4. Guide: docs/values.md#to-the-next-step */
  successStep(...values: unknown[]): this;
  /**
   * Adds a step whose branches run interleaved; it ends when all have ended, or with the first error. Guide: docs/many-at-once.md#all-of-them
   */
  parallel(onerror?: ErrorHandler<S>, name?: string): IParallel<S>;
  /** Adds a step at which the line goes to the tail of its tool's queue. Guide: docs/loops.md#a-loop-starves-nobody */
  relinquish(): this;
  /** Shared by the whole flow; also readable when everything else is not. Guide: docs/values.md#for-the-whole-flow */
  readonly state: StateOf<S>;
  /** An independent flow with the same tool, burst and hooks, and an empty state. */
  newInstance(): IFlow;
}

/** Takes branches until the step that made it has ended its turn of adding. Branches start in the order of adding. */
export interface IParallel<S = any> extends IAdder<S> {}

/**
 * The accessor: what a body works on. It belongs to one step and is valid while that step may act. `Out`: what that step may have as its
 * values, where the compiler knows it. `S`: what the program keeps in the flow's `state`, of which flows of that type tell it.
 */
export interface IAsyncSteps<in out S = any, in out Out extends Values = any> extends ISteps<S> {
  /**
   * Ends the step with these values, at most 4; they reach the next body of the line. Takes effect when the body returns, which may return a
   * single one instead. Guide: docs/values.md#to-the-next-step
   */
  success<V extends Out>(...values: V): Success<V>;
  /**
   * Fails the step and leaves the body by throwing. From outside a waiting step it fails the step and returns. TypeScript knows that what
   * follows isn't reached only after `return asi.error(…)`, or if the type of `asi` is written: `(asi: IAsyncSteps) => …`.
   * Guide: docs/errors.md
   */
  error(code: Code, info?: string, cause?: unknown): never;
  /** Fails the step when the body returns, without throwing. Guide: docs/errors.md#without-exceptions */
  errorNoThrow(code: Code, info?: string, cause?: unknown): void;
  /** Ends the innermost loop, or the nearest one with the label. Leaves the body by throwing. Guide: docs/loops.md#until-something-happens */
  breakLoop(label?: string): never;
  /** Goes on with the next iteration of that loop. Leaves the body by throwing. Guide: docs/loops.md#until-something-happens */
  continueLoop(label?: string): never;
  /** `breakLoop` by its short name. */
  break(label?: string): never;
  /** `continueLoop` by its short name. */
  continue(label?: string): never;
  breakNoThrow(label?: string): void;
  continueNoThrow(label?: string): void;
  /**
   * Limits the time of the step and of everything under it, in milliseconds: when it is over all inside is cancelled and `Timeout`, or
   * `code`, is raised here. One timer a step, the last call counts; `Infinity` never fires. The step waits for it, unless it adds steps,
   * calls `success` or is of an async body. Of two deadlines the `path` of the error tells which one has passed: it is that of the step that
   * called this. A body isn't interrupted: one that returns too late, and was long enough for the tool to look at its clock, has ended with
   * `Timeout`, whatever it has left. What takes time to stop, as a deferred function or an async source, is waited for, up to `grace` (5 s).
   * Guide: docs/deadlines.md
   */
  setTimeout(ms: number, code?: Code): void;
  /**
   * Sets what is called, once, if the step ends in any other way than ok. In it only `state`, `signal` and locals may be used. The step waits
   * to be completed, unless it adds steps, calls `success` or is of an async body. Guide: docs/cleanup.md
   */
  setCancel(handler: CancelHandler<S>): void;
  /**
   * Registers a function that runs when the step closes, in whatever way: the last one first, as the body of a step of its own, after the
   * step's handlers and before anything outside sees the outcome. It gets that, as it stands then: what closes the step from outside is a
   * cancel. Nothing outside ends it, but it's abandoned after the flow's `grace`, and `report` is told. An error in it is the step's, unless
   * it has one already: then it joins `also`. Under a cancel it goes to `report`. Guide: docs/cleanup.md#defer
   */
  defer(fn: Deferred<S>): void;
  /**
   * The milliseconds till the nearest deadline that can end the step: its own timer or one around it, the limit of a shield, the grace of a
   * cleanup. `Infinity` if there is none, never negative. Guide: docs/deadlines.md#how-much-time-is-left
   */
  remaining(): number;
  /**
   * For what the step starts: aborted when the step ends in any other way than ok, before its cancel handler is called. The reason is the
   * error, else `Canceled`. It's made when it is asked for, and doesn't make the step wait. It stays readable, as `state` does. What a
   * listener throws is the platform's matter: in Node an `uncaughtException`, no `report`. Guide: docs/deadlines.md#cancelling-from-outside
   */
  readonly signal: Signal;
  /** Makes the step wait for an outside event, and gives the handle by which that ends the step. Guide: docs/waiting.md#callbacks */
  waitExternal(): ICompletion;
  /** Whether calls on this accessor would be taken. */
  valid(): boolean;
}

/** Ends a waiting step from outside. May be kept and called at any time; the first call wins. */
export interface ICompletion {
  /** Gives the step its values; false if it has ended in another way. Guide: docs/waiting.md#callbacks */
  success(...values: unknown[]): boolean;
  /** Fails the step; false if it has ended in another way. Guide: docs/waiting.md#callbacks */
  error(code: Code, info?: string, cause?: unknown): boolean;
  /** Whether a call would be taken. Guide: docs/waiting.md#callbacks */
  valid(): boolean;
}

export interface IOkOutcome {
  readonly kind: 'ok';
  /** Of the last step. */
  readonly values: readonly unknown[];
  readonly error?: undefined;
  readonly code?: undefined;
  readonly reason?: undefined;
}

export interface IErrorOutcome {
  readonly kind: 'error';
  /** What `promise()` would have been rejected with. */
  readonly error: unknown;
  readonly code: Code;
  readonly values?: undefined;
  readonly reason?: undefined;
}

export interface ICancelledOutcome {
  readonly kind: 'cancelled';
  /** Given to `cancel()`, or by a signal. For a step also the code of the error that will be raised further out, `break` or `continue`. */
  readonly reason?: string | undefined;
  /** What the signal was aborted with that has ended the flow. For a step also the error that will be raised further out. */
  readonly cause?: unknown;
  readonly values?: undefined;
  readonly error?: undefined;
  readonly code?: undefined;
}

/** How an execution ended: what doesn't apply is absent. */
export type IOutcome = IOkOutcome | IErrorOutcome | ICancelledOutcome;

/** A root: one flow, to be filled, executed, cancelled, and filled again. */
export interface IFlow<S = any> extends ISteps<S> {
  /**
   * Starts the flow; its first body runs from the tool. `done` is called once, from the tool, when the flow is idle again. An
   * `AsyncLocalStorage` context is carried into all of them unless the tool's `keepContext` is off. Guide: docs/errors.md#nothing-is-lost
   */
  execute(done?: (outcome: IOutcome) => void, options?: RunOptions): void;
  /**
   * Starts the flow; settles with its first value, its last exception, or `Canceled`, whose `cause` is the reason of the signal if one has
   * ended the flow. Guide: docs/waiting.md#promises-and-futures
   */
  promise<T = any>(options?: RunOptions): Promise<T>;
  /**
   * Ends the flow from outside: cancel handlers run, innermost first; error handlers don't. What is shielded, and what has to be cleaned up,
   * takes its turns after the call; `closed()` tells when that's over. Guide: docs/deadlines.md#cancelling-from-outside
   */
  cancel(reason?: string): void;
  /**
   * Settles when nothing of the flow is open any more, whatever its outcome is; from the tool, after `done`. The `return()` of an async
   * source is only waited for if no `next()` is pending. Guide: docs/deadlines.md#what-takes-time-to-stop
   */
  closed(): Promise<void>;
  /** For `await using`: cancels the flow, and settles as `closed()` does. */
  [Symbol.asyncDispose](): Promise<void>;
  /** From `execute()` until the flow is idle. */
  running(): boolean;
}

/** Of the hooks `unhandled` and `report`. */
export type Hook = (code: string, info: string, exception: unknown, path: string) => void;
