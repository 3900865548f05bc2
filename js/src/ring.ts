// The slots of a recorder.
//
// - All memory is taken when it's made: numbers stand in arrays of such, texts are there already.
// - A slot has no path, but the number of its step. What that is, and which is around, is said where it has closed: that stands further on
//   in the ring; or it's open, and who asks says it.
// - It never has a flow or a step: what has ended is free.

import { clock } from './clock.js';
import type { FlowEvent } from './ievent.js';
import type { RecordedEvent } from './irecording.js';
import type { Waits } from './kind.js';
import type { Known, ShownFlow } from './lane.js';
import { eventText, shortName } from './recordtext.js';
import type { Sink } from './telling.js';
import type { Line } from './tree.js';
import { traceOf } from './trace.js';
import { Waiter } from './waiters.js';
import { Ways, type Place } from './ways.js';
import { waitWords } from './waittext.js';

/** So many lines an error has behind it. */
const LAST = 50;

export class Ring implements Sink {
  readonly bodies: boolean;
  private readonly size: number;
  private next = 0;
  private count = 0;
  private readonly whats: FlowEvent['what'][];
  private readonly times: Float64Array;
  private readonly sequences: Float64Array;
  private readonly flows: (ShownFlow | null)[];
  /** 0: at none. */
  private readonly steps: Float64Array;
  /** `closed`: the number of the step around; 0: none. */
  private readonly parents: Float64Array;
  /** `closed`: the step's element: what stands before it, and its name or number. */
  private readonly marks: string[];
  private readonly names: (string | number)[];
  /** `closed`: the call that has made the step. */
  private readonly kinds: string[];
  /** Of the guard for which it waits; `''`: none. */
  private readonly guards: string[];
  private readonly outcomes: (string | undefined)[];
  private readonly codes: (string | undefined)[];
  /** `waits`: milliseconds, or the place in a queue; bodies: the clock; NaN: none. */
  private readonly amounts: Float64Array;

