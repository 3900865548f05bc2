// What business logic sees. A library of steps needs these types and nothing else.

import type { Guard } from './guard.js';
import type { RetryOptions } from './retry.js';
import type { State } from './state.js';

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
export type Body = (asi: IAsyncSteps, ...values: any[]) => unknown;
export type ErrorHandler = (asi: IAsyncSteps, code: string) => unknown;
export type CancelHandler = (asi: IAsyncSteps) => unknown;
/** A deferred function: the body of a step that runs when another one closes. */
export type Deferred = (asi: IAsyncSteps) => unknown;
/** Of a retry: gets the number of the attempt, from 1. */
export type RetryBody = (asi: IAsyncSteps, attempt: number) => unknown;
export type RepeatBody = (asi: IAsyncSteps, index: number) => unknown;
export type MapBody<V> = (asi: IAsyncSteps, item: V, index: number) => unknown;
export type EachBody<K, V> = (asi: IAsyncSteps, key: K, value: V) => unknown;

/** A guard of the program's own, for `sync`. Those of the runtime are each a {@link Guard}, which nothing but `sync` locks. */
export interface ISync {
  /**
   * Runs as the body of a step of its own, without values: it may return, wait, add steps or fail. The guard is locked when that
   * step has ended with ok, or was completed from outside; a lock that ends in another way undoes what it did by `setCancel`.
   * [sync-3, sync-17, sync-18]
   */
  lock(asi: IAsyncSteps): unknown;
  /**
   * Called exactly once for a lock, when the section closes. As in a cancel handler only `state` may be used; what it throws goes
   * to `report`. [sync-16, sync-21, sync-23]
   */
  unlock(asi: IAsyncSteps): unknown;
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
   * outcome, and if it is a string, the reason. It's listened to as long as the flow runs. [signal-1, signal-2, signal-5, signal-8]
   */
  signal?: ISignal | undefined;
}

/** Of `map`. */
export interface MapOptions<R = any> {
  /** How many items, and results that wait for their turn, there are at a time: a whole number, 1 or more. */
  limit: number;
  /** Whether results come in the order of the source, else in that in which they are known. `true` if absent. */
  ordered?: boolean | undefined;
  /**
   * Gets each result, and the number of its item, instead of a list of all. What it throws fails the step. It may cancel the flow; a
   * promise is no result of it: what takes time belongs into the body. [flow-74, flow-77, flow-78]
   */
  sink?: ((value: R, index: number) => void) | undefined;
}

/** What `forEach` can walk through. */
export interface ForEach<R> {
  <V>(list: readonly V[], body: EachBody<number, V>, label?: string): R;
  <K, V>(map: ReadonlyMap<K, V>, body: EachBody<K, V>, label?: string): R;
  <V>(items: Iterable<V> | AsyncIterable<V>, body: EachBody<number, V>, label?: string): R;
  <V>(object: Readonly<Record<string, V>>, body: EachBody<string, V>, label?: string): R;
}

