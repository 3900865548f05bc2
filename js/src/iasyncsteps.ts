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
/**
 * Hears of an error of its step. Recovers by `asi.success(…)`, by adding steps or by returning a step; else the error goes on outwards. It
 * may return a step, but is none: nobody can call that. So it is with those below. Guide: docs/errors.md#handlers
 */
export type ErrorHandler<S = any> = (this: void, asi: IAsyncSteps<S>, code: Code) => unknown;
/** Stops what its step has begun; may not wait. Guide: docs/cleanup.md */
export type CancelHandler<S = any> = (this: void, asi: IAsyncSteps<S>) => unknown;
/** A deferred function: the body of a step that runs when another one closes. Guide: docs/cleanup.md#defer */
export type Deferred<S = any> = (this: void, asi: IAsyncSteps<S>, outcome: IOutcome) => unknown;
/** The body of `repeat`: gets the number of the iteration, from 0. */
export type RepeatBody<S = any> = (asi: IAsyncSteps<S>, index: number) => unknown;
/** The body of `forEach`: gets key, or index, and value. */
export type EachBody<K, V, S = any> = (asi: IAsyncSteps<S>, key: K, value: V) => unknown;

/**
 * A guard of the program's own, for `sync`. Those of the runtime are each a {@link Guard}, which nothing but `sync` locks.
 * Guide: docs/limits.md
 */
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
  /** Whether it is aborted already. */
  readonly aborted: boolean;
  /** What it was aborted with. */
  readonly reason?: any;
  /** The listener may be a function, or an object with `handleEvent`. */
  addEventListener(type: 'abort', listener: any): void;
  /** With what `addEventListener` was given. */
  removeEventListener(type: 'abort', listener: any): void;
}

/** The platform's `AbortSignal`, whose type is that of the program: Node's, or a browser's. */
export type Signal = typeof globalThis extends { AbortSignal: { prototype: infer S } }
  ? S
  : ISignal;

/** Of `execute`, `promise` and `run`. */
export interface RunOptions {
  /**
   * Cancels the flow when it's aborted; aborted already, the flow is cancelled before its first body. Its reason is the `cause` of the
   * outcome, and if it is a string, the reason. It's listened to as long as the flow runs. Guide: docs/deadlines.md#cancelling-from-outside
   */
  signal?: ISignal | undefined;
}

/** How `map` goes through its source. Guide: docs/many-at-once.md#a-list-so-many-at-a-time */
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

type Items<V> = Iterable<V> | AsyncIterable<V>;
/** Of a Map each element has a key. */
interface NoMap {
  readonly get?: never;
}

/** What `forEach` can walk through; a step may stand in the place of the body. */
export interface ForEach<R, S = any> {
  /**
   * Adds a loop over an array (live, its length taken at the start), a Map, any iterable or async iterable, or an object's own keys. The body
   * gets (key or index, value). What can't be gone through: `InternalError` of the step when it begins. Guide: docs/loops.md
   *
   *     asi.forEach(['a', 'b'], (round, i, letter) => console.log(i, letter));
   */
  <V>(items: Source<Items<V> & NoMap>, body: EachBody<number, V, S>, label?: string): R;
  <K, V>(map: Source<ReadonlyMap<K, V>>, body: EachBody<K, V, S>, label?: string): R;
  <V>(items: Source<Items<V>>, body: EachBody<number, V, S>, label?: string): R;
  <V>(object: Source<Readonly<Record<string, V>>>, body: EachBody<string, V, S>, label?: string): R;
}

