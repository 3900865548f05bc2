/**
 * What there is: flows, lines and steps, as plain objects. The tree of steps is the whole state of a flow; a branch's line hangs
 * under the parallel step that started it, so that going from `parent` to `parent` always ends at the root of the flow.
 */
import type { Failure } from './failure.js';
import type { Awaitable, Listener } from './awaitable.js';
import type { Channel } from './channel.js';
import type { Why } from './closing.js';
import type { Hedging } from './hedge.js';
import type { Lease } from './lease.js';
import type { Mapping } from './map.js';
import type { Retrying } from './retry.js';
import type { PutOff } from './shelter.js';
import type { Signal } from './signal.js';
import type { Sequence, Value } from './steps.js';
import type { Stopping } from './stopping.js';
import type { Entry, Timer, Tool } from './tool.js';

export type Values = readonly unknown[];

/** Who starts a flow is told how it ended ([model-12]). */
export type Outcome =
  | { kind: 'ok'; values: Values }
  | { kind: 'error'; failure: Failure }
  | { kind: 'cancelled'; reason: string };

export interface Hooks {
  unhandled(failure: Failure): void;
  report(thrown: unknown): void;
}

export interface Flow {
  tool: Tool;
  /** What snapshots call it. [observe-13] */
  name: string;
  /** [model-90] */
  state: { [key: string]: unknown };
  burst: number;
  /** How long a deferred function may last, in ms. */
  grace: number;
  hooks: Hooks;
  /** Its root line: the same one in all its runs. */
  line: Line | undefined;
  /** The frame around the first level: it has no body and no element in paths. */
  root: Step;
  running: boolean;
  /** The number of its first turn among those of all flows, when that is over; else 0. */
  begun: number;
  /** Is a body or a handler of it on the native stack? */
  onStack: boolean;
  /** The error that handlers of this flow see now ([error-24]). */
  view: Failure | undefined;
  /** A cancel that was called and is not performed yet ([cancel-20], [cancel-25]), or that is being performed. */
  cancel: { reason: string; performed: boolean } | undefined;
  /** Who waits for the end: `done` or a promise. */
  told: ((outcome: Outcome) => void) | undefined;
  /** It listens to a signal: it won't any more. */
  deafen: (() => void) | undefined;
  /** Who asked for the time when all is closed. */
  closers: (() => void)[];
}

export interface Hold {
  /** As snapshots show it. */
  shown: Shown;
  what: object;
  how: string;
  /** It stays taken, also if the line gives it back, until what this returns is called; none: of a guard that doesn't keep. */
  keep: (() => () => void) | undefined;
}

export interface Line {
  flow: Flow;
  /** Its outermost frame. A branch's hangs under the parallel step. */
  root: Step;
  /** The innermost open step. */
  top: Step;
  /** The slot of results ([results-1]). */
  values: Values;
  /** How many bodies it may still run in this turn. */
  budget: number;
  /** Its place in the run queue, if it has one. */
  queued: Entry | undefined;
  closed: boolean;
  /** Its number among the items of a map. */
  number: number;
  /** Closings that wait for something shielded in it. */
  putOff: PutOff[];
  /** What it has of guards, and how all of that is given back. */
  holds: Hold[];
}

export type Kind =
  | 'root'
  | 'plain'
  | 'loop'
  | 'iteration'
  | 'retry'
  | 'attempt'
  | 'parallel'
  | 'await'
  | 'delay'
  | 'relinquish'
  | 'section'
  | 'lock'
  | 'shield'
  | 'deferred'
  | 'steps'
  | 'taking';

/**
 * The phases of a step, as the table of the model chapter names them; `ready`: a section that is locked, its body is next; `cleaning`:
 * its cleanup runs; `stopping`: it waits for the end of what it has stopped, which has come when it is `stopped`.
 */
export type Phase =
  | 'queued'
  | 'body'
  | 'awaiting'
  | 'waiting'
  | 'claimed'
  | 'inner'
  | 'ready'
  | 'handler'
  | 'cleaning'
  | 'stopping'
  | 'stopped'
  | 'closing'
  | 'closed';

export type Body = (step: Step, ...values: unknown[]) => unknown;
export type Handler = (step: Step, code: string) => unknown;

