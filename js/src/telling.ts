// The observers of a tool, and how they are called: all of them with one event, then with the next.
//
// - While they are called the flow is busy, and its tool leaves a frame: so what they ask for is latched or put off, and nothing moves.
// - What they cause is told behind the present event, so all see the same order.

import type { AsyncSteps } from './asyncsteps.js';
import { exact } from './clock.js';
import { FlowLook, waitIn } from './flowlook.js';
import type { FlowEvent } from './ievent.js';
import type { WaitSnapshot } from './isnapshot.js';
import type { Waits } from './kind.js';
import type { Known, ShownFlow } from './lane.js';
import { BUSY, OBSERVED } from './phase.js';
import { reportAt } from './report.js';
import { runningOf } from './snapshot.js';
import type { Handle, ToolCore } from './toolcore.js';
import type { Line, Watcher } from './tree.js';

export interface Observer {
  readonly call: (event: FlowEvent) => void;
  readonly bodies: boolean;
  readonly around: Around | undefined;
}

/** What calls code that runs in a step. */
export type Caller = (call: () => void) => void;

/** Who gives that; undefined: code is called as ever. */
export type Around = (step: number) => Caller | undefined;

/** Who keeps what is told, and calls nothing: it hears of an event before observers do, also of what these cause. */
export interface Sink {
  readonly bodies: boolean;
  /** `known`: where it occurs, null: at no step; the time stands first in `times`, with fractions. */
  put(
    what: FlowEvent['what'],
    times: Float64Array,
    sequence: number,
    flow: ShownFlow,
    known: Known | null,
    outcome: string | undefined,
    code: string | undefined,
    waiting: Line | null,
    waits: Waits | null,
    of: AsyncSteps,
  ): void;
  /** A line's turn is over. */
  over?(): void;
  /** What it has of a flow that has just ended, in lines. */
  lastOf?(flow: number): readonly string[];
}

/** What an event says of an end, or of an error. All are made with both, in this order. */
export interface End {
  readonly outcome: string | undefined;
  readonly code: string | undefined;
}

/** The event. What is rarely looked at is found out when it is. */
class Told {
  what!: FlowEvent['what'];
  sequence = 0;
  flow!: ShownFlow;
  outcome: string | undefined;
  code: string | undefined;
  /** With fractions. */
  #time = 0;
  #known: Known | null = null;
  #line: Line | null = null;

  at(time: number, known: Known | null, line: Line | null): void {
    this.#time = time;
    this.#known = known;
    this.#line = line;
  }

  get time(): number {
    return Math.floor(this.#time);
  }

  get step(): number {
    return this.#known === null ? 0 : this.#known.number;
  }

  get parent(): number {
    return this.#known === null ? 0 : this.#known.parent;
  }

  get path(): string {
    return this.#known === null ? '' : this.#known.path;
  }

  get element(): string | undefined {
    const { what } = this;
    return what === 'opened' || what === 'closed' ? this.#known!.element : undefined;
  }

  get kind(): string | undefined {
    return this.what === 'opened' ? this.#known!.kind : undefined;
  }

  get waits(): WaitSnapshot | undefined {
    const line = this.#line;
    return line === null ? undefined : waitIn(line);
  }

  toJSON(): object {
    const { what, time, sequence, step, parent, path } = this;
    const { element, kind, outcome, code, waits } = this;
    const flow = this.flow.toJSON();
    return { what, time, sequence, flow, step, parent, path, element, kind, outcome, code, waits };
  }
}

export const NOTHING: End = { outcome: undefined, code: undefined };

export abstract class Telling {
  /** For inspectors, which are no part of the core, and have it from here. */
  readonly Look = FlowLook;
  protected readonly tool: ToolCore;
  /** What the tool has while nobody observes. */
  before: Watcher | null;
  private observers: readonly Observer[] = [];
  protected sinks: readonly Sink[] = [];
  /** Whether any of them hears of bodies. */
  protected bodies = false;
  /** Of those who put something around code, the last first. */
  protected arounds: readonly Around[] = [];
  protected readonly told = new Told();
  private sequence = 0;
  /** The time of the last event: a number of its own for each would be some ten nanoseconds. */
  protected readonly times = new Float64Array(1);
  /**
   * Another turn has begun, or none has. To read the clock takes longer than the rest, so what happens in a turn has the time of its first
   * event, or of the body that was told last.
   */
  protected stale = true;
  /** What was caused while they are called. */
  private caused: { flow: AsyncSteps; told: Told }[] | null = null;

  constructor(tool: ToolCore, before: Watcher | null) {
    this.tool = tool;
    this.before = before;
  }

  add(observer: Observer): Handle {
    this.change([...this.observers, observer], this.sinks);
    return {
      cancel: () => {
        if (!this.observers.includes(observer)) return;
        const others = this.observers.filter((other) => other !== observer);
        this.change(others, this.sinks);
      },
      valid: () => this.observers.includes(observer),
    };
  }

  addSink(sink: Sink): void {
    this.change(this.observers, [...this.sinks, sink]);
  }