/** The calls that each add one step (to a level) or one branch (to a `parallel`) and chain. */
export interface IAdder<S = any> {
  /**
   * Adds a step. Its body runs in its turn, after the steps that were added before it, with the values of the step before; the handler runs
   * for an error of the body or of anything under it. `name` replaces the index in paths. What the body returns, or its promise brings, is
   * the step's value, but for `undefined`, `false` and what adders return. Beside `success()` it's ignored, beside added steps or
   * `waitExternal()` an `InternalError`. Guide: docs/first-flow.md#steps-that-add-steps
   *
   *     asi.add((inner) => inner.success(1)).add((inner, one) => console.log(one));
   */
  add(body: Body<S>, onerror?: ErrorHandler<S>, name?: string): this;
  /**
   * Adds a step that runs its body again and again until `breakLoop`, an error or a cancel. Every iteration is a step of its own; what the
   * body returns is dropped. Guide: docs/loops.md#until-something-happens
   *
   *     asi.loop((round) => round.add(delay(100)).add((inner) => inner.breakLoop()));
   */
  loop(body: (asi: IAsyncSteps<S>) => unknown, label?: string): this;
  /**
   * Adds a loop of `n` iterations; the body gets 0 to n - 1. No whole number from 0 up: `InternalError` of the step when it begins.
   * Guide: docs/loops.md
   *
   *     asi.repeat(3, (round, i) => round.add(() => console.log(i)));
   */
  repeat(n: number, body: RepeatBody<S>, label?: string): this;
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
   *
   *     asi.await(fetchUser(id)).add((inner, user) => inner.success(user));
   */
  await(awaitable: PromiseLike<unknown> | IFlow, onerror?: ErrorHandler<S>): this;
  /**
   * Adds a guarded section: a step whose body runs once the guard is locked, with the values of the step before. It's unlocked when the step
   * closes, in whatever way, before anything outside hears of it. `onerror` guards the body, with the lock held; an error of locking, as
   * `DefenseRejected` and `Deadlock`, goes outwards. Guide: docs/limits.md
   *
   *     asi.sync(mutex, (section) => section.add(write).add(flush));
   */
  sync(guard: ISync | Guard, body: Body<S>, onerror?: ErrorHandler<S>): this;
}

/** The calls of a root and of an accessor. */
export interface ISteps<S = any> extends IAdder<S> {
  /**
   * Adds a step whose result are these values, at most 4; more: `InternalError`. Guide: docs/values.md#to-the-next-step
   *
   *     asi.successStep('Ann', 42).add((inner, name, age) => console.log(name, age));
   */
  successStep(...values: unknown[]): this;
  /**
   * Adds a step whose branches, which are added to what it returns, run side by side, in turns. It ends when all have ended; the first error
   * cancels the others, and is the step's. Guide: docs/many-at-once.md#all-of-them
   *
   *     asi.parallel().add(warmCache).add(openSocket);
   */
  parallel(onerror?: ErrorHandler<S>, name?: string): IParallel<S>;
  /**
   * Adds a step, without a result, at which the line goes to the tail of its tool's queue: others have their turns.
   * Guide: docs/loops.md#a-loop-starves-nobody
   *
   *     asi.add(compute).relinquish().add(computeMore);
   */
  relinquish(): this;
  /**
   * Shared by the whole flow, and kept from one execution to the next; also readable when everything else is not.
   * Guide: docs/values.md#for-the-whole-flow
   *
   *     asi.state.user = 'Ann';
   */
  readonly state: StateOf<S>;
  /** An independent flow with the same tool, burst and hooks, and an empty state. */
  newInstance(): IFlow;
}

/**
 * Takes branches until the step that made it has ended its turn of adding. Branches start in the order of adding. Later calls throw
 * `InternalError`. Guide: docs/many-at-once.md#all-of-them
 */
export interface IParallel<S = any> extends IAdder<S> {}

/**
 * The accessor: what a body works on. It belongs to one step and is valid while that step may act; any other call throws `InternalError`, and
 * does nothing. `Out`: what that step may have as its values, where the compiler knows it. `S`: what the program keeps in the flow's `state`,
 * of which flows of that type tell it. Guide: docs/first-flow.md
 */