/** Something that a body or handler said, in the order in which it said it. */
export type Said =
  | { what: 'success'; values: Values }
  | { what: 'error'; failure: Failure; signal: unknown }
  | { what: 'control'; control: Control; signal: unknown };

/** `break` or `continue` of the loop that `iteration` belongs to. */
export interface Control {
  action: 'break' | 'continue';
  iteration: Step;
}

/** What a body left behind, when all that it said is weighed ([model-26] and the table there). */
export type Left =
  | { what: 'ok'; values: Values }
  | { what: 'error'; failure: Failure }
  | { what: 'control'; control: Control }
  | { what: 'inner' }
  | { what: 'waits' };

export interface StepTimer {
  entry: Timer | undefined;
}

/** What the step will have ended with when its cleanup is over, as it stands now. */
export interface Cleanup {
  verdict: Why;
  then: (why: Why) => void;
  /** Is its error, if it has one, that of its work, and not of its cleanup? */
  own: boolean;
  /** Has any of its deferred functions failed? */
  failed: boolean;
}

export interface Step {
  kind: Kind;
  flow: Flow;
  parent: Step | undefined;
  /** Set when it opens. */
  line: Line | undefined;
  /** Its element in paths; none: ''. */
  element: string;
  /** The call that makes it, if its kind doesn't say that. [observe-5] */
  call: string;
  /** It stands for a part of its parent. */
  hidden: boolean;
  phase: Phase;
  body: Body | undefined;
  /** What stands in its place. */
  part: Value | undefined;
  handler: Handler | undefined;
  /** Has the error handler been called? It is at most once ([error-9]). */
  handled: boolean;
  /** The queue of its sub-steps. */
  level: Step[];
  /** How many sub-steps were added to it: the next one's index. */
  counted: number;
  said: Said[];
  /** What its body returned, and is no awaitable. */
  returned: unknown;
  /** A channel has given it a value, or taken one of it: it isn't too late any more. */
  taken: boolean;
  /** `waitExternal()` was called. */
  external: boolean;
  /** What it has set for all that is below it. */
  locals: Map<string, unknown>;
  /** `setTimeout()` or `setCancel()` was called. */
  guarded: boolean;
  /** The cancel handler. */
  undo: ((step: Step) => unknown) | undefined;
  /** Its signal, if it was asked for. */
  signal: Signal | undefined;
  /** The same, or what it was. */
  lastSignal: Signal | undefined;
  /** A timer that never fires has no `entry`. */
  timer: StepTimer | undefined;
  /** A limit that the step can't move: that of a shield step, the grace of a deferred function. */
  limit: StepTimer | undefined;
  shieldLimit: number;
  /** Its deferred functions, how many there were, and its cleanup once it has begun. */
  defers: Step[];
  registered: number;
  cleaned: Cleanup | undefined;
  /** delay: how long. */
  delay: number;
  /** The awaitable that it waits for; and, once it's left, the way of the closing that has stopped that. */
  awaited: Awaitable | undefined;
  /** Its own, from when it has begun to await. */
  listener: Listener | undefined;
  stopping: Stopping | undefined;
  /** What was claimed for it. */
  claim: Left | undefined;
  /** The guard or channel that it waits for, and its place there. */
  waitsAt: WaitsAt | undefined;
  /** What guards that it waits for do when it closes: with ok or not, and whether ok was claimed before. */
  lost: ((ok: boolean, claimed: boolean) => void)[];
  /** loop: `start` looks at what is to be repeated; `item` then gives the arguments of iteration i, or nothing at the end. */
  label: string;
  start: (() => Items | undefined) | undefined;
  item: Items | undefined;
  iterations: number;
  /** loop over a channel, and the step inside that waits for a value of it; whether one of a loop has. */
  channel: Channel | undefined;
  took: boolean;
  retrying: Retrying | undefined;
  /** steps: what it runs, and how many parts have begun; section: 1 if its body has. */
  sequence: Sequence | undefined;
  begun: number;
  /** iteration: its loop. */
  loop: Step | undefined;
  /** parallel: whose outcome counts, the first step of each branch, and the lines once they run. */
  wants: 'all' | 'first' | 'any' | 'map' | 'hedge';
  branches: Step[];
  lines: Line[];
  /** Each branch gets what the step has found; and all: the first values of the branches. */
  gives: boolean;
  list: unknown[] | undefined;
  /** What its branches are to be. */
  described: Value[];
  /** race, any: the values of the branch that has won; any: what its branches failed with, each in its place. */
  won: Values;
  failures: Failure[];
  mapping: Mapping | undefined;
  hedging: Hedging | undefined;
  /** hedge: its body gets the number of the attempt. */
  numbered: boolean;
  /** section: its guard, whether unlock() is owed. */
  guard: Guard | undefined;
  locked: boolean;
  lease: Lease | undefined;
  /** section, retry, hedge: the values that its bodies are to get. */
  kept: Values;
}

