// What native steps do, told to JavaScript's observers inside of the step that has called.
//
// - Native events are taken only while somebody observes a tool whose steps have called. Nobody tells of that: it's asked whenever native
//   code is entered.
// - A native step gets a number of JavaScript's when it's told. It's told when something is to be told of it, and what is around it before.
// - What observers ask for is performed when native code has been left.

import type { IAsyncSteps, LineSnapshot, WaitSnapshot } from 'steptree';
import type { Heard } from './binding.js';

/** What observers know of a step: `Known` of the runtime. */
interface Known {
  number: number;
  readonly path: string;
}

/** What the runtime has while it is observed. */
interface Watch {
  readonly bodies: boolean;
  readonly sinks: readonly { over?(): void }[];
  readonly turns: unknown[];
  stale: boolean;
  openSteps?(): ReadonlyMap<number, Known>;
  waits(line: { readonly top: unknown }): void;
  /** Tells that the step is open. Null: it's inside of a lock. */
  enter(step: unknown): { flow: unknown; told: Known } | null;
  tell(
    flow: unknown,
    shown: unknown,
    what: string,
    known: Known,
    end: { outcome: string | undefined; code: string | undefined },
    line: unknown,
    waits: unknown,
  ): void;
  turned(line: unknown): void;
}

export interface ToolWatched {
  watching: Watch | null;
  now(round: (time: number) => number): number;
  inside?: Map<unknown, (shown: LineSnapshot, look: any) => void>;
  waitsIn?: unknown;
}

interface Within {
  readonly line: { readonly flow: { readonly settings: { readonly tool: ToolWatched } } };
}

function watchOf({ watching }: ToolWatched): Watch | null {
  return watching?.openSteps === undefined ? null : watching;
}

/** As `Binding.observe` takes it. */
export function levelOf(tool: ToolWatched): number {
  const watch = watchOf(tool);
  if (watch === null) return 0;
  return watch.bodies ? 2 : 1;
}

/** Native steps that are told and open. */
const openIn = new WeakMap<Watch, Set<Known>>();

/** Steps whose calls are heard. */
const calling = new WeakSet<object>();

/** From now on recorders find them there, too; and what a step that calls waits for is told by native steps. */
function openOf(watch: Watch): Set<Known> {
  const known = openIn.get(watch);
  if (known !== undefined) return known;
  const inside = new Set<Known>();
  const openSteps = watch.openSteps!.bind(watch);
  watch.openSteps = () =>
    new Map([...openSteps(), ...[...inside].map((known) => [known.number, known] as const)]);
  const waits = watch.waits.bind(watch);
  watch.waits = (line) => {
    if (!calling.has(line.top as object)) waits(line);
  };
  openIn.set(watch, inside);
  return inside;
}

class Inner implements Known {
  /** 0: it wasn't told. */
  number = 0;
  readonly step = null;
  readonly mark = '';
  readonly element: string;
  readonly kind: string;
  /** Null: it's right inside of JavaScript's step. */
  readonly around: Inner | null;
  private readonly outer: { path: string; number: number };

  constructor(
    element: string,
    kind: string,
    around: Inner | null,
    outer: { path: string; number: number },
  ) {
    this.element = element;
    this.kind = kind;
    this.around = around;
    this.outer = outer;
  }

  get name(): string {
    return this.element;
  }

  get parent(): number {
    return (this.around ?? this.outer).number;
  }

  get path(): string {
    const elements: string[] = [];
    for (let at: Inner | null = this; at !== null; at = at.around) elements.push(at.element);
    return [this.outer.path, ...elements.reverse()].join('/');
  }

  /** As it is now, for later. */
  copy(): Inner {
    return Object.assign(new Inner(this.element, this.kind, this.around, this.outer), this);
  }
}

/** A call whose events are heard. */
export class HeardCall {
  private readonly asi: Within;
  private readonly tool: ToolWatched;
  private readonly name: string;
  /** JavaScript's step. */
  private readonly outer: { path: string; number: number };
  /** The native step that has the name of JavaScript's, which is that one; 0: it isn't open. */
  private root = 0;
  /** Those inside of it, by native numbers. */
  private readonly steps = new Map<number, Inner>();
  /** What stands for a line that waits, of the step of that native number. */
  private readonly lines = new Map<number, { top: unknown }>();
  private watch: Watch | null = null;

  constructor(asi: IAsyncSteps, path: string, name: string) {
    this.asi = asi as unknown as Within;
    this.tool = this.asi.line.flow.settings.tool;
    this.name = name;
    this.outer = { path, number: 0 };
    calling.add(asi);
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
    calling.delete(this.asi);
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
