// The slots of a recorder.
//
// - All memory is taken when it's made: numbers stand in arrays of such, texts are there already.
// - A slot has no path, but its step's element, and the number of the step around. That one has closed behind it, so it stands further on
//   in the ring; or it's open, and who asks says what it is.
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
const NO_FLOW: ShownFlow = /* @__PURE__ */ Object.freeze({ id: 0, name: '' });

export class Ring implements Sink {
  readonly bodies: boolean;
  private readonly size: number;
  private next = 0;
  private count = 0;
  private readonly whats: FlowEvent['what'][];
  private readonly times: Float64Array;
  private readonly sequences: Float64Array;
  private readonly flows: ShownFlow[];
  /** 0: at none. */
  private readonly steps: Float64Array;
  private readonly parents: Float64Array;
  /** The step's element: what stands before it, and its name or number. */
  private readonly marks: string[];
  private readonly names: (string | number)[];
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
    this.flows = list(NO_FLOW);
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
    this.steps[at] = this.parents[at] = 0;
    if (known === null) return;
    this.steps[at] = known.number;
    this.parents[at] = known.parent;
    this.marks[at] = known.mark;
    this.names[at] = shortName(known.name);
    this.kinds[at] = known.kind;
    if (waits !== null) this.putWait(at, waiting!, waits);
    else if (what === 'body' || what === 'returned') this.amounts[at] = clock();
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
  trace(open: ReadonlyMap<number, Place>): string {
    const ways = new Ways(this.places(), open);
    const recorded = this.slots().map((at) => ({
      event: this.event(at, ways),
      time: this.times[at]!,
      step: this.steps[at]!,
      parent: this.parents[at]!,
    }));
    return traceOf(recorded, ways);
  }

  lastOf(flow: number): readonly string[] {
    const slots = this.slots().filter((at) => this.flows[at]!.id === flow);
    const ways = new Ways(this.places(), new Map());
    return slots.slice(-LAST).map((at) => eventText(this.event(at, ways)));
  }

  /** Of the steps that are open those that paths need. */
  around(open: ReadonlyMap<number, Place>): ReadonlyMap<number, Place> {
    const needed = new Map<number, Place>();
    for (const at of this.slots()) {
      for (let number = this.parents[at]!; !needed.has(number);) {
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
    for (const at of this.slots())
      places.set(this.steps[at]!, {
        element: this.elementOf(at),
        kind: this.kinds[at]!,
        parent: this.parents[at]!,
      });
    return places;
  }

  private elementOf(at: number): string {
    return shortName(`${this.marks[at]}${this.names[at]}`);
  }

  private event(at: number, ways: Ways): RecordedEvent {
    const what = this.whats[at]!;
    const { id, name } = this.flows[at]!;
    const event: RecordedEvent = {
      what,
      time: Math.floor(this.times[at]!),
      sequence: this.sequences[at]!,
      flow: { id, name: shortName(name) },
    };
    if (what === 'begun') return event;
    const outcome = this.outcomes[at];
    const code = this.codes[at];
    if (what !== 'ended') event.path = ways.path(this.steps[at]!);
    if (what === 'opened' || what === 'closed') event.element = this.elementOf(at);
    if (what === 'opened') event.kind = this.kinds[at]!;
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