/** The arguments of iteration i. */
export type Items = (i: number) => Values | undefined;

/** A guard of ours, as snapshots show it. [observe-11] */
export interface Shown {
  kind: string;
  name: string;
  says: () => { [what: string]: number | string };
  /** Those who have it. */
  lines: () => Line[];
}

export interface WaitsAt {
  what: 'guard' | 'send' | 'receive';
  guard: Shown | undefined;
  /** Of a guard: by which it is waited for. */
  kind?: string;
  /** Of the guard or channel. */
  name: string;
  place: () => number;
}

/** What sections can be guarded with. */
export interface Guard {
  lock(step: Step): unknown;
  unlock(step: Step, end?: Outcome, why?: Why): unknown;
  /** It's the program's own. */
  custom?: true;
  /** [sync-129] to [sync-131] [sync-170]; of ours. */
  says?(): { [what: string]: number | string };
  /** Of a mutex: another guard of it. [sync-123] */
  places?(n: number): Guard;
  /** Of a mutex, throttle, limiter or breaker: whether it is as one that is made now, or, without a tool, at any time. [sync-186] [sync-187] */
  isNew?(tool?: Tool): boolean;
  /** Of a keyed: the guard of a key. [sync-180] */
  of?(key: string): Guard;
  /** Of a gate or a barrier: adds a step that waits. */
  waitAt?(step: Step): void;
}

export function makeStep(kind: Kind, flow: Flow, parent?: Step): Step {
  return {
    kind,
    flow,
    parent,
    line: undefined,
    element: '',
    phase: 'queued',
    body: undefined,
    part: undefined,
    call: '',
    hidden: false,
    sequence: undefined,
    begun: 0,
    gives: false,
    list: undefined,
    described: [],
    handler: undefined,
    handled: false,
    level: [],
    counted: 0,
    said: [],
    returned: undefined,
    taken: false,
    external: false,
    locals: new Map(),
    guarded: false,
    undo: undefined,
    signal: undefined,
    lastSignal: undefined,
    timer: undefined,
    limit: undefined,
    shieldLimit: 0,
    defers: [],
    registered: 0,
    cleaned: undefined,
    delay: 0,
    awaited: undefined,
    listener: undefined,
    stopping: undefined,
    claim: undefined,
    waitsAt: undefined,
    lost: [],
    label: '',
    start: undefined,
    item: undefined,
    iterations: 0,
    channel: undefined,
    took: false,
    retrying: undefined,
    loop: undefined,
    wants: 'all',
    branches: [],
    lines: [],
    won: [],
    failures: [],
    mapping: undefined,
    hedging: undefined,
    numbered: false,
    guard: undefined,
    locked: false,
    lease: undefined,
    kept: [],
  };
}

/** A root frame with nothing in it. */
export function makeRoot(flow: Flow, parent?: Step): Step {
  return { ...makeStep('root', flow, parent), phase: 'inner' };
}

export function makeLine(flow: Flow, root: Step): Line {
  const line: Line = {
    flow,
    root,
    top: root,
    values: [],
    budget: 0,
    queued: undefined,
    closed: false,
    number: 0,
    putOff: [],
    holds: [],
  };
  root.line = line;
  return line;
}

export function isAwaitable(value: unknown): value is Awaitable {
  return typeof value === 'object' && value !== null && 'settled' in value;
}