/** The calls that each add one step (to a level) or one branch (to a `parallel`) and chain. */
export interface IAdder {
  /**
   * Adds a step. Its body runs in its turn, after the steps that were added before it, with the values of the step before;
   * the handler runs for an error of the body or of anything under it. `name` replaces the index in paths. What the body
   * returns, or its promise brings, is the step's value, but for `undefined`, `false` and what adders return. Beside `success()` it's
   * ignored, beside added steps or `waitExternal()` an InternalError. [model-76] [model-135] [model-138]
   */
  add(body: Body, onerror?: ErrorHandler, name?: string): this;
  /** Adds a step that runs its body again and again until `breakLoop`, an error or a cancel. Every iteration is a fresh step. */
  loop(body: (asi: IAsyncSteps) => unknown, label?: string): this;
  /** Adds a loop of `n` iterations; the body gets 0 to n-1. */
  repeat(n: number, body: RepeatBody, label?: string): this;
  /**
   * Adds a loop over an array (live, its length taken at the start), a Map, any iterable or async iterable, or an object's own
   * keys. The body gets (key or index, value).
   */
  forEach: ForEach<this>;
  /**
   * Adds a step that runs its body for each item of a source, at most `limit` of them at a time, each as a branch of its own. The
   * next item is taken when there is room for it, so the source may be endless, or as slow as an async iterable. The result of the
   * step is an array of the first values of the bodies, if there is no `sink` for them. The first error cancels and closes the
   * others, then the source. [flow-60, flow-63, flow-70, flow-80]
   */
  map<V, R>(
    source: Iterable<V> | AsyncIterable<V>,
    options: MapOptions<R>,
    body: MapBody<V>,
    onerror?: ErrorHandler,
  ): this;
  /**
   * Adds a step that waits for an awaitable: its value is the step's result, its rejection the step's error. A step that is closed
   * before calls `cancel()` of the awaitable, if there is one and no other step awaits it. A promise that `cancel()` gives is waited
   * for, within the flow's `grace`: till then nothing in or around the step is closed. What can't be cancelled goes on, and is ignored,
   * also when it fails; only what a body has returned, and fails after its step was closed, is told to `report`.
   * The argument is made when the step is added, before the steps in front of it run: `asi.delay(50); asi.await(charge())` charges at
   * once, `asi.delay(50); asi.add(() => charge())` after 50 ms. [promise-16, cleanup-100]
   *
   * A flow, idle and of the same tool, is executed when the step opens, ends the step with its values or error, and is cancelled with
   * it: the step waits for its cleanups. To await what somebody else has executed, await its `promise()`: that leaves the flow alone.
   * [promise-40, promise-41]
   */
  await(awaitable: PromiseLike<unknown> | IFlow, onerror?: ErrorHandler): this;
  /**
   * Adds a guarded section: a step whose body runs once the guard is locked, with the values of the step before. It's unlocked
   * when the step closes, in whatever way, before anything outside hears of it. `onerror` guards the body, with the lock held; an
   * error of locking goes outwards. [sync-1, sync-9, sync-15]
   */
  sync(guard: ISync | Guard, body: Body, onerror?: ErrorHandler): this;
  /**
   * Adds a step as `add` does, in which a timeout, a cancel or a failed sibling outside of it isn't seen: it's performed when the
   * step has closed. After `limit` milliseconds, finite, `Timeout` is raised at the step; what `onerror` adds has the limit anew.
   * [cleanup-70, cleanup-71, cleanup-72, cleanup-30]
   */
  shield(limit: number, body: Body, onerror?: ErrorHandler): this;
  /**
   * Adds a step that waits so many milliseconds, rounded up, and has no result; `Infinity` is for ever. Whatever closes it takes its
   * timer away. Negative or NaN: `InternalError` at the call. [flow-30, flow-33]
   */
  delay(ms: number): this;
  /**
   * Adds a step that runs its body, and again, after a wait, when that has failed: at most `max` times. Each attempt is a step of its
   * own, which is closed before the next; it gets its number, from 1. The values of the one that ends with ok are the result, the
   * error of the last one is the step's, then `onerror` is called. The error of an attempt has that of the attempt before as its `cause`;
   * one that has a cause of its own, or isn't a `StepError`, as the first of its `also`: so the first error and the last seven are found.
   * Never after a cancel, a timeout of an enclosing step, a `break` or `continue`. Bad options: `InternalError` at the call.
   * [flow-40, flow-46, flow-49, flow-51, flow-55, flow-104, flow-113]
   */
  retry(options: RetryOptions, body: RetryBody, onerror?: ErrorHandler): this;
}

/** The calls of a root and of an accessor. */
export interface ISteps extends IAdder {
  /** Adds a step whose result are these values, at most 4. */
  successStep(...values: unknown[]): this;
  /** Adds a step whose branches run interleaved; it ends when all have ended, or with the first error. */
  parallel(onerror?: ErrorHandler, name?: string): IParallel;
  /**
   * Adds a step whose branches run as those of `parallel`, till the first of them has ended: with ok, its values are the step's,
   * with an error, that is the step's. The others are cancelled and closed before. Without a branch: `InternalError`.
   * [flow-1, flow-3, flow-6]
   */
  race(onerror?: ErrorHandler, name?: string): IParallel;
  /**
   * Adds a step whose branches run as those of `parallel`, till the first of them has ended with ok: its values are the step's,
   * and the others are cancelled and closed before. If all fail: `AllFailed`, with their errors in `also`, in add order. Without a
   * branch: `InternalError`. [flow-2, flow-3, flow-10]
   */
  any(onerror?: ErrorHandler, name?: string): IParallel;
  /** Adds a step at which the line goes to the tail of its tool's queue. */
  relinquish(): this;
  /** Shared by the whole flow; also readable when everything else is not. */
  readonly state: State;
  /** An independent flow with the same tool, burst and hooks, and an empty state. */
  newInstance(): IFlow;
}

/** Takes branches until the step that made it has ended its turn of adding. Branches start in the order of adding. */
export interface IParallel extends IAdder {}

