// What flows do, as plain data. It is read from the tree, and nothing is noted for it before somebody asks.
//
// - A line has one step open inside of the other, so it is a list; what branches is a line inside of its last step.
// - Lists of what is yet to be looked at, no calls inside of calls: a flow may be a million levels deep.

import type { AsyncSteps } from './asyncsteps.js';
import { isListening } from './end.js';
import { badArgument } from './error.js';
import type { IFlow } from './iasyncsteps.js';
import type { HostedLine, Hosts, Kind, Wait, WaitedFor } from './kind.js';
import { elementsOf, pathOf } from './path.js';
import {
  AWAITING,
  BODY,
  BRANCH,
  CANCEL,
  CANCELLING,
  CLAIMED,
  CLOSED,
  DEFERRED,
  EXITS,
  GIVEN,
  HANDLER,
  HIDDEN,
  HOSTS,
  IDLE,
  INNER,
  KNOWN,
  LATCHED,
  LIVE,
  OPENS,
  ROUNDS,
  WAITING,
} from './phase.js';
import { isObject } from './portable.js';
import { Shelter, shelterIf } from './shelter.js';
import { kindOf, type Step } from './step.js';
import type { StepTimer } from './timer.js';
import { ToolCore } from './toolcore.js';
import type { Line } from './tree.js';
import { Waiter } from './waiters.js';

/** A step that is open. */
export interface StepSnapshot {
  /** As paths show it: a name or a number, `#0` of a round or an attempt, `|0` or `|name` of a branch, `~0` of a deferred function. */
  element: string;
  /** The call that makes it: `step`, `steps`, `loop`, `sync`, …; `defer`. */
  kind: string;
  /** What is left of the limit that it has set, in milliseconds; absent: none. */
  timeout?: number;
}

/** What a line waits for. */
export interface WaitSnapshot {
  /** Which it is: for the table see `spec/observe.md`. */
  for: Wait['for'];
  /** `timer`: how many milliseconds are left; absent: it waits for ever. */
  ms?: number;
  /** `guard`: the `id` of one of the runtime's. */
  guard?: number;
  /** `guard`: which one it is, `mutex`, `limiter`, … */
  kind?: string;
  /** Of the guard or channel, as it was given; absent: it has none. */
  name?: string;
  /** `guard`: the place in its queue, from 1 on. */
  place?: number;
}

/** A line of execution: that of a flow, or a branch. */
export interface LineSnapshot {
  /** Its open steps, the outermost first. */
  steps: StepSnapshot[];
  /** Absent: for the lines inside. */
  waits?: WaitSnapshot;
  /** Inside of the last step. */
  lines: LineSnapshot[];
}

/** What a flow is doing. */
export interface FlowSnapshot {
  /** No other flow of the process has it. */
  id: number;
  /** That of its options, or `''`. */
  name: string;
  /** `cancelling`: its cancel was asked for, and it hasn't ended. */
  state: 'idle' | 'running' | 'cancelling';
  /** Whether a signal ends it. */
  signal: boolean;
  /** Its nearest deadline, in milliseconds from now; absent: none. */
  deadline?: number;
  /** Absent: it's idle. */
  line?: LineSnapshot;
}

/** A guard that lines have, or wait for. */
export interface GuardSnapshot {
  /** No other guard of the process has it. */
  id: number;
  /** `mutex`, `throttle`, `limiter`, `rwlock.read`, `rwlock.write`, `gate`, `barrier`, `breaker`. */
  kind: string;
  /** As it was given, or `''`. */
  name: string;
  /** How many lines wait for it. */
  waiting: number;
  /** How many lines are in; absent: it doesn't know. */
  active?: number;
  /** Absent: it isn't limited. */
  available?: number;
  /** The lines that have it: whose flow, and the path of where that line is now. */
  holders: { flow: number; path: string }[];
}

