// Step values of one body, and of parts that run one after another.

import { type Runnable, define, Definition, Sequence } from './definition.js';
import { badArgument } from './error.js';
import type { Given, Part, ResultOf, Step as IStep, Values } from './istep.js';
import { Queueable } from './tree.js';

export function checkPart(call: string, part: unknown): Runnable {
  if (typeof part !== 'function' && !Queueable.is(part))
    badArgument(call, 'a function as body, or a step', part);
  return part as Runnable;
}

/** What a step has of what stands as its body, if it has no name of its own. */
export function partName(part: unknown): string | undefined {
  return Queueable.is(part) ? part.name : undefined;
}

export function checkParts(call: string, parts: readonly unknown[]): readonly Runnable[] {
  return parts.map((part, i) => checkPart(`${call}: part ${i + 1}`, part));
}

/**
 * A step with that body; a step value is given back as it is. Its result is what the body returns, or gives to `success`. It ends when the
 * body, what it waits for and all steps that it has added have. What closes it from outside, a timeout, a cancel or a failed sibling,
 * cancels what runs in it. What is no function: `InternalError` at the call.
 *
 * Where the compiler can't know what a body leaves, since it calls `success` without returning that, or adds steps, say so:
 * `step<[User]>((asi) => …)` has a User as its result, whatever it finds; `step<[id: string], [User]>((asi, id) => …)`.
 * Guide: docs/first-flow.md#one-step
 *
 *     const greet = step((_asi, name: string) => `hello ${name}`);
 *     flow.add(greet.with('Ann'));
 */
export function step<In extends readonly unknown[], R, _Inferred>(
  body: Part<In, R>,
): IStep<In, ResultOf<R>>;
export function step<Out extends Values>(body: Part<any, Given<Out>>): IStep<any, Out>;
export function step<In extends Values, Out extends Values>(
  body: Part<In, Given<Out>>,
): IStep<In, Out>;
export function step(body: unknown): any {
  const part = checkPart('step', body);
  if (part instanceof Definition) return part;
  return new Definition(0, () => part, true);
}

/**
 * Runs its parts, bodies or step values, one after another, each with the values of the one before; the first gets what the step finds. Its
 * result is that of the last one; without parts it gives on what it finds. It ends with the last part, or with the first error: no further
 * part begins then. What closes it from outside, a timeout, a cancel or a failed sibling, cancels the part that runs. More than 12: a part
 * may be made of `steps` itself. Guide: docs/first-flow.md#one-after-the-other
 *
 *     const page = steps(loadUser, all(carts, mails), render).timeout(500);
 *     const html = await run(page.with('42'));
 */
