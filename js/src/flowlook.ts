// What flows show of themselves: their lines, read from the tree. Nothing is noted for it before somebody asks.
//
// - A line has one step open inside of the other, so it is a list; what branches is a line inside of its last step.
// - Lists of what is yet to be looked at, no calls inside of calls: a flow may be a million levels deep.

import type { AsyncSteps } from './asyncsteps.js';
import { exact } from './clock.js';
import { inNode } from './context.js';
import { isListening } from './end.js';
import { GuardLook } from './guardlook.js';
import { idOf } from './ids.js';
import type { FlowSnapshot, LineSnapshot, StepSnapshot, WaitSnapshot } from './isnapshot.js';
import type { HostedLine, Hosts, Kind, Waits } from './kind.js';
import { elementsOf, pathOf } from './path.js';
import { BRANCH, CANCELLING, DEFERRED, GIVEN, HIDDEN, HOSTS, IDLE, LATCHED } from './phase.js';
import { dueIn, limitOf } from './shelter.js';
import { kindIf, kindOf, type Step } from './step.js';
import type { ToolCore } from './toolcore.js';
import type { Line } from './tree.js';
import { Waiter } from './waiters.js';
import { isOpen, waitsOf } from './waits.js';
import type { SourceOf } from './written.js';

/** What the line waits for, as a snapshot of its flow would say. */
export function waitIn(line: Line): WaitSnapshot | undefined {
  return new FlowLook(line.flow.settings.tool).line(line, []).waits;
}

/** The call that makes it. */
export function kindNameOf(step: Step, own: Kind | null = null): string {
  const { bits } = step;
  if (bits & DEFERRED) return 'defer';
  return bits & GIVEN ? 'await' : ((own ?? kindIf(step))?.kind ?? 'step');
}

/** A line that is shown, the step in which others are, and the next one of these. */
interface Hosting {
  readonly shown: LineSnapshot;
  readonly hosts: Hosts;
  next: HostedLine | null;
}

/** One look at flows of a tool, and at the guards that they have or wait for. */
export class FlowLook {
  readonly guards = new GuardLook();
  readonly tool: ToolCore;
  /** What native steps add to the path of the line's last step. */
  declare private inside: string;
  /** Of the whole look. */
  readonly time: number;
  readonly now: number;
  /** Of the flow that is looked at. */
  private id = 0;
  nearest = Infinity;
  private readonly sourceOf: SourceOf;

  constructor(tool: ToolCore, sourceOf?: SourceOf) {
    this.tool = tool;
    this.sourceOf = sourceOf;
    const time = tool.now(exact);
    this.time = Math.floor(time);
    this.now = Math.ceil(time);
  }

  flow(flow: AsyncSteps): FlowSnapshot {
    const { bits, settings } = flow;
    this.id = idOf(flow);
    const shown: FlowSnapshot = {
      id: this.id,
      name: settings.name,
      state: bits & IDLE ? 'idle' : bits & (CANCELLING | LATCHED) ? 'cancelling' : 'running',
      signal: isListening(flow),
    };
    if (bits & IDLE) return shown;
    this.nearest = Infinity;
    const line = this.lines(flow);
    if (this.nearest < Infinity) shown.deadline = this.left(this.nearest);
    const begun = this.tool.watching?.begunAt?.(flow);
    if (begun !== undefined) shown.age = this.time - begun;
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
  line(line: Line, hosting: Hosting[]): LineSnapshot {
    const shown: LineSnapshot = { steps: [], lines: [] };
    const { top, tail, flow } = line;
    const chain: Step[] = [];
    for (let at = top; at !== null; at = at.link) chain.push(at);
    let own: Waits | null = null;
    let last = top;
    for (let step = chain.pop(); step !== undefined; step = chain.pop()) {
      const kind = kindIf(step);
      this.step(shown.steps, step, kind);
      own = kind?.waits?.(step) ?? null;
      last = step;
      if (own !== null && (step.bits & HOSTS) === 0) break;
    }
    if (top === null && line === flow && flow.program !== null) shown.steps.push(sequenceAt('0'));
    if (top === null && tail !== null && line !== flow) this.step(shown.steps, tail, null);
    const waits = waitsOf(line, own);
    if (waits !== null) shown.waits = this.wait(line, waits);
    if (inNode) this.inside = lookInside(this, top, shown);
    for (const { holders } of this.guards.heldBy(line)) {
      holders.push({ flow: this.id, path: inNode ? pathOf(last!) + this.inside : pathOf(last!) });
    }
    this.nearest = Math.min(this.nearest, dueIn(line));
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
    const kind = kindNameOf(step, own);
    const timer = limitOf(step);
    const timeout =
      timer && timer.place >= 0 && (timer as unknown) !== own ? this.left(timer.due) : undefined;
    const source = this.sourceOf?.(step);
    if ((bits & HIDDEN) === 0) {
      const elements = elementsOf(step);
      const shown: StepSnapshot = { element: elements.pop()!, kind };
      if (timeout !== undefined) shown.timeout = timeout;
      if (source !== undefined) shown.source = source;
      into.push(...elements.map(sequenceAt), shown);
      return;
    }
    const around = into.at(-1);
    if (around === undefined) return;
    if (around.kind === 'step') around.kind = kind;
    if (timeout !== undefined) around.timeout = Math.min(timeout, around.timeout ?? Infinity);
    if (source !== undefined) around.source = source;
  }

  private wait(line: Line, waits: Waits): WaitSnapshot {
    const shown = this.waitFor(line, waits);
    if (shown.for === 'turn' || shown.for === 'code') return shown;
    const since = this.tool.watching?.waitsSince?.(line);
    if (since !== undefined) shown.since = this.time - since;
    return shown;
  }

  private waitFor({ top }: Line, { for: what, due, on }: Waits): WaitSnapshot {
    const shown: WaitSnapshot = { for: what };
    if (due! < Infinity) shown.ms = this.left(due!);
    if (on === undefined) return shown;
    if (what === 'guard') {
      shown.guard = this.guards.at(on).id;
      shown.kind = on.kind!;
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

function sequenceAt(element: string): StepSnapshot {
  return { element, kind: 'steps' };
}

/** Native steps of the innermost one, and what their paths add. */
function lookInside(look: FlowLook, top: Step | null, shown: LineSnapshot): string {
  const { length } = shown.steps;
  if (top !== null) look.tool.inside?.get(top)?.(shown, look);
  return shown.steps
    .slice(length)
    .map(({ element }) => `/${element}`)
    .join('');
}