/** All flows of a tool that run. It is plain data, as `spec/snapshot.schema.json` says. */
export interface Snapshot {
  /** Of the tool, in milliseconds. */
  time: number;
  /** Those that run, in the order of their starts. */
  flows: FlowSnapshot[];
  /** Those that lines have, or wait for. */
  guards: GuardSnapshot[];
}

/** Flows and guards that were shown once. */
const ids = /* @__PURE__ */ new WeakMap<object, number>();
let given = 0;

function idOf(shown: object): number {
  const id = ids.get(shown) ?? ++given;
  ids.set(shown, id);
  return id;
}

/**
 * What all flows of a tool that run are doing now, and the guards that they have or wait for; or what one flow is doing: as plain data.
 * At any time, also in a body: it moves nothing, calls nothing of the program's, and costs nothing before it is asked. What is no tool and
 * no flow: `InternalError`. Guide: docs/hangs.md#find-it-what-each-waits-for
 *
 *     for (const { name } of snapshot(defaultTool).flows) log(name);
 */
export function snapshot(of: ToolCore): Snapshot;
export function snapshot(of: IFlow): FlowSnapshot;
export function snapshot(of: ToolCore | IFlow): Snapshot | FlowSnapshot {
  if (!ToolCore.is(of)) return flowSnapshotOf(of);
  const view = new View(of);
  const flows = runningOf(of).map((flow) => view.flow(flow));
  return { time: of.now(), flows, guards: [...view.guards.values()] };
}

function flowSnapshotOf(of: IFlow): FlowSnapshot {
  const { flow } = (isObject(of) ? of : {}) as Partial<AsyncSteps>;
  if (!isObject(flow) || !ToolCore.is(flow?.settings?.tool))
    badArgument('snapshot', 'a tool or a flow', of);
  return new View(flow!.settings.tool).flow(flow!);
}

/** Live ones, the one that has its first turn, those that wait for theirs: so they were started. */
function runningOf(tool: ToolCore): AsyncSteps[] {
  const flows: AsyncSteps[] = [];
  let live = tool.last as AsyncSteps | null;
  for (; live !== null; live = live.before) flows.push(live);
  flows.reverse();
  for (const node of tool.queue.nodes()) {
    const { flow, bits } = node as Partial<AsyncSteps>;
    if (flow === node && (bits! & (IDLE | LIVE)) === 0) flows.push(flow as AsyncSteps);
  }
  return flows;
}

/** A line that is shown, the step in which others are, and the next one of these. */
interface Hosting {
  readonly shown: LineSnapshot;
  readonly hosts: Hosts;
  next: HostedLine | null;
}

/** One look. */
class View {
  readonly guards = new Map<WaitedFor, GuardSnapshot>();
  private readonly now: number;
  /** In the queues of guards. */
  private readonly places = new Map<Waiter, number>();
  /** Of the flow that is looked at. */
  private id = 0;
  private nearest = Infinity;

  constructor(tool: ToolCore) {
    this.now = tool.now(Math.ceil);
  }

  flow(flow: AsyncSteps): FlowSnapshot {
    const { bits, settings } = flow;
    this.id = idOf(flow);
    const cancelling = (bits & (CANCELLING | LATCHED)) !== 0;
    const shown: FlowSnapshot = {
      id: this.id,
      name: settings.name,
      state: bits & IDLE ? 'idle' : cancelling ? 'cancelling' : 'running',
      signal: isListening(flow),
    };
    if (bits & IDLE) return shown;
    this.nearest = Infinity;
    const line = this.lines(flow);
    if (this.nearest !== Infinity) shown.deadline = this.left(this.nearest);
    shown.line = line;
    return shown;
  }

