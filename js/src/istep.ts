// Step values, as the compiler sees them: from what a body returns follows what the next one gets.

import type { Code } from './declared.js';
import type { IAdder, IAsyncSteps } from './iasyncsteps.js';

/** The values of a step, at most 4, as a tuple. */
export type Values = readonly any[];

declare const VALUES: unique symbol;
declare const NOBODY: unique symbol;

/** What `success` returns, for the compiler only: `return asi.success(a, b)` tells it the types of both. */
export interface Success<V extends Values = Values> {
  /** Nothing is there when it runs. */
  readonly [VALUES]: V;
}

/**
 * What runs as the body of a step: it gets the values of the step before, and what it returns is the value of its own. A step value may
 * stand in its place, so nobody calls it: `asi.add(part)`, or return it.
 */
export type Part<In extends Values = any, R = unknown> = (
  this: MayBeAStepValue,
  asi: IAsyncSteps,
  ...values: In
) => R;
/** What runs without values. What the compiler says of a step that needs some names this type, and with it what to do. */
export type Ready<R, _Hint extends string> = (this: MayBeAStepValue, asi: IAsyncSteps) => R;
export type BindItsValues = 'bind its values: step.with(…)';
/** What nobody has: so the compiler says it to whoever calls one. */
interface MayBeAStepValue {
  readonly [NOBODY]: never;
}

/**
 * A step that is described once, and added or run any number of times, also at once, in any flows and tools. It never changes: each call
 * gives another one. Guide: docs/values.md#a-step-is-a-value
 */
export interface Step<In extends Values = any, Out extends Values = any> {
  /**
   * For the compiler only, which infers what stands inside of a call from what stands around it if that call gives a function. Nobody can
   * call it.
   */
  (this: MayBeAStepValue, asi: IAsyncSteps, ...values: In): Success<Out>;
  /**
   * The step with a limit: when it has not ended `ms` milliseconds after it has begun, all inside is cancelled and `Timeout` is raised here.
   * In `.timeout(500).onError(handler)` the handler gets to see that; the other way round the limit is the handler's, too. What takes time to
   * stop is waited for, up to `grace` (5 s): what ignores its cancellation makes `Timeout` as late as that. Negative or NaN: `InternalError`
   * at the call. Guide: docs/deadlines.md#a-deadline-for-all-of-it
   *
   *     const quick = load.timeout(500).onError((asi) => asi.success('too slow'));
   */
  timeout(ms: number, code?: Code): Step<In, Out>;
  /**
   * The step with a handler for the errors that leave it. It recovers by `asi.success(…)`, by adding steps, or by returning a step; else the
   * error goes on outwards. What else it returns would be dropped, so it's refused. `onError<[null]>(…)`: it may leave something else.
   * Guide: docs/errors.md#handlers
   *
   *     const careful = load.onError((asi, code) => code === 'NotFound' && asi.success('nobody'));
   */
  onError<O extends Values = Out>(
    handler: (this: void, asi: IAsyncSteps<any, NoInfer<O>>, code: Code) => Recovery<O>,
  ): Step<In, Out | O>;
  /**
   * The step with a name: in paths it stands in the place of the index, of a branch as `|name`. Rounds, items and attempts keep numbers. What
   * is made of it alone, such as `sync(guard, value)` or `retry(options, value)`, has its name unless it's given one.
   * Guide: docs/errors.md#where-it-was-and-why
   *
   *     const found = load.named('user');
   */
  named(name: string): Step<In, Out>;
  /**
   * The step with these values, at most 4, in the place of those that it would find. Guide: docs/values.md#a-step-is-a-value
   *
   *     const ann = load.with('ann');
   */
  with(...values: In): Step<[], Out>;
}

/** What an error handler returns. What the compiler says of anything else names this type, and with it what to do. */
export type Recovery<
  Out extends Values,
  _Hint extends string = 'a fallback value: return asi.success(value)',
