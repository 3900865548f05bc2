/** Adding steps to the level of a body or handler, to an idle flow, or as a branch. */
import type { Awaitable } from './awaitable.js';
import { success, mayAdd } from './accessor.js';
import { counted, entriesOf, forEver } from './loop.js';
import {
  type Body,
  type Flow,
  type Guard,
  type Handler,
  type Items,
  type Kind,
  makeStep,
  type Step,
  type Values,
} from './shape.js';
import type { Mapping } from './map.js';
import type { Retrying } from './retry.js';
import { misuse } from './thrown.js';

/** Where steps can be added. */
export interface Adder {
  flow: Flow;
  put(step: Step, name?: string): void;
}

/** [model-16] [error-31] [error-34] */
function putInto(parent: Step, step: Step, name?: string): void {
  step.parent = parent;
  step.element = name ?? `${parent.counted}`;
  parent.counted++;
  parent.level.push(step);
}

/** A body or handler. */
export function adderOf(parent: Step): Adder {
  return {
    flow: parent.flow,
    put(step, name) {
      mayAdd(parent);
      putInto(parent, step, name);
    },
  };
}

/** The root of a flow. [model-4] */
export function adderOfFlow(flow: Flow): Adder {
  return {
    flow,
    put(step, name) {
      if (flow.running) throw misuse('the flow runs');
      putInto(flow.root, step, name);
    },
  };
}

/** The object that parallel(), race() and any() give. [parallel-6] [parallel-8] [error-33] */
export function addBranches(
  to: Adder,
  wants: Step['wants'],
  handler?: Handler,
  name?: string,
): Adder {
  const parallel = put(to, 'parallel', { wants, handler }, name);
  const maker = parallel.parent!;
  return {
    flow: to.flow,
    put(step) {
      if (parallel.phase !== 'queued') throw misuse('the parallel has started');
      if (maker !== to.flow.root) mayAdd(maker);
      step.element = `|${parallel.branches.length}`;
      parallel.branches.push(step);
    },
  };
}

function put(to: Adder, kind: Kind, parts: Partial<Step>, name?: string): Step {
  const step = Object.assign(makeStep(kind, to.flow), parts);
  to.put(step, name);
  return step;
}

export function addStep(to: Adder, body: Body, handler?: Handler, name?: string): void {
  put(to, 'plain', { body, handler }, name);
}

/** [results-9] */
export function addSuccess(to: Adder, values: Values): void {
  addStep(to, (step) => success(step, values));
}

export function addLoop(to: Adder, body: Body, label = ''): void {
  addItems(to, () => forEver, body, label);
}

export function addRepeat(to: Adder, n: unknown, body: Body, label = ''): void {
  addItems(to, () => counted(n), body, label);
}

export function addForEach(to: Adder, collection: unknown, body: Body, label = ''): void {
  addItems(to, () => entriesOf(collection), body, label);
}

function addItems(to: Adder, start: () => Items | undefined, body: Body, label: string): void {
  put(to, 'loop', { start, body, label });
}

export function addAwait(to: Adder, awaited: Awaitable, handler?: Handler): void {
  put(to, 'await', { awaited, handler });
}

export function addRelinquish(to: Adder): void {
  put(to, 'relinquish', {});
}

/** [sync-1] [sync-15] */
export function addSync(to: Adder, guard: Guard, body: Body, handler?: Handler): void {
  put(to, 'section', { guard, body, handler });
}

/** [cleanup-70] [cleanup-71] */
export function addShield(to: Adder, limit: number, body: Body, handler?: Handler): void {
  if (!(limit >= 0) || limit === Number.POSITIVE_INFINITY) {
    throw misuse('a shield has a finite limit');
  }
  put(to, 'shield', { shieldLimit: limit, body, handler });
}

/** [flow-30] [flow-31] */
export function addDelay(to: Adder, delay: number): void {
  if (!(delay >= 0)) throw misuse('a delay is a number from 0 up');
  put(to, 'delay', { delay });
}

/** [flow-91] [flow-92] [flow-103] */
export function addMap(
  to: Adder,
  options: Pick<Mapping, 'limit' | 'ordered' | 'sink' | 'open'>,
  body: Body,
  handler?: Handler,
): void {
  if (!Number.isInteger(options.limit) || options.limit < 1) {
    throw misuse('a map has room for an item');
  }
  const mapping = {
    ...options,
    source: undefined,
    starting: false,
    failed: false,
    room: 0,
    items: 0,
    results: [],
    given: 0,
  };
  put(to, 'parallel', { wants: 'map', mapping, body, handler });
}

/** [flow-40] [flow-58] */
export function addRetry(to: Adder, retrying: Retrying, body: Body, handler?: Handler): void {
  put(to, 'retry', { retrying, body, handler });
}
