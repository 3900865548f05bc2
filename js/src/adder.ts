// The calls that add one step each. An owner may add when its phase says so; arguments are judged here, at the caller, but
// for counts and collections, which a loop looks at when it starts.

import { isPromise, markHandled } from './await.js';
import { badArgument, checkLabel, misuse } from './error.js';
import type {
  Body,
  EachBody,
  ErrorHandler,
  IAsyncSteps,
  IParallel,
  ISync,
  RepeatBody,
} from './iasyncsteps.js';
import { COUNT, EACH, ENDLESS, Loop } from './loop.js';
import { Branches, Parallel } from './parallel.js';
import { ADDING, AWAIT, BODY, IDLE, LOOP, PARALLEL, RELINQUISH, SECTION } from './phase.js';
import type { Step } from './step.js';
import { isGuard, Section } from './sync.js';
import { append, type Owner } from './tree.js';

export function add(
  owner: Owner,
  body: unknown,
  onerror: ErrorHandler | undefined,
  name: string | undefined,
): void {
  checkOwner(owner, 'add');
  checkBody('add', body);
  const catches = handler('add', onerror);
  append(owner, 0, body, catches, name);
}

export function addValues(owner: Owner, values: unknown[]): void {
  checkOwner(owner, 'successStep');
  append(owner, 0, (asi: Step) => asi.success(...values), null);
}

export function addLoop(
  owner: Owner,
  mode: typeof ENDLESS | typeof COUNT | typeof EACH,
  source: unknown,
  body: unknown,
  label: unknown,
): void {
  const call = ['loop', 'repeat', 'forEach'][mode]!;
  checkOwner(owner, call);
  checkBody(call, body);
  append(owner, LOOP, new Loop(mode, source, body, checkLabel(call, label)), null);
}

export function addParallel(
  owner: Owner,
  onerror: ErrorHandler | undefined,
  name: string | undefined,
): IParallel {
  checkOwner(owner, 'parallel');
  const catches = handler('parallel', onerror);
  return new Parallel(owner, append(owner, PARALLEL | IDLE, new Branches(), catches, name));
}

export function addAwait(
  owner: Owner,
  awaitable: unknown,
  onerror: ErrorHandler | undefined,
): void {
  checkOwner(owner, 'await');
  const catches = handler('await', onerror);
  const native = isPromise(awaitable) ?? badArgument('await', 'a promise or thenable', awaitable);
  const step = append(owner, AWAIT, awaitable, catches);
  if (native) markHandled(step, (owner.bits & BODY) !== 0 && step.link === step);
}

export function addSection(
  owner: Owner,
  guard: unknown,
  body: unknown,
  onerror: ErrorHandler | undefined,
): void {
  checkOwner(owner, 'sync');
  if (!isGuard(guard)) badArgument('sync', 'an object with lock and unlock', guard);
  checkBody('sync', body);
  append(owner, SECTION, new Section(guard, body, handler('sync', onerror)), null);
}

export function addRelinquish(owner: Owner): void {
  checkOwner(owner, 'relinquish');
  append(owner, RELINQUISH, null, null);
}

function checkBody(call: string, body: unknown): void {
  if (typeof body !== 'function') badArgument(call, 'a function as body', body);
}

function handler(call: string, onerror: ErrorHandler | undefined): ErrorHandler | null {
  if (onerror === undefined || onerror === null) return null;
  if (typeof onerror !== 'function') badArgument(call, 'a function as error handler', onerror);
  return onerror;
}

/** Steps are added in a body, in a handler, and while a root or a queued parallel is being filled. */
export function checkOwner(owner: Owner, call: string): void {
  if (owner.bits & ADDING) return;
  throw misuse(`${call}: only in a body, handler or idle root`);
}

/** The calls that each add a step, of a root and of an accessor. */
export abstract class Adder {
  /** @internal */
  declare bits: number;
  /** @internal */
  declare tail: Step | null;
  /** @internal */
  declare count: number;

  /** See {@link IAsyncSteps}; on a root that is executing it throws `InternalError`, as all adding does. */
  add(body: Body, onerror?: ErrorHandler, name?: string): this {
    add(this, body, onerror, name);
    return this;
  }

  successStep(...values: unknown[]): this {
    addValues(this, values);
    return this;
  }

  loop(body: (asi: IAsyncSteps) => unknown, label?: string): this {
    addLoop(this, ENDLESS, undefined, body, label);
    return this;
  }

  repeat(n: number, body: RepeatBody, label?: string): this {
    addLoop(this, COUNT, n, body, label);
    return this;
  }

  forEach<V>(list: readonly V[], body: EachBody<number, V>, label?: string): this;
  forEach<K, V>(map: ReadonlyMap<K, V>, body: EachBody<K, V>, label?: string): this;
  forEach<V>(
    items: Iterable<V> | AsyncIterable<V>,
    body: EachBody<number, V>,
    label?: string,
  ): this;
  forEach<V>(object: Readonly<Record<string, V>>, body: EachBody<string, V>, label?: string): this;
  forEach(collection: unknown, body: unknown, label?: string): this {
    addLoop(this, EACH, collection, body, label);
    return this;
  }

  parallel(onerror?: ErrorHandler, name?: string): IParallel {
    return addParallel(this, onerror, name);
  }

  await(awaitable: PromiseLike<unknown>, onerror?: ErrorHandler): this {
    addAwait(this, awaitable, onerror);
    return this;
  }

  sync(guard: ISync, body: Body, onerror?: ErrorHandler): this {
    addSection(this, guard, body, onerror);
    return this;
  }

  relinquish(): this {
    addRelinquish(this);
    return this;
  }
}