export interface IAsyncSteps<in out S = any, in out Out extends Values = any> extends ISteps<S> {
  /**
   * Ends the step with these values, at most 4 (more fail it with `InternalError`); they reach the next body of the line. Takes effect when
   * the body returns, which may return a single one instead. Guide: docs/values.md#to-the-next-step
   *
   *     asi.success('Ann', 42);
   */
  success<V extends Out>(...values: V): Success<V>;
  /**
   * Fails the step and leaves the body by throwing. A handler's error has the one that it replaces as its `cause`, unless it is given one.
   * From outside a waiting step it fails the step and returns. TypeScript knows that what follows isn't reached only after `return
   * asi.error(…)`, or if the type of `asi` is written: `(asi: IAsyncSteps) => …`. Guide: docs/errors.md
   *
   *     if (!user) return asi.error('NotFound', `no user ${id}`);
   */
  error(code: Code, info?: string, cause?: unknown): never;
  /**
   * Fails the step when the body returns, without throwing. Guide: docs/errors.md#without-exceptions
   *
   *     asi.errorNoThrow('NotFound', `no user ${id}`);
   */
  errorNoThrow(code: Code, info?: string, cause?: unknown): void;
  /**
   * Ends the innermost loop, or the nearest one with the label. Leaves the body by throwing. No such loop: `InternalError`.
   * Guide: docs/loops.md#until-something-happens
   *
   *     asi.loop((round) => round.breakLoop(), 'polling');
   */
  breakLoop(label?: string): never;
  /**
   * Goes on with the next iteration of that loop. Leaves the body by throwing. No such loop: `InternalError`.
   * Guide: docs/loops.md#until-something-happens
   *
   *     asi.repeat(3, (round, i) => (i === 1 ? round.continueLoop() : round.add(compute)));
   */
  continueLoop(label?: string): never;
  /** `breakLoop` by its short name. */
  break(label?: string): never;
  /** `continueLoop` by its short name. */
  continue(label?: string): never;
  /** As `breakLoop`, without throwing: takes effect when the body returns. Guide: docs/loops.md#until-something-happens */
  breakNoThrow(label?: string): void;
  /** As `continueLoop`, without throwing: takes effect when the body returns. Guide: docs/loops.md#until-something-happens */
  continueNoThrow(label?: string): void;
  /**
   * Limits the time of the step and of everything under it, in milliseconds, rounded up: when it is over all inside is cancelled and
   * `Timeout`, or `code`, is raised here. One timer a step, the last call counts. Negative or NaN: `InternalError`; `Infinity` never fires.
   * The step waits, unless its body has ended it, returned something or added steps. Of two deadlines the `path` of the error tells which one
   * has passed: it is that of the step that called this. A body isn't interrupted: one that returns too late, and was long enough for the
   * tool to look at its clock, has ended with `Timeout`, whatever it has left. What takes time to stop, as a deferred function or an async
   * source, is waited for, up to `grace` (5 s): so `Timeout` may be late. Guide: docs/deadlines.md
   *
   *     asi.setTimeout(500);
   *     asi.add(load).add(render); // together in half a second
   */
  setTimeout(ms: number, code?: Code): void;
  /**
   * Sets what is called, once, at once, when the step ends in any other way than ok; a further call replaces it. In it only `state`, `signal`
   * and locals may be used, and it can't wait: what does is for `defer`. The step waits, unless its body has ended it, returned something or
   * added steps. Guide: docs/cleanup.md
   *
   *     const timer = setTimeout(tell, 50);
   *     asi.setCancel(() => clearTimeout(timer));
   */
  setCancel(handler: CancelHandler<S>): void;
  /**
   * Registers a function that runs when the step closes, in whatever way: the last one first, as the body of a step of its own, after the
   * step's handlers and before anything outside sees the outcome. It gets that, as it stands then: what closes the step from outside is a
   * cancel. Nothing outside ends it, but it's abandoned after the flow's `grace`, and `report` is told. An error in it is the step's, unless
   * it has one already: then it joins `also`. Under a cancel it goes to `report`. The step doesn't wait for being given one.
   * Guide: docs/cleanup.md#defer
   *
   *     asi.defer((step, outcome) => step.add(outcome.kind === 'ok' ? commit : rollBack));
   */
  defer(fn: Deferred<S>): void;
  /**
   * The milliseconds till the nearest deadline that can end the step: its own timer or one around it, the limit of a shield, the grace of a
   * cleanup. `Infinity` if there is none, never negative. Guide: docs/deadlines.md#how-much-time-is-left
   *
   *     return fetchUser(id, { timeout: asi.remaining() });
   */
  remaining(): number;
  /**
   * For what the step starts: aborted when the step ends in any other way than ok, before its cancel handler is called. The reason is the
   * error, else `Canceled`. It's made when it is asked for, and doesn't make the step wait. It stays readable, as `state` does. What a
   * listener throws is the platform's matter: in Node an `uncaughtException`, no `report`. Guide: docs/deadlines.md#cancelling-from-outside
   *
   *     return fetch(url, { signal: asi.signal });
   */
  readonly signal: Signal;
  /**
   * Makes the step wait for an outside event, and gives the completion that ends it. It may be dropped: then a timeout, an error or a cancel
   * ends the step. A body that has ended its step, returned something or added steps doesn't wait. Guide: docs/waiting.md#callbacks
   *
   *     const done = asi.waitExternal();
   *     emitter.once('answer', (text) => done.success(text));
   */
  waitExternal(): ICompletion;
  /** Whether calls on this accessor would be taken: in the step's body and handlers, and while it waits. */
  valid(): boolean;
}

