// The calls that add one step each. An owner may add when its phase says so; arguments are judged here, at the caller, but
// for counts and collections, which a loop looks at when it starts.

import { isNative, isThenable } from './await.js';
import { badArgument, checkLabel, misuse } from './error.js';
import type { ErrorHandler, IParallel } from './iasyncsteps.js';
import { COUNT, EACH, ENDLESS, Loop } from './loop.js';
import { Branches, Parallel } from './parallel.js';
import { ADDING, AWAIT, IDLE, LOOP, PARALLEL, RELINQUISH } from './phase.js';
import type { Step } from './step.js';
import { append, optionsOf, type Owner } from './tree.js';

export function add(
  owner: Owner,
  body: unknown,
  onerror: ErrorHandler | undefined,
  name: string | undefined,
): void {
  if ((owner.bits & ADDING) === 0) refuse('add');
  if (typeof body !== 'function') badArgument('add', 'a function as body', body);
  const step = append(owner, 0, body, onerror === undefined ? null : handler('add', onerror));
  if (name !== undefined) setName(step, name);
}

export function addValues(owner: Owner, values: unknown[]): void {
  if ((owner.bits & ADDING) === 0) refuse('successStep');
  append(owner, 0, (asi: Step) => asi.success(...values), null);
}

export function addLoop(owner: Owner, body: unknown, label: string | undefined): void {
  addLoopStep(owner, 'loop', ENDLESS, undefined, body, label);
}

export function addRepeat(owner: Owner, n: number, body: unknown, label: string | undefined): void {
  addLoopStep(owner, 'repeat', COUNT, n, body, label);
}

export function addForEach(
  owner: Owner,
  collection: unknown,
  body: unknown,
  label: string | undefined,
): void {
  addLoopStep(owner, 'forEach', EACH, collection, body, label);
}

function addLoopStep(
  owner: Owner,
  call: string,
  mode: number,
  source: unknown,
  body: unknown,
  label: unknown,
): void {
  if ((owner.bits & ADDING) === 0) refuse(call);
  if (typeof body !== 'function') badArgument(call, 'a function as body', body);
  append(owner, LOOP, new Loop(mode, source, body, checkLabel(call, label)), null);
}

export function addParallel(
  owner: Owner,
  onerror: ErrorHandler | undefined,
  name: string | undefined,
): IParallel {
  if ((owner.bits & ADDING) === 0) refuse('parallel');
  const catches = onerror === undefined ? null : handler('parallel', onerror);
  const host = append(owner, PARALLEL | IDLE, new Branches(), catches);
  if (name !== undefined) setName(host, name);
  return new Parallel(owner, host);
}

export function addAwait(
  owner: Owner,
  awaitable: unknown,
  onerror: ErrorHandler | undefined,
): void {
  if ((owner.bits & ADDING) === 0) refuse('await');
  const native = isNative(awaitable);
  if (!native && !isThenable(awaitable)) badArgument('await', 'a promise or thenable', awaitable);
  const catches = onerror === undefined ? null : handler('await', onerror);
  if (native) awaitable.then(undefined, ignore);
  append(owner, AWAIT, awaitable, catches);
}

export function addRelinquish(owner: Owner): void {
  if ((owner.bits & ADDING) === 0) refuse('relinquish');
  append(owner, RELINQUISH, null, null);
}

function setName(step: Step, name: string): void {
  if (typeof name !== 'string') badArgument('name', 'a string', name);
  if (name !== '') optionsOf(step).name = name;
}

function handler(call: string, onerror: ErrorHandler): ErrorHandler | null {
  if (onerror === null) return null;
  if (typeof onerror !== 'function') badArgument(call, 'a function as error handler', onerror);
  return onerror;
}

function refuse(call: string): never {
  throw misuse(`${call}: only in a body, a handler, or an idle root`);
}

/** An early rejection belongs to the flow that awaits it, not to the process. */
function ignore(): void {}
