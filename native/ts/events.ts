// What native steps do, told to JavaScript's observers inside of the step that has called.
//
// - Native events are taken only while somebody observes a tool whose steps have called. Nobody tells of that: it's asked whenever native
//   code is entered.
// - A native step gets a number of JavaScript's when it's told. It's told when something is to be told of it, and what is around it before.
// - What observers ask for is performed when native code has been left.

import type { IAsyncSteps, WaitSnapshot } from 'steptree';
import type { Heard } from './binding.js';
import {
  type LineInside,
  type StepInside,
  stepOf,
  type ToolInside,
  type WatchInside as Watch,
} from './engine.js';
import { Inner } from './inner.js';
import { heardSteps, openOf, watchOf } from './watching.js';

/** A call whose events are heard. */
export class HeardCall {
  private readonly asi: StepInside;
  private readonly tool: ToolInside;
  private readonly name: string;
  /** JavaScript's step. */
  private readonly outer: { path: string; number: number };
  /** The native step that has the name of JavaScript's, which is that one; 0: it isn't open. */
  private root = 0;
  /** Those inside of it, by native numbers. */
  private readonly steps = new Map<number, Inner>();
  /** What stands for a line that waits, of the step of that native number. */
  private readonly lines = new Map<number, LineInside>();
  private watch: Watch | null = null;

  constructor(asi: IAsyncSteps, path: string, name: string) {
    this.asi = stepOf(asi);
    this.tool = this.asi.line.flow.settings.tool;
    this.name = name;
    this.outer = { path, number: 0 };
    heardSteps.add(asi);
  }

  /** `isCalling`: the step's body is on the stack. Gives whether somebody was told. */
  hear(isCalling: boolean, ...event: Heard): boolean {
    const [what, step, parent, element, kind] = event;
    if (what === 'opened') this.opened(step, parent, element!, kind!);
    const isRoot = step === this.root && step !== 0;
    if (isCalling && what === 'turn') return false; // it's a part of that of JavaScript's
    const inner = this.steps.get(step);
    this.endWait(step);
    const isTold = (isRoot ? isOuter(what) : inner !== undefined) && this.tell(inner, event);
    if (what !== 'closed') return isTold;
    if (isRoot) this.root = 0;
    this.steps.delete(step);
    if (inner && this.watch) openOf(this.watch).delete(inner);
    return isTold;
  }

  private opened(step: number, parent: number, element: string, kind: string): void {
    const { root, steps, outer } = this;
    const around = steps.get(parent);
    if (around !== undefined) steps.set(step, new Inner(element, kind, around, outer));
    else if (root === 0) this.root = element === this.name ? step : 0;
    else if (parent === root) steps.set(step, new Inner(element, kind, null, outer));
  }

  private tell(inner: Inner | undefined, [what, step, , , , outcome, code, waits]: Heard): boolean {
    const watch = watchOf(this.tool);
    const isBody = what === 'body' || what === 'returned';
    if (watch === null || (isBody && !watch.bodies)) return false;
    if (watch !== this.watch) this.begin(watch);
    const lane = watch.enter(this.asi);
    if (lane === null) return false;
    const { flow } = this.asi.line;
    this.outer.number = lane.told.number;
    this.open(watch, lane.flow, inner);
    if (what === 'opened') return true;
    if (isBody) watch.stale = true;
    if (what === 'turn' && watch.turns.length === 0) for (const sink of watch.sinks) sink.over?.();
    const line = waits === undefined ? null : this.waiting(step, waits);
    const on = line && this.waitsOf(waits!);
    watch.tell(flow, lane.flow, what, inner ?? lane.told, { outcome, code }, line, on);
    return true;
  }

  /** Another one watches: it was told of none. */
  private begin(watch: Watch): void {
    this.watch = watch;
    openOf(watch);
    for (const inner of this.steps.values()) inner.number = 0;
  }

  /** The outermost that wasn't told first. */
  private open(watch: Watch, shown: unknown, innermost: Inner | undefined): void {
    const unknown: Inner[] = [];
    for (let at = innermost ?? null; at !== null && at.number === 0; at = at.around)
      unknown.push(at);
    const end = { outcome: undefined, code: undefined };
    for (const inner of unknown.reverse()) {
      openOf(watch).add(inner);
      watch.tell(this.asi.line.flow, shown, 'opened', inner, end, null, null);
    }
  }

  /** A line like that of JavaScript's step, which waits for something else. */
  private waiting(step: number, waits: WaitSnapshot): object {
    const top = Object.create(this.asi);
    const { tool } = this;
    const begun = tool.now(Math.ceil);
    const { guard: _, since: __, ...own } = waits;
    tool.inside ??= new Map();
    tool.inside.set(top, (shown) => {
      shown.waits = { ...own };
      if (own.ms !== undefined)
        shown.waits.ms = Math.max(0, own.ms - (tool.now(Math.ceil) - begun));
    });
    const line = Object.create(this.asi.line, { top: { value: top } });
    this.lines.set(step, line);
    return line;
  }

  private endWait(step: number): void {
    const line = this.lines.get(step);
    if (line === undefined) return;
    this.tool.inside!.delete(line.top);
    this.lines.delete(step);
  }

  /** A recorder keeps a place in a queue where it keeps milliseconds. */
  private waitsOf({ for: what, kind, name, ms, place }: WaitSnapshot): object {
    const amount = ms ?? place;
    return {
      for: what,
      ...(amount !== undefined && { due: this.tool.now(Math.ceil) + amount }),
      ...((name !== undefined || kind !== undefined) && { on: { kind, name: name ?? '' } }),
    };
  }

  /** None of its steps is open any more. */
  end(): void {
    heardSteps.delete(this.asi);
    for (const step of [...this.lines.keys()]) this.endWait(step);
    if (this.watch) for (const inner of this.steps.values()) openOf(this.watch).delete(inner);
    this.steps.clear();
  }

  /** Native code has been left: performs what observers have asked for, as at the end of a turn. */
  settle(): void {
    const watch = watchOf(this.tool);
    if (watch === null) return;
    watch.turns.push(null);
    watch.turned(this.asi.line);
  }
}

/** Of JavaScript's step itself what that doesn't tell. */
function isOuter(what: string): boolean {
  return ['handler', 'cancel', 'turn', 'waits'].includes(what);
}
