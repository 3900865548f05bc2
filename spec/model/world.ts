/** All that one case has: its tool, and its flows, promises and kept things by name; and the trace. */
import { type Awaitable, makeAwaitable } from './awaitable.js';
import type { Channel } from './channel.js';
import type { Completion } from './external.js';
import { makeFlow } from './flow.js';
import type { Observer } from './observe.js';
import type { Lease } from './lease.js';
import { makeOrder } from './order.js';
import type { Recorder } from './recorder.js';
import type { Budget } from './retry.js';
import { makeScope, type Scope } from './scope.js';
import type { Flow, Guard, Outcome, Step } from './shape.js';
import { makeSignal, type Signal } from './signal.js';
import type { Stalls } from './stalls.js';
import { codeOf } from './thrown.js';
import { type Entry, makeTool } from './tool.js';

const LONGEST_TRACE = 10_000;

/** Whose actions they are: the step that they are called on, and what the trace calls it. */
export interface Context {
  step: Step | undefined;
  id: string;
  /** In a deferred function, and in `unlock()`. */
  end?: Outcome | undefined;
}

export type Action = string | { [key: string]: any };

export interface Options {
  burst?: number;
  grace?: number | string;
}

export interface World {
  tool: ReturnType<typeof makeTool>;
  flows: Map<string, Flow>;
  contexts: Map<string, Context>;
  completions: Map<string, Completion>;
  handles: Map<string, Entry>;
  guards: Map<string, Guard>;
  leases: Map<string, Lease>;
  channels: Map<string, Channel>;
  budgets: Map<string, Budget>;
  promises: Map<string, Awaitable>;
  signals: Map<string, Signal>;
  scopes: Map<string, Scope>;
  recorders: Map<string, Recorder>;
  observer: Observer | undefined;
  stalls: Stalls | undefined;
  cancellable: readonly string[];
  operations: readonly string[];
  trace: string[];
  /** The time of the last line. */
  time: number;
  fault: Fault | undefined;
  /** A kept accessor was used once its step had closed, which a case may not do where accessors dangle. */
  stale: boolean;
}

export function makeWorld(
  cancellable: readonly string[],
  operations: readonly string[],
  seed?: number,
  order?: number | number[],
): World {
  return {
    tool: makeTool(seed, makeOrder(order)),
    flows: new Map(),
    contexts: new Map(),
    completions: new Map(),
    handles: new Map(),
    guards: new Map(),
    leases: new Map(),
    channels: new Map(),
    budgets: new Map(),
    promises: new Map(),
    signals: new Map(),
    scopes: new Map(),
    recorders: new Map(),
    observer: undefined,
    stalls: undefined,
    cancellable,
    operations,
    trace: [],
    time: 0,
    fault: undefined,
    stale: false,
  };
}

export function log(world: World, text: string): void {
  const { now } = world.tool;
  if (now !== world.time) write(world, `@${now}`);
  world.time = now;
  write(world, text);
}

function write({ tool, trace }: World, line: string): void {
  if (tool.stopped) return;
  if (trace.length === LONGEST_TRACE) tool.stopped = true;
  trace.push(tool.stopped ? 'truncated' : line);
}

export function newFlow(world: World, name: string, options?: Options): Flow {
  const flow = namelessFlow(world, name, options);
  world.flows.set(name, flow);
  return flow;
}

/** One that nobody can name: `name` is only what the trace calls it. */
export function namelessFlow(world: World, name: string, options: Options = {}): Flow {
  const { burst, grace } = options;
  const hooks = {
    unhandled: ({ code }: { code: string }) => log(world, `${name} unhandled ${code}`),
    report: (thrown: unknown) => log(world, `${name} report ${codeOf(thrown)}`),
  };
  return makeFlow(world.tool, hooks, burst, grace === undefined ? undefined : Number(grace), name);
}

/** The scope of that name, made when it is first mentioned. */
export function scopeNamed(world: World, name: string): Scope {
  return world.scopes.get(name) ?? newScope(world, name);
}

export function newScope(world: World, name: string, options?: Options): Scope {
  const made = makeScope(world.tool, () => namelessFlow(world, name, options));
  world.scopes.set(name, made);
  return made;
}

/** The promise of that name, made when it is first mentioned. */
export function promiseOf(world: World, name: string): Awaitable {
  const known = world.promises.get(name);
  if (known !== undefined) return known;
  const cancel = () => log(world, `${name} cancelled`);
  const lasts = world.operations.includes(name);
  const stops = lasts || world.cancellable.includes(name);
  const made = makeAwaitable(world.tool, stops ? cancel : undefined, lasts);
  world.promises.set(name, made);
  return made;
}

/** The signal of that name: a step's, or one from outside that is made when it is first mentioned. */
export function signalNamed(world: World, name: string): Signal {
  const known = world.signals.get(name) ?? makeSignal();
  world.signals.set(name, known);
  return known;
}

/** Something that the case has named. */
export function found<T>(world: World, things: Map<string, T>, name: string): T {
  const thing = things.get(name);
  if (thing === undefined) throw fault(world, `nothing is named '${name}'`);
  return thing;
}

/** A mistake of the case: noted, for a body may swallow it. */
export function fault(world: World, why: string): Fault {
  world.fault ??= new Fault(why);
  return world.fault;
}

/** A case that can't be run. */
export class Fault extends Error {}