> = Success<Out> | Step<any, Out> | IAdder | Nothing;
/** What a body returns that is said to leave these values. */
export type Given<Out extends Values> = Left<Out> | PromiseLike<Left<Out>>;
type Left<Out extends Values> = Out[0] | Recovery<Out>;

/** What a body returns that says nothing: `void` stands for a function without `return`. */
// biome-ignore lint/suspicious/noConfusingVoidType: it is what is asked for
type Nothing = void | undefined | false;
type IsAny<T> = 0 extends 1 & T ? true : false;
type IsNever<T> = [T] extends [never] ? true : false;

/** The values of a step whose body returns an R. What it leaves by a call that it doesn't return the compiler can't know. */
export type ResultOf<R> =
  IsAny<R> extends true
    ? any
    : IsNever<R> extends true
      ? any
      : ResultOfSettled<R extends PromiseLike<infer V> ? V : R>;
type ResultOfSettled<S> =
  IsNever<Extract<S, IAdder>> extends true
    ? IsNever<Extract<S, Nothing>> extends true
      ? ValuesOf<S>
      : IsNever<Exclude<S, Nothing>> extends true
        ? []
        : Partial<ValuesOf<Exclude<S, Nothing>>>
    : any;
type ValuesOf<S> = [S] extends [Success<infer T>] ? T : Said<S> | Plain<Exclude<S, Success | Step>>;
type Said<S> = S extends Success<infer T> ? T : S extends Step<any, infer T> ? T : never;
type Plain<S> =
  IsNever<S> extends true ? never : [S] extends [Generated] ? [AGeneratorFunctionIsNoBody] : [S];
type Generated = Generator | AsyncGenerator;
/** What the compiler says where a value is expected of such a function: nobody would run it. */
interface AGeneratorFunctionIsNoBody {
  readonly [NOBODY]: never;
}

/** The first value. */
export type First<V extends Values> = V extends readonly [] ? undefined : V[0];
/** The one value of `all`. */
export type FirstsOf<R extends Values> = { -readonly [K in keyof R]: First<ResultOf<R[K]>> };
/** Each branch gets what their step finds. */
export type Parts<In extends Values, R extends Values> = {
  readonly [K in keyof R]: Part<In, R[K]>;
};
/** The values of the branch that is first. */
export type OneOf<R extends Values> = {
  [K in keyof R]: IsNever<R[K]> extends true ? never : ResultOf<R[K]>;
}[number];

/** Of steps that get the same values: what all of them can take. */
export type InOf<P extends readonly Step[]> = P extends readonly [
  Step<infer A>,
  ...infer Rest extends readonly Step[],
]
  ? Both<A, InOf<Rest>>
  : P extends readonly []
    ? any
    : P[number] extends Step<infer A>
      ? A
      : never;
type Both<A extends Values, B extends Values> =
  IsAny<A> extends true
    ? B
    : IsAny<B> extends true
      ? A
      : B extends readonly []
        ? A
        : A extends readonly []
          ? B
          : A extends B
            ? A
            : B extends A
              ? B
              : A extends readonly [infer X, ...infer As]
                ? B extends readonly [infer Y, ...infer Bs]
                  ? [X & Y, ...Both<As, Bs>]
                  : [never]
                : [never];
export type OutOf<S> = S extends Step<any, infer Out> ? Out : never;
export type FirstsOfSteps<P extends readonly Step[]> = {
  -readonly [K in keyof P]: First<OutOf<P[K]>>;
};

/** What is walked through, or a function that each run calls for it. */
export type Source<C> = C | (() => C);

/** What an attempt gets. */
export type Attempted<In extends Values> = [...In, attempt: number];
/** The values that a retry or hedge finds: no more than these, or the number of the attempt would come behind others. */
export type Unnumbered<In extends Values> =
  IsAny<In> extends true ? any : number extends In['length'] ? In : [...In, none?: undefined];
/** The same, from what its body asks for. */
export type FoundBy<A extends Values> = A extends readonly [...infer In, number]
  ? Unnumbered<In>
  : A;
