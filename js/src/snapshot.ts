// What flows do, as plain data. It is read from the tree, and nothing is noted for it before somebody asks.
//
// - A line has one step open inside of the other, so it is a list; what branches is a line inside of its last step.
// - Lists of what is yet to be looked at, no calls inside of calls: a flow may be a million levels deep.

import type { AsyncSteps } from './asyncsteps.js';
import { isListening } from './end.js';
import { badArgument } from './error.js';
import { GuardLook } from './guardlook.js';
import type { IFlow } from './iasyncsteps.js';
import { idOf } from './ids.js';
import type {
  FlowSnapshot,
  LineSnapshot,
  Snapshot,
  StepSnapshot,
  WaitSnapshot,
} from './isnapshot.js';
import type { HostedLine, Hosts, Kind, Waits } from './kind.js';
import { elementsBetween, elementsOf, pathOf } from './path.js';
import {
  AWAITING,
  BODY,
  BRANCH,
  CANCEL,
  CANCELLING,
  CLAIMED,
  CLOSED,
  DEFERRED,
  GIVEN,
  HANDLER,
  HIDDEN,
  HOSTS,
  IDLE,
  KNOWN,
  LATCHED,
  LIVE,
  WAITING,
} from './phase.js';
import { isObject } from './portable.js';
import { limitOf, shelterIf } from './shelter.js';
import { kindIf, kindOf, type Step } from './step.js';
import { deadlineOf } from './timer.js';
import { ToolCore } from './toolcore.js';
import type { Line } from './tree.js';
import { Waiter } from './waiters.js';

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
  const look = new Look(of);
  const flows = runningOf(of).map((flow) => look.flow(flow));
  return { time: of.now(), flows, guards: look.guards.guards() };
}

function flowSnapshotOf(of: IFlow): FlowSnapshot {
  const { flow } = (isObject(of) ? of : {}) as Partial<AsyncSteps>;
  if (!isObject(flow) || !ToolCore.is(flow?.settings?.tool))
    badArgument('snapshot', 'a tool or a flow', of);
  return new Look(flow!.settings.tool).flow(flow!);
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

/** One look at flows, and at the guards that they have or wait for. */
class Look {
  readonly guards = new GuardLook();
  private readonly now: number;
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
    let wait: Waits | null = null;
    let last = top;
    for (let step = chain.pop(); step !== undefined; step = chain.pop()) {
      const kind = kindIf(step);
      this.step(shown.steps, step, kind);
      wait = kind?.waits?.(step) ?? null;
      last = step;
      if (wait !== null && (step.bits & HOSTS) === 0) break;
    }
    if (top === null && tail !== null && line !== flow) this.step(shown.steps, tail, null);
    const waits = waitOf(line, wait);
    if (waits?.for === 'turn') shown.steps.push(...elementsBetween(line).map(sequenceAt));
    if (waits !== null) shown.waits = this.wait(line, waits);
    for (const { holders } of this.guards.heldBy(line)) {
      holders.push({ flow: this.id, path: pathOf(last!) });
    }
    this.nearest = Math.min(this.nearest, deadlineOf(line));
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
    const timer = limitOf(step);
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

  private wait({ top }: Line, { for: what, due, on }: Waits): WaitSnapshot {
    const shown: WaitSnapshot = { for: what };
    if (due !== undefined && due !== Infinity) shown.ms = this.left(due);
    if (on === undefined) return shown;
    if (what === 'guard') {
      const guard = this.guards.at(on);
      shown.guard = guard.id;
      shown.kind = guard.kind;
      const waiter: unknown = top!.work;
      if (waiter instanceof Waiter) shown.place = this.guards.placeOf(waiter);
    }
    if (on.name !== '') shown.name = on.name;
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
function waitOf({ slot, top }: Line, wait: Waits | null): Waits | null {
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