/**
 * Ends a waiting step from outside. May be kept and called at any time, also late or twice: the first call wins and gives true, all others
 * give false and do nothing. It never throws. Guide: docs/waiting.md#callbacks
 */
export interface ICompletion {
  /** Gives the step its values; false if it has ended in another way. Guide: docs/waiting.md#callbacks */
  success(...values: unknown[]): boolean;
  /** Fails the step; false if it has ended in another way. Guide: docs/waiting.md#callbacks */
  error(code: Code, info?: string, cause?: unknown): boolean;
  /** Whether a call would be taken. Guide: docs/waiting.md#callbacks */
  valid(): boolean;
}

/** It ended well. */
export interface IOkOutcome {
  /** Says which of the three it is. */
  readonly kind: 'ok';
  /** Of the last step. */
  readonly values: readonly unknown[];
  readonly error?: undefined;
  readonly code?: undefined;
  readonly reason?: undefined;
}

/** It failed. */
export interface IErrorOutcome {
  /** Says which of the three it is. */
  readonly kind: 'error';
  /** What `promise()` would have been rejected with. */
  readonly error: unknown;
  /** That of the error; `InternalError` if it has none. */
  readonly code: Code;
  readonly values?: undefined;
  readonly reason?: undefined;
}

/** It was cancelled; a step also, when something outside of it has closed it. */
export interface ICancelledOutcome {
  /** Says which of the three it is. */
  readonly kind: 'cancelled';
  /** Given to `cancel()`, or by a signal. For a step also the code of the error that will be raised further out, `break` or `continue`. */
  readonly reason?: string | undefined;
  /** What the signal was aborted with that has ended the flow. For a step also the error that will be raised further out. */
  readonly cause?: unknown;
  readonly values?: undefined;
  readonly error?: undefined;
  readonly code?: undefined;
}

/** How an execution ended: what doesn't apply is absent. Guide: docs/cleanup.md#defer */
export type IOutcome = IOkOutcome | IErrorOutcome | ICancelledOutcome;

/** A root: one flow, to be filled, executed, cancelled, and filled again. While it runs, what adds steps throws `InternalError`. */
export interface IFlow<S = any> extends ISteps<S> {
  /**
   * Starts the flow; its first body runs from the tool. `done` is called once, from the tool, when the flow is idle again. An
   * `AsyncLocalStorage` context is carried into all of them unless the tool's `keepContext` is off. A flow that runs: `InternalError`.
   * Guide: docs/errors.md#nothing-is-lost
   *
   *     flow.add(greet.with('Ann')).execute((outcome) => console.log(outcome.kind));
   */
  execute(done?: (outcome: IOutcome) => void, options?: RunOptions): void;
  /**
   * Starts the flow; settles with its first value, its last exception, or `Canceled`, whose `cause` is the reason of the signal if one has
   * ended the flow. A flow that runs: `InternalError`. Guide: docs/waiting.md#promises-and-futures
   *
   *     const page = await flow.add(profile.with('42')).promise();
   */
  promise<T = any>(options?: RunOptions): Promise<T>;
  /**
   * Ends the flow from outside: cancel handlers run, innermost first; error handlers don't. What is shielded, and what has to be cleaned up,
   * takes its turns after the call; `closed()` tells when that's over. Guide: docs/deadlines.md#cancelling-from-outside
   *
   *     server.on('close', () => flow.cancel('shutdown'));
   */
  cancel(reason?: string): void;
  /**
   * Settles when nothing of the flow is open any more, whatever its outcome is; from the tool, after `done`. The `return()` of an async
   * source is only waited for if no `next()` is pending. Guide: docs/deadlines.md#what-takes-time-to-stop
   *
   *     flow.cancel();
   *     await flow.closed(); // its cleanups have ended, too
   */
  closed(): Promise<void>;
  /** For `await using`: cancels the flow, and settles as `closed()` does. */
  [Symbol.asyncDispose](): Promise<void>;
  /** From `execute()` until the flow is idle. */
  running(): boolean;
}

/**
 * Of the hooks `unhandled` and `report`: they get code, info, what was thrown, and the path of the step. What they throw is uncaught.
 * Guide: docs/production.md#what-nobody-has-caught
 */
export type Hook = (code: string, info: string, exception: unknown, path: string) => void;