  /** In the order in which they are shown. */
  private lines(root: Line): LineSnapshot {
    const hosting: Hosting[] = [];
    const shown = this.line(root, hosting);
    for (let around = hosting.at(-1); around !== undefined; around = hosting.at(-1)) {
      const { next } = around;
      if (next === null) {
        this.unstarted(around);
        hosting.pop();
        continue;
      }
      around.next = next.sibling;
      if (!isOpen(next)) continue;
      const line = this.line(next, hosting);
      if (line.steps.length > 0 || next.top === null) around.shown.lines.push(line);
      else around.shown.waits = line.waits!;
    }
    return shown;
  }

  /** If lines are inside of it, they are looked at next. */
  private line(line: Line, hosting: Hosting[]): LineSnapshot {
    const shown: LineSnapshot = { steps: [], lines: [] };
    const { top, tail, flow } = line;
    const chain: Step[] = [];
    for (let at = top; at !== null; at = at.link) chain.push(at);
    let wait: Wait | null = null;
    let last = top;
    if (line === flow && flow.program !== null) shown.steps.push({ element: '0', kind: SEQUENCE });
    for (let step = chain.pop(); step !== undefined; step = chain.pop()) {
      const kind = kindIf(step);
      this.step(shown.steps, step, kind);
      wait = kind?.waits?.(step) ?? null;
      last = step;
      if (wait !== null && (step.bits & HOSTS) === 0) break;
    }
    if (top === null && tail !== null && line !== flow) this.step(shown.steps, tail, null);
    const waits = waitOf(line, wait);
    if (waits?.for === 'turn') shown.steps.push(...between(line));
    if (waits !== null) shown.waits = this.wait(line, waits);
    for (const guard of heldBy(line)) {
      this.guard(guard).holders.push({ flow: this.id, path: pathOf(last!) });
    }
    this.nearest = Math.min(this.nearest, deadlineIn(line));
    if (last !== null && last === top && last.bits & HOSTS) {
      const hosts = kindOf(last) as Hosts;
      hosting.push({ shown, hosts, next: hosts.first });
    }
    return shown;
  }

  /** Steps of those that have not started. */
  private unstarted({ shown, hosts }: Hosting): void {
    const { tail } = hosts;
    if (!tail) return;
    let step = tail;
    do {
      step = step.link!;
      const steps: StepSnapshot[] = [];
      this.step(steps, step, null);
      const [first] = steps;
      if ((step.bits & BRANCH) === 0) first!.element = `|${first!.element}`;
      shown.lines.push({ steps, waits: { for: 'turn' }, lines: [] });
    } while (step !== tail);
  }

  /** A step without an element is a part of the one around it. */
  private step(into: StepSnapshot[], step: Step, own: Kind | null): void {
    const { bits } = step;
    const kind =
      bits & DEFERRED ? 'defer' : bits & GIVEN ? 'await' : ((own ?? kindIf(step))?.kind ?? 'step');
    const timer = timerOf(step);
    const timeout =
      timer && timer.place >= 0 && (timer as unknown) !== own ? this.left(timer.due) : undefined;
    if ((bits & HIDDEN) === 0) {
      const elements = elementsOf(step);
      const element = elements.pop()!;
      into.push(...elements.map(sequenceAt));
      into.push(timeout === undefined ? { element, kind } : { element, kind, timeout });
      return;
    }
    const around = into.at(-1);
    if (around === undefined) return;
    if (around.kind === 'step') around.kind = kind;
    if (timeout !== undefined) around.timeout = Math.min(timeout, around.timeout ?? Infinity);
  }

  private wait({ top }: Line, { for: what, due, on }: Wait): WaitSnapshot {
    const shown: WaitSnapshot = { for: what };
    if (due !== undefined && due !== Infinity) shown.ms = this.left(due);
    if (on === undefined) return shown;
    if (what === 'guard') {
      const guard = this.guard(on);
      shown.guard = guard.id;
      shown.kind = guard.kind;
      const waiter: unknown = top!.work;
      if (waiter instanceof Waiter) shown.place = this.place(waiter);
    }
    if (on.name !== '') shown.name = on.name;
    return shown;
  }