  removeSink(sink: Sink): void {
    this.change(
      this.observers,
      this.sinks.filter((other) => other !== sink),
    );
  }

  protected get hasSinks(): boolean {
    return this.sinks.length > 0;
  }

  /** Of the first one that has any. */
  protected lastOf(flow: number): readonly string[] {
    const lists = this.sinks.map((sink) => sink.lastOf?.(flow) ?? []);
    return lists.find(({ length }) => length > 0) ?? [];
  }

  private get isUsed(): boolean {
    return this.observers.length + this.sinks.length > 0;
  }

  /** With the first of them it begins, and with the last one it ends. */
  private change(observers: readonly Observer[], sinks: readonly Sink[]): void {
    const { tool } = this;
    if (!this.isUsed) for (const flow of runningOf(tool)) flow.bits |= OBSERVED;
    this.observers = observers;
    this.sinks = sinks;
    this.bodies = [...observers, ...sinks].some(({ bodies }) => bodies);
    this.arounds = observers.flatMap(({ around }) => around ?? []).reverse();
    if (this.caused === null && tool.pending.length === 0) this.endUnused();
  }

  /** Not before what observers have asked for is performed. */
  protected endUnused(): void {
    const { tool } = this;
    if (this.isUsed || (tool.watching as unknown) !== this) return;
    tool.watching = this.before;
    for (const flow of runningOf(tool)) flow.bits &= ~OBSERVED;
    this.forget();
  }

  /** Nothing is told any more: who keeps a handle keeps no flow by that. */
  protected abstract forget(): void;

  private look(): void {
    this.times[0] = this.tool.now(exact);
    this.stale = !this.isInTurn;
  }

  protected abstract get isInTurn(): boolean;

  /** `waiting` is the line that waits. */
  protected tell(
    flow: AsyncSteps,
    shown: ShownFlow,
    what: FlowEvent['what'],
    known: Known | null,
    { outcome, code }: End = NOTHING,
    waiting: Line | null = null,
    waits: Waits | null = null,
  ): void {
    if (this.stale) this.look();
    const sequence = ++this.sequence;
    if (what === 'opened') known!.number = sequence;
    const isBody = what === 'body' || what === 'returned';
    for (const sink of this.sinks)
      if (sink.bodies || !isBody)
        sink.put(what, this.times, sequence, shown, known, outcome, code, waiting, waits, flow);
    if (this.observers.length === 0) return;
    const told = this.caused === null ? this.told : new Told();
    told.what = what;
    told.sequence = sequence;
    told.flow = shown;
    told.outcome = outcome;
    told.code = code;
    const kept = known === null || this.caused === null ? known : known.copy();
    told.at(this.times[0]!, kept, waiting);
    if (this.caused === null) this.callAll(flow, told);
    else this.caused.push({ flow, told });
  }

  private callAll(flow: AsyncSteps, told: Told): void {
    const { tool } = this;
    const caused: { flow: AsyncSteps; told: Told }[] = [];
    this.caused = caused;
    tool.leaving++;
    this.call(flow, told);
    for (let at = 0; at < caused.length; at++) {
      const next = caused[at]!;
      this.call(next.flow, next.told);
    }
    tool.leaving--;
    this.caused = null;
  }

  private call(flow: AsyncSteps, told: Told): void {
    const { bits, settings } = flow;
    const { what } = told;
    const isBody = what === 'body' || what === 'returned';
    if (what !== 'begun') flow.bits |= BUSY;
    for (const observer of this.observers) {
      if (isBody && !observer.bodies) continue;
      if (!this.observers.includes(observer)) continue;
      try {
        observer.call(told as unknown as FlowEvent);
      } catch (thrown) {
        reportAt({ hook: settings.report, path: told.path }, thrown);
      }
    }
    if ((bits & BUSY) === 0) flow.bits &= ~BUSY;
  }

  /** What is put around code in that step now, the innermost first; null: nothing. */
  protected callersIn(flow: AsyncSteps, step: number): readonly Caller[] | null {
    let found: Caller[] | null = null;
    for (const around of this.arounds) {
      try {
        const caller = around(step);
        if (caller === undefined) continue;
        if (found === null) found = [caller];
        else found.push(caller);
      } catch (thrown) {
        reportAt({ hook: flow.settings.report, path: '' }, thrown);
      }
    }
    return found;
  }
}

/** Calls it once, whatever is put around; what that throws itself is reported. */
export function callBy<R>(callers: readonly Caller[], flow: AsyncSteps, call: () => R): R {
  let next = call;
  for (const caller of callers) {
    const inner = next;
    next = () => {
      let called = false;
      let failed = false;
      let came: unknown;
      const once = () => {
        if (called) return;
        called = true;
        try {
          came = inner();
        } catch (thrown) {
          failed = true;
          came = thrown;
        }
      };
      try {
        caller(once);
      } catch (thrown) {
        reportAt({ hook: flow.settings.report, path: '' }, thrown);
      }
      once();
      if (failed) throw came;
      return came as R;
    };
  }
  return next();
}
