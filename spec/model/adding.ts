/** Adding steps to the level of a body or handler, to an idle flow, or as a branch. */
import type { Awaitable } from './awaitable.js';
import type { Channel } from './channel.js';
import { success, mayAdd } from './accessor.js';
import { counted, entriesOf, forEver } from './loop.js';
import type { Body, Flow, Guard, Handler, Items, Step, Values } from './shape.js';
import { putBranch } from './parallel.js';
import { put, putInto, type Value } from './steps.js';
import type { Hedging } from './hedge.js';
import type { Mapping } from './map.js';
import type { Retrying } from './retry.js';
import { misuse } from './thrown.js';

/** Where steps can be added. */
export interface Adder {
  flow: Flow;
  put(step: Step, name?: string): void;
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

/** The object that parallel() gives. [parallel-6] [parallel-8] [error-33] */
export function addParallel(to: Adder, handler?: Handler, name?: string): Adder {
  const parallel = put(to, {
    kind: 'parallel',
    call: 'parallel',
    name,
    handler,
    parts: () => ({ wants: 'all' }),
  });
  const maker = parallel.parent!;
  const { flow } = to;
  return {
    flow,
    put(step, name) {
      if (parallel.phase !== 'queued') throw misuse('the parallel has started');
      if (maker !== flow.root) mayAdd(maker);
      putBranch(parallel, step, name);
    },
  };
}

/** [flow-1] [flow-2] [values-13] [values-14] */
export function branchesOf(wants: Step['wants'], branches: Value[], isAll = false): Value {
  const list = () => (isAll ? branches.map(() => null) : undefined);
  return {
    kind: 'parallel',
    call: isAll ? 'all' : wants === 'first' ? 'race' : wants,
    parts: () => ({ wants, gives: true, described: branches, list: list() }),
  };
}

/** A body, or a value in its place. */
export type Inside = Pick<Step, 'body' | 'part'>;

export function stepOf(inside: Inside): Value {
  return inside.part ?? { kind: 'plain', parts: () => inside };
}

/** [values-18] */
function around({ part }: Inside, value: Value): Value {
  return { ...value, name: part?.name };
}

export function addStep(to: Adder, body: Body): void {
  put(to, stepOf({ body, part: undefined }));
}

/** [results-9] */
export function successOf(values: Values): Value {
  return stepOf({ body: (step) => success(step, values), part: undefined });
}

export function loopOf(inside: Inside, label?: string): Value {
  return itemsOf(() => forEver, inside, label);
}

export function repeatOf(n: unknown, inside: Inside, label?: string): Value {
  return { ...itemsOf(() => counted(n), inside, label), call: 'repeat' };
}

export function forEachOf(collection: unknown, inside: Inside, label?: string): Value {
  return { ...itemsOf(() => entriesOf(collection), inside, label), call: 'forEach' };
}

/** [channel-38] */
export function channelLoopOf(channel: Channel, inside: Inside, label = ''): Value {
  const parts = () => ({ start: () => forEver, label, channel, ...inside });
  return around(inside, { kind: 'loop', call: 'forEach', parts });
}

function itemsOf(start: () => Items | undefined, inside: Inside, label = ''): Value {
  return around(inside, { kind: 'loop', parts: () => ({ start, label, ...inside }) });
}

export function awaitOf(awaited: Awaitable): Value {
  return { kind: 'await', parts: () => ({ awaited }) };
}

export function relinquishOf(): Value {
  return { kind: 'relinquish', parts: () => ({ hidden: true }) };
}

/** [sync-1] [parallel-6] */
export function syncOf(guard: Guard, inside: Inside): Value {
  return around(inside, { kind: 'section', parts: () => ({ guard, ...inside }) });
}

/** [cleanup-70] [cleanup-71] */
export function shieldOf(limit: number, inside: Inside): Value {
  if (!(limit >= 0) || limit === Number.POSITIVE_INFINITY) {
    throw misuse('a shield has a finite limit');
  }
  return around(inside, { kind: 'shield', parts: () => ({ shieldLimit: limit, ...inside }) });
}

/** [flow-30] [flow-31] */
export function delayOf(delay: number): Value {
  if (!(delay >= 0)) throw misuse('a delay is a number from 0 up');
  return { kind: 'delay', parts: () => ({ delay }) };
}

/** [values-16] */
export function mapOf(
  options: Pick<Mapping, 'limit' | 'ordered' | 'sink' | 'open' | 'channel'>,
  inside: Inside,
): Value {
  if (!Number.isInteger(options.limit) || options.limit < 1) {
    throw misuse('a map has room for an item');
  }
  const fresh = () => ({
    ...options,
    source: undefined,
    taking: undefined,
    starting: false,
    failed: false,
    room: 0,
    items: 0,
    results: [],
    given: 0,
  });
  return around(inside, {
    kind: 'parallel',
    call: 'map',
    parts: () => ({ wants: 'map', mapping: fresh(), ...inside }),
  });
}

/** [flow-40] [values-16] */
export function retryOf(make: () => Retrying, inside: Inside): Value {
  make();
  return around(inside, { kind: 'retry', parts: () => ({ retrying: make(), ...inside }) });
}

/** [flow-120] [values-16] */
export function hedgeOf(make: () => Hedging, inside: Inside): Value {
  make();
  const described = [stepOf(inside)];
  const numbered = inside.part === undefined;
  return around(inside, {
    kind: 'parallel',
    call: 'hedge',
    parts: () => ({ wants: 'hedge', hedging: make(), described, numbered }),
  });
}