  constructor(size: number, bodies: boolean) {
    const list = <T>(filler: T): T[] => new Array<T>(size).fill(filler);
    this.size = size;
    this.bodies = bodies;
    this.whats = list('begun' as FlowEvent['what']);
    this.times = new Float64Array(size);
    this.sequences = new Float64Array(size);
    this.flows = list<ShownFlow | null>(null);
    this.steps = new Float64Array(size);
    this.parents = new Float64Array(size);
    this.marks = list('');
    this.names = list<string | number>('');
    this.kinds = list('');
    this.guards = list('');
    this.outcomes = list<string | undefined>(undefined);
    this.codes = list<string | undefined>(undefined);
    this.amounts = new Float64Array(size);
  }

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
  ): void {
    const at = this.next;
    this.next = at + 1 === this.size ? 0 : at + 1;
    if (this.count < this.size) this.count++;
    this.whats[at] = what;
    this.times[at] = times[0]!;
    this.sequences[at] = sequence;
    this.flows[at] = flow;
    this.outcomes[at] = outcome;
    this.codes[at] = code === undefined ? code : shortName(code);
    this.steps[at] = known === null ? 0 : known.number;
    if (what === 'closed') this.putStep(at, known!);
    else if (waits !== null) this.putWait(at, waiting!, waits);
    else if (what === 'body' || what === 'returned') this.amounts[at] = clock();
  }

  private putStep(at: number, { parent, mark, name, kind }: Known): void {
    this.parents[at] = parent;
    this.marks[at] = mark;
    this.names[at] = shortName(name);
    this.kinds[at] = kind;
  }

  private putWait(at: number, line: Line, { for: what, due, on }: Waits): void {
    const { tool } = line.flow.settings;
    const isGuard = what === 'guard' && on !== undefined;
    const waiter: unknown = isGuard ? line.top!.work : null;
    this.outcomes[at] = what;
    this.guards[at] = isGuard ? on.kind! : '';
    this.codes[at] = on === undefined ? '' : shortName(on.name);
    if (due !== undefined) this.amounts[at] = Math.max(0, due - tool.now(Math.ceil));
    else this.amounts[at] = waiter instanceof Waiter ? placeOf(waiter) : Number.NaN;
  }

  /** The oldest first. `open` are the steps that are. */
  events(open: ReadonlyMap<number, Place>): RecordedEvent[] {
    const ways = new Ways(this.places(), open);
    return this.slots().map((at) => this.event(at, ways));
  }

  /** The same in the Trace Event Format. */
  trace(open: ReadonlyMap<number, Place>, until: number): string {
    const ways = new Ways(this.places(), open);
    const recorded = this.slots().map((at) => ({
      event: this.event(at, ways),
      time: this.times[at]!,
      step: this.steps[at]!,
    }));
    return traceOf(recorded, ways, until);
  }

  lastOf(flow: number): readonly string[] {
    const slots = this.slots().filter((at) => this.flows[at]!.id === flow);
    const ways = new Ways(this.places(), new Map());
    return slots.slice(-LAST).map((at) => eventText(this.event(at, ways)));
  }

  /** Of the steps that are open those that are asked for. */
  around(open: ReadonlyMap<number, Place>): ReadonlyMap<number, Place> {
    const needed = new Map<number, Place>();
    for (const at of this.slots()) {
      const isClosed = this.whats[at] === 'closed';
      for (let number = (isClosed ? this.parents : this.steps)[at]!; !needed.has(number);) {
        const place = open.get(number);
        if (place === undefined) break;
        const { element, kind, parent } = place;
        needed.set(number, { element, kind, parent });
        number = parent;
      }
    }
    return needed;
  }

  private slots(): number[] {
    const { count, next, size } = this;
    return Array.from({ length: count }, (_, i) => (next - count + i + size) % size);
  }

  private places(): Map<number, Place> {
    const places = new Map<number, Place>();
    for (const at of this.slots()) {
      if (this.whats[at] !== 'closed') continue;
      const element = shortName(`${this.marks[at]}${this.names[at]}`);
      places.set(this.steps[at]!, { element, kind: this.kinds[at]!, parent: this.parents[at]! });
    }
    return places;
  }

  private event(at: number, ways: Ways): RecordedEvent {
    const what = this.whats[at]!;
    const step = this.steps[at]!;
    const flow = this.flows[at]!;
    const event: RecordedEvent = {
      what,
      time: Math.floor(this.times[at]!),
      sequence: this.sequences[at]!,
      flow: { id: flow.id, name: shortName(flow.name) },
    };
    if (what === 'begun') return event;
    const outcome = this.outcomes[at];
    const code = this.codes[at];
    if (what !== 'ended') event.path = ways.path(step);
    if (what === 'opened' || what === 'closed') event.element = ways.place(step).element;
    if (what === 'opened') event.kind = ways.place(step).kind;
    if (what === 'waits') {
      event.waits = this.wait(at);
      return event;
    }
    if (outcome !== undefined) event.outcome = outcome as NonNullable<RecordedEvent['outcome']>;
    if (code !== undefined) event.code = code;
    if (what === 'body' || what === 'returned') event.clock = this.amounts[at]!;
    return event;
  }

  private wait(at: number): string {
    const what = this.outcomes[at] as Waits['for'];
    const kind = this.guards[at]!;
    const amount = this.amounts[at]!;
    return waitWords({
      for: what,
      name: this.codes[at]!,
      ...(kind !== '' && { kind }),
      ...(Number.isFinite(amount) && (what === 'timer' ? { ms: amount } : { place: amount })),
    });
  }
}

/** In his queue, from 1 on. Counted from both ends at once: who comes is the last one. */
function placeOf(waiter: Waiter): number {
  let ahead: Waiter | null = waiter.previous;
  let behind: Waiter | null = waiter.next;
  for (let count = 0; ; count++) {
    if (ahead === null) return count + 1;
    if (behind === null && waiter.among !== null) return waiter.among.length - count;
    ahead = ahead.previous;
    behind = behind === null ? null : behind.next;
  }
}