export function steps<V extends Values>(): IStep<V, V>;
export function steps<A, In extends Values = readonly unknown[]>(
  a: Part<In, A>,
): IStep<In, ResultOf<A>>;
export function steps<A, B, In extends Values = readonly unknown[]>(
  a: Part<In, A>,
  b: Part<ResultOf<A>, B>,
): IStep<In, ResultOf<B>>;
export function steps<A, B, C, In extends Values = readonly unknown[]>(
  a: Part<In, A>,
  b: Part<ResultOf<A>, B>,
  c: Part<ResultOf<B>, C>,
): IStep<In, ResultOf<C>>;
export function steps<A, B, C, D, In extends Values = readonly unknown[]>(
  a: Part<In, A>,
  b: Part<ResultOf<A>, B>,
  c: Part<ResultOf<B>, C>,
  d: Part<ResultOf<C>, D>,
): IStep<In, ResultOf<D>>;
export function steps<A, B, C, D, E, In extends Values = readonly unknown[]>(
  a: Part<In, A>,
  b: Part<ResultOf<A>, B>,
  c: Part<ResultOf<B>, C>,
  d: Part<ResultOf<C>, D>,
  e: Part<ResultOf<D>, E>,
): IStep<In, ResultOf<E>>;
export function steps<A, B, C, D, E, F, In extends Values = readonly unknown[]>(
  a: Part<In, A>,
  b: Part<ResultOf<A>, B>,
  c: Part<ResultOf<B>, C>,
  d: Part<ResultOf<C>, D>,
  e: Part<ResultOf<D>, E>,
  f: Part<ResultOf<E>, F>,
): IStep<In, ResultOf<F>>;
export function steps<A, B, C, D, E, F, G, In extends Values = readonly unknown[]>(
  a: Part<In, A>,
  b: Part<ResultOf<A>, B>,
  c: Part<ResultOf<B>, C>,
  d: Part<ResultOf<C>, D>,
  e: Part<ResultOf<D>, E>,
  f: Part<ResultOf<E>, F>,
  g: Part<ResultOf<F>, G>,
): IStep<In, ResultOf<G>>;
export function steps<A, B, C, D, E, F, G, H, In extends Values = readonly unknown[]>(
  a: Part<In, A>,
  b: Part<ResultOf<A>, B>,
  c: Part<ResultOf<B>, C>,
  d: Part<ResultOf<C>, D>,
  e: Part<ResultOf<D>, E>,
  f: Part<ResultOf<E>, F>,
  g: Part<ResultOf<F>, G>,
  h: Part<ResultOf<G>, H>,
): IStep<In, ResultOf<H>>;
export function steps<A, B, C, D, E, F, G, H, I, In extends Values = readonly unknown[]>(
  a: Part<In, A>,
  b: Part<ResultOf<A>, B>,
  c: Part<ResultOf<B>, C>,
  d: Part<ResultOf<C>, D>,
  e: Part<ResultOf<D>, E>,
  f: Part<ResultOf<E>, F>,
  g: Part<ResultOf<F>, G>,
  h: Part<ResultOf<G>, H>,
  i: Part<ResultOf<H>, I>,
): IStep<In, ResultOf<I>>;
export function steps<A, B, C, D, E, F, G, H, I, J, In extends Values = readonly unknown[]>(
  a: Part<In, A>,
  b: Part<ResultOf<A>, B>,
  c: Part<ResultOf<B>, C>,
  d: Part<ResultOf<C>, D>,
  e: Part<ResultOf<D>, E>,
  f: Part<ResultOf<E>, F>,
  g: Part<ResultOf<F>, G>,
  h: Part<ResultOf<G>, H>,
  i: Part<ResultOf<H>, I>,
  j: Part<ResultOf<I>, J>,
): IStep<In, ResultOf<J>>;
export function steps<A, B, C, D, E, F, G, H, I, J, K, In extends Values = readonly unknown[]>(
  a: Part<In, A>,
  b: Part<ResultOf<A>, B>,
  c: Part<ResultOf<B>, C>,
  d: Part<ResultOf<C>, D>,
  e: Part<ResultOf<D>, E>,
  f: Part<ResultOf<E>, F>,
  g: Part<ResultOf<F>, G>,
  h: Part<ResultOf<G>, H>,
  i: Part<ResultOf<H>, I>,
  j: Part<ResultOf<I>, J>,
  k: Part<ResultOf<J>, K>,
): IStep<In, ResultOf<K>>;
export function steps<A, B, C, D, E, F, G, H, I, J, K, L, In extends Values = readonly unknown[]>(
  a: Part<In, A>,
  b: Part<ResultOf<A>, B>,
  c: Part<ResultOf<B>, C>,
  d: Part<ResultOf<C>, D>,
  e: Part<ResultOf<D>, E>,
  f: Part<ResultOf<E>, F>,
  g: Part<ResultOf<F>, G>,
  h: Part<ResultOf<G>, H>,
  i: Part<ResultOf<H>, I>,
  j: Part<ResultOf<I>, J>,
  k: Part<ResultOf<J>, K>,
  l: Part<ResultOf<K>, L>,
): IStep<In, ResultOf<L>>;
/** `steps(...list)`: each part gets what the one before has left, and leaves the like. Guide: docs/first-flow.md#one-after-the-other */
export function steps<V extends Values>(eachOfList?: Part<V, Given<V>>): IStep<V, any>;
export function steps(...parts: unknown[]): any {
  return define(new Sequence(checkParts('steps', parts)));
}