  /** A queue is walked through once, whoever asks. */
  private place(waiter: Waiter): number {
    const { places } = this;
    const behind: Waiter[] = [];
    let at: Waiter | null = waiter;
    for (; at !== null && !places.has(at); at = at.previous) behind.push(at);
    let place = at === null ? 0 : places.get(at)!;
    while ((at = behind.pop() ?? null) !== null) places.set(at, ++place);
    return place;
  }

  private guard(of: WaitedFor): GuardSnapshot {
    const known = this.guards.get(of);
    if (known !== undefined) return known;
    const { kind, name, waiting, active, available } = of;
    const shown: GuardSnapshot = {
      id: idOf(of),
      kind: kind!,
      name,
      waiting: waiting!,
      holders: [],
    };
    if (active !== undefined) shown.active = active;
    if (available !== undefined && available !== Infinity) shown.available = available;
    this.guards.set(of, shown);
    return shown;
  }

  private left(due: number): number {
    return Math.max(0, due - this.now);
  }
}

const SEQUENCE = 'steps';

function sequenceAt(element: string): StepSnapshot {
  return { element, kind: SEQUENCE };
}

/** Sequences that are open in the place of their own steps, while none of their parts is. */
function between(line: Line): StepSnapshot[] {
  const { top, flow } = line;
  if (top === null) return line === flow ? (flow.program?.between(flow).map(sequenceAt) ?? []) : [];
  const within = (top.bits & (INNER | ROUNDS)) === (INNER | ROUNDS);
  return within ? (kindOf(top).between?.(top).map(sequenceAt) ?? []) : [];
}

/** Guards of which the line has something, the outermost section's first. */
function heldBy(line: Line): WaitedFor[] {
  const guards: WaitedFor[] = [];
  for (let { holds } = line; holds !== null; holds = holds.next) guards.push(holds.guard.shown());
  return guards.reverse();
}

/** The nearest deadline of its own steps that can end them: nothing outside of a shelter can. */
function deadlineIn(line: Line): number {
  let nearest = Infinity;
  for (let timer = line.deadline; timer?.step.line === line; timer = timer.outer) {
    nearest = Math.min(nearest, timer.ends());
    if (timer instanceof Shelter) break;
  }
  return nearest;
}

/** The limit that the step has set itself: a shield has that of its body beside its own. */
function timerOf({ options }: Step): StepTimer | null {
  const timer = options?.timer ?? null;
  return timer instanceof Shelter ? (timer.own ?? null) : timer;
}

/** What is asked of a step: nothing of a body, which is the program's. */
function kindIf(step: Step): Kind | null {
  const { bits } = step;
  return (bits & (OPENS | EXITS)) !== 0 && (bits & DEFERRED) === 0 ? kindOf(step) : null;
}

function linesRun({ first, tail }: Hosts): boolean {
  for (let branch = first; branch !== null; branch = branch.sibling)
    if (isOpen(branch)) return true;
  return !!tail;
}

/** One that has failed, and an item whose result waits for those before it, are not. */
function isOpen({ top, tail, slot }: Line): boolean {
  return top !== null || tail !== null || slot >= 0;
}

/** The table of the chapter, from above; null: for the lines inside. */
function waitOf({ slot, top }: Line, wait: Wait | null): Wait | null {
  if (slot >= 0 || top === null || top.bits & CLAIMED) return { for: 'turn' };
  const { bits } = top;
  const inner = kindIf(top)?.waits?.(top);
  if (inner?.for === 'turn') return inner;
  if (bits & (BODY | HANDLER | CANCEL | CLOSED)) return { for: 'code' };
  if (shelterIf(top)?.stop) return { for: 'stop' };
  if (wait !== null) return wait;
  if (bits & AWAITING) return { for: 'awaitable' };
  if (bits & WAITING) return { for: bits & KNOWN ? 'completion' : 'success' };
  return bits & HOSTS && linesRun(kindOf(top) as Hosts) ? null : { for: 'code' };
}