/** The accessor: what a body works on. It belongs to one step and is valid while that step may act. */
export interface IAsyncSteps extends ISteps {
  /**
   * Ends the step with these values, at most 4; they reach the next body of the line. Takes effect when the body returns, which may return
   * a single one instead.
   */
  success(...values: unknown[]): void;
  /**
   * Fails the step and leaves the body by throwing. From outside a waiting step it fails the step and returns. TypeScript knows that what
   * follows isn't reached only after `return asi.error(…)`, or if the type of `asi` is written: `(asi: IAsyncSteps) => …`.
   */
  error(code: string, info?: string, cause?: unknown): never;
  /** Fails the step when the body returns, without throwing. */
  errorNoThrow(code: string, info?: string, cause?: unknown): void;
  /** Ends the innermost loop, or the nearest one with the label. Leaves the body by throwing. */
  breakLoop(label?: string): never;
  /** Goes on with the next iteration of that loop. Leaves the body by throwing. */
  continueLoop(label?: string): never;
  /** `breakLoop` by its short name. */
  break(label?: string): never;
  /** `continueLoop` by its short name. */
  continue(label?: string): never;
  breakNoThrow(label?: string): void;
  continueNoThrow(label?: string): void;
  /**
   * Limits the time of the step and of everything under it, in milliseconds: when it is over all inside is cancelled and
   * `Timeout` is raised here. One timer a step, the last call counts; `Infinity` never fires. The step waits for it, unless it adds
   * steps, calls `success` or is of an async body. Of two deadlines the `path` of the error tells which one has passed: it is that
   * of the step that called this. A body isn't interrupted: one that returns too late, and was long enough for the tool to look at
   * its clock, has ended with `Timeout`, whatever it has left. [timeout-1, timeout-30, error-35, model-33]
   */
  setTimeout(ms: number): void;
  /**
   * Sets what is called, once, if the step ends in any other way than ok. In it only `state` may be used. The step waits to be
   * completed, unless it adds steps, calls `success` or is of an async body. [cancel-1] [model-33]
   */
  setCancel(handler: CancelHandler): void;
  /**
   * Registers a function that runs when the step closes, in whatever way: the last one first, as the body of a step of its own, after
   * the step's handlers and before anything outside sees the outcome. Nothing outside ends it, but it's abandoned after the flow's
   * `grace`, and `report` is told. An error in it is the step's, unless it has one already: then it joins `also`. Under a cancel it
   * goes to `report`. [cleanup-1, cleanup-4, cleanup-10, cleanup-50, cleanup-60]
   */
  defer(fn: Deferred): void;
  /**
   * The milliseconds till the nearest deadline that can end the step: its own timer or one around it, the limit of a shield, the
   * grace of a cleanup. `Infinity` if there is none, never negative. [cleanup-80]
   */
  remaining(): number;
  /**
   * For what the step starts: aborted when the step ends in any other way than ok, before its cancel handler is called. The reason is
   * the error, else `Canceled`. It's made when it is asked for, and doesn't make the step wait. What
   * a listener throws is the platform's matter: in Node an `uncaughtException`, no `report`. [signal-10, signal-12, signal-16]
   */
  readonly signal: Signal;
  /** Makes the step wait for an outside event, and gives the handle by which that ends the step. */
  waitExternal(): ICompletion;
  /** Whether calls on this accessor would be taken. */
  valid(): boolean;
}

/** Ends a waiting step from outside. May be kept and called at any time; the first call wins. */
export interface ICompletion {
  /** Gives the step its values; false if it has ended in another way. */
  success(...values: unknown[]): boolean;
  /** Fails the step; false if it has ended in another way. */
  error(code: string, info?: string, cause?: unknown): boolean;
  /** Whether a call would be taken. */
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
  readonly code: string;
  readonly values?: undefined;
  readonly reason?: undefined;
}

export interface ICancelledOutcome {
  readonly kind: 'cancelled';
  readonly reason?: string | undefined;
  /** What the signal was aborted with that has ended the flow. */
  readonly cause?: unknown;
  readonly values?: undefined;
  readonly error?: undefined;
  readonly code?: undefined;
}

/** How an execution ended: what doesn't apply is absent. */
export type IOutcome = IOkOutcome | IErrorOutcome | ICancelledOutcome;

/** A root: one flow, to be filled, executed, cancelled, and filled again. */
export interface IFlow extends ISteps {
  /**
   * Starts the flow; its first body runs from the tool. `done` is called once, from the tool, when the flow is idle again.
   * An `AsyncLocalStorage` context is carried into all of them unless the tool's `keepContext` is off. [tool-45]
   */
  execute(done?: (outcome: IOutcome) => void, options?: RunOptions): void;
  /**
   * Starts the flow; settles with its first value, its last exception, or `Canceled`, whose `cause` is the reason of the signal if one
   * has ended the flow.
   */
  promise<T = any>(options?: RunOptions): Promise<T>;
  /**
   * Ends the flow from outside: cancel handlers run, innermost first; error handlers don't. What is shielded, and what has to be
   * cleaned up, takes its turns after the call; `closed()` tells when that's over. [cancel-16, cleanup-39]
   */
  cancel(reason?: string): void;
  /**
   * Settles when nothing of the flow is open any more, whatever its outcome is; from the tool, after `done`. The `return()` of an async
   * source is only waited for if no `next()` is pending. [cleanup-90]
   */
  closed(): Promise<void>;
  /** For `await using`: cancels the flow, and settles as `closed()` does. [signal-20] */
  [Symbol.asyncDispose](): Promise<void>;
  /** From `execute()` until the flow is idle. */
  running(): boolean;
}

/** Of the hooks `unhandled` and `report`. */
export type Hook = (code: string, info: string, exception: unknown, path: string) => void;
