// The calls that add one step each. An owner may add when its phase says so; arguments are judged here, at the caller, but
// for counts and collections, which a loop looks at when it starts.

import { markHandled } from './await.js';
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
  checkBody('add', body);
  const catches = handler('add', onerror);
  if (name === undefined) append(owner, 0, body, catches);
  else appendNamed(owner, 0, body, catches, name);
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
  checkBody(call, body);
  append(owner, LOOP, new Loop(mode, source, body, checkLabel(call, label)), null);
}

export function addParallel(
  owner: Owner,
  onerror: ErrorHandler | undefined,
  name: string | undefined,
): IParallel {
  if ((owner.bits & ADDING) === 0) refuse('parallel');
  const catches = handler('parallel', onerror);
  return new Parallel(owner, appendNamed(owner, PARALLEL | IDLE, new Branches(), catches, name));
}

export function addAwait(
  owner: Owner,
  awaitable: unknown,
  onerror: ErrorHandler | undefined,
): void {
  if ((owner.bits & ADDING) === 0) refuse('await');
  const catches = handler('await', onerror);
  if (!markHandled(awaitable)) badArgument('await', 'a promise or thenable', awaitable);
  append(owner, AWAIT, awaitable, catches);
}

export function addRelinquish(owner: Owner): void {
  if ((owner.bits & ADDING) === 0) refuse('relinquish');
  append(owner, RELINQUISH, null, null);
}

/** An argument that is refused leaves the level as it is, so the name is looked at first. */
function appendNamed(
  owner: Owner,
  kind: number,
  work: unknown,
  onerror: ErrorHandler | null,
  name: string | undefined,
): Step {
  if (name !== undefined && typeof name !== 'string') badArgument('name', 'a string', name);
  const step = append(owner, kind, work, onerror);
  if (name) optionsOf(step).name = name;
  return step;
}

function checkBody(call: string, body: unknown): void {
  if (typeof body !== 'function') badArgument(call, 'a function as body', body);
}

function handler(call: string, onerror: ErrorHandler | undefined): ErrorHandler | null {
  if (onerror === undefined || onerror === null) return null;
  if (typeof onerror !== 'function') badArgument(call, 'a function as error handler', onerror);
  return onerror;
}

function refuse(call: string): never {
  throw misuse(`${call}: only in a body, a handler, or an idle root`);
}
