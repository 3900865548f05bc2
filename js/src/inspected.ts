// A tool whose flows are inspected: an index of them, which events keep up to date, and what pages are answered from it.
//
// - An event costs little: a mark, a number, a time. Flows are looked at when a page asks, those that it shows first; others for some
//   milliseconds at a time. So a row that isn't in view may be behind.
// - Nothing here is asked for by events of the inspector's own: it runs no flow.

import type { AsyncSteps } from './asyncsteps.js';
import { clock } from './clock.js';
import { cut } from './cut.js';
import { FlowEntry, type FlowSight, type FlowSights, sightsWith } from './flowentry.js';
import { filterOf, orderOf } from './flowfilter.js';
import { BEGAN, FLOW, NAME, PATH, Texts } from './held.js';
import type { FlowEvent } from './ievent.js';
import type { CodeShown, Frame, GuardShown, Opened, Stall, View } from './imessages.js';
import { observe, VirtualTool } from './index.js';
import type { WaitedFor, Waits } from './kind.js';
import type { Known, ShownFlow } from './lane.js';
import { LastingWaits } from './lasting.js';
import { Lately } from './lately.js';
import type { Watch } from './observe.js';
import { type Place, Slowest } from './slowest.js';
import { runningOf } from './snapshot.js';
import type { Sink } from './telling.js';
import type { ToolCore } from './toolcore.js';
import type { Line } from './tree.js';

/** How long it looks at flows that have changed, for one answer, in milliseconds. */
const LOOKING = 6;
/** A turn of so many milliseconds is a stall. */
const STALL = 50;
const MOST_STALLS = 20;
const MOST_ENDED = 200;
const MOST_CODES = 1000;
const CODES_SHOWN = 20;
const GUARDS_SHOWN = 40;
const HOLDERS_SHOWN = 3;

interface Open {
  readonly place: Place;
  readonly at: number;
}

/** Of flows. */
interface Ends {
  ok: number;
  error: number;
  cancelled: number;
}

interface CodeCount {
  ended: number;
  handled: number;
  last: number;
}

export class Inspected implements Sink {
  readonly bodies = false;
  /** Its time isn't the clock's. */
  readonly #isVirtual: boolean;
  readonly #telling: Watch;
  readonly #sights: FlowSights;
  readonly #memory: Float64Array;
  readonly #texts: Texts;
  readonly #entries = new Map<AsyncSteps, FlowEntry>();
  readonly #runs = new Map<number, FlowEntry>();
  /** Something has happened since the last look at them. What comes again comes last, so each has its look. */
  readonly #changed = new Set<FlowEntry>();
  /** Steps, by their numbers. */
  readonly #open = new Map<number, Open>();
  readonly #slowest = new Slowest();
  readonly #lately = new Lately();
  readonly #codes = new Map<string, CodeCount>();
  readonly #stalls: (Omit<Stall, 'ago'> & { at: number })[] = [];
  /** How runs have ended, the last ones. */
  readonly #ended = new Map<number, { outcome: keyof Ends; code?: string; at: number }>();
  readonly #totals: Ends & { begun: number } = { begun: 0, ok: 0, error: 0, cancelled: 0 };
  #run = 0;
  /** Of the turn that runs, in real time; 0: none does. */
  #began = 0;
  #entry: FlowEntry | undefined;
  /** Of the step that was opened last in it, and when. */
  #path = '';
  #at = 0;
  /** Where it was for the longest time, up to then. */
  #longest = 0;
  #longestPath = '';

  /** `send` gets the texts that numbers in the memory stand for. */
  constructor(tool: ToolCore, memory: Float64Array, send: (number: number, text: string) => void) {
    this.#isVirtual = tool instanceof VirtualTool;
    this.#memory = memory;
    this.#texts = new Texts(send);
    const watching = observe(tool, () => {});
    this.#telling = tool.watching as Watch;
    this.#telling.addSink(this);
    watching.cancel();
    const { Look, ends } = this.#telling;
    this.#sights = sightsWith(Look, tool);
    const now = tool.now();
    for (const flow of runningOf(tool))
      if (flow !== ends) this.#enter(flow, new Look(tool).flow(flow).id, now, true);
  }

  /** It hears of nothing any more. */
  end(): void {
    this.#telling.removeSink(this);
    this.#memory.fill(0);
  }

  /** Whether it runs. */
  cancel(run: number): boolean {
    const entry = this.#runs.get(run);
    entry?.flow.cancel();
    return entry !== undefined;
  }

  #enter(flow: AsyncSteps, id: number, now: number, isOlder: boolean): FlowEntry {
    const place = this.#slowest.flowOf(flow.settings.name);
    const entry = new FlowEntry(flow, ++this.#run, id, place, now, isOlder);
    this.#entries.set(flow, entry);
    this.#runs.set(entry.run, entry);
    this.#changed.add(entry);
    return entry;
  }

  /** An event. */
  put(
    what: FlowEvent['what'],
    times: Float64Array,
    _sequence: number,
    shown: ShownFlow,
    known: Known | null,
    outcome: string | undefined,
    code: string | undefined,
    _line: Line | null,
    _waits: Waits | null,
    flow: AsyncSteps,
  ): void {
    const now = Math.floor(times[0]!);
    const real = clock();
    const time = this.#isVirtual ? now : real;
    const entry = this.#entries.get(flow) ?? this.#enter(flow, shown.id, now, what !== 'begun');
    this.#changed.add(entry);
    switch (what) {
      case 'begun':
        this.#totals.begun++;
        this.#lately.at(real).begun++;
        break;
      case 'turn':
        this.#turn(entry, real);
        break;
      case 'opened':
        this.#opened(entry, known!, time, real);
        break;
      case 'handler':
        entry.code = cut(code!);
        this.#count(entry.code).handled++;
        break;
      case 'closed':
        this.#closed(known!, time);
        break;
      case 'ended':
        this.#endedWith(entry, outcome as keyof Ends, code, now);
    }
  }

  #turn(entry: FlowEntry, real: number): void {
    const memory = this.#memory;
    this.#entry = entry;
    this.#path = this.#longestPath = '';
    this.#longest = 0;
    this.#began = this.#at = real;
    memory[FLOW] = entry.id;
    memory[NAME] = this.#texts.numberOf(entry.name);
    memory[PATH] = 0;
    memory[BEGAN] = this.#began;
  }

  /** Its body is called next. */
  #opened(entry: FlowEntry, known: Known, at: number, real: number): void {
    const around = this.#open.get(known.parent)?.place ?? entry.place;
    const place = this.#slowest.placeOf(around, known);
    this.#open.set(known.number, { place, at });
    if (this.#began === 0) return;
    this.#passed(real);
    this.#path = place.path;
    this.#memory[PATH] = this.#texts.numberOf(place.path);
  }

  /** So long it was where it was. */
  #passed(now: number): void {
    const ms = now - this.#at;
    this.#at = now;
    if (ms <= this.#longest) return;
    this.#longest = ms;
    this.#longestPath = this.#path;
  }

  #closed({ number }: Known, time: number): void {
    const open = this.#open.get(number);
    if (open === undefined) return; // it was open before
    this.#open.delete(number);
    open.place.took(time - open.at);
  }

  #endedWith(entry: FlowEntry, outcome: keyof Ends, code: string | undefined, at: number): void {
    const ended = { outcome, at };
    const piece = this.#lately.at(clock());
    this.#totals[ended.outcome]++;
    piece.ended++;
    if (outcome === 'error') piece.failed++;
    this.#entries.delete(entry.flow);
    this.#runs.delete(entry.run);
    this.#changed.delete(entry);
    const known = code === undefined ? {} : { code: cut(code) };
    if (known.code !== undefined) this.#count(known.code).ended++;
    if (this.#ended.size === MOST_ENDED) this.#ended.delete(this.#ended.keys().next().value!);
    this.#ended.set(entry.run, { ...ended, ...known });
  }

  /** The turn is over. */
  over(): void {
    const began = this.#began;
    if (began === 0) return;
    this.#began = this.#memory[BEGAN] = 0;
    const now = clock();
    const ms = now - began;
    this.#lately.turn(began, now);
    if (ms < STALL) return;
    this.#passed(now);
    const { id: flow, name } = this.#entry!;
    if (this.#stalls.length === MOST_STALLS) this.#stalls.pop();
    this.#stalls.unshift({ at: now, ms: Math.round(ms), flow, name, path: this.#longestPath });
  }

  #count(code: string): CodeCount {
    const key = this.#codes.size < MOST_CODES || this.#codes.has(code) ? code : '…';
    let count = this.#codes.get(key);
    if (count === undefined) this.#codes.set(key, (count = { ended: 0, handled: 0, last: 0 }));
    count.last = clock();
    return count;
  }

  /** What pages that look at it are shown. */
  frames(views: readonly View[]): Frame[] {
    const sight = this.#sights();
    const until = clock() + LOOKING;
    for (const entry of this.#changed) {
      const now = clock();
      if (now >= until) break;
      if (now < entry.next) continue;
      this.#changed.delete(entry);
      sight.see(entry);
    }
    const common = this.#common(sight);
    return views.map((view) => ({ ...common, ...this.#viewed(view, sight) }));
  }

  #common({ now: time }: FlowSight) {
    const { begun, ok, error, cancelled } = this.#totals;
    const now = clock();
    const lasting = new LastingWaits(time);
    const waits: Record<string, number> = {};
    const guards = new Map<WaitedFor, GuardShown>();
    for (const entry of this.#entries.values()) {
      const { seen } = entry;
      const what = seen === undefined ? 'unseen' : (seen.waits?.for ?? 'lines');
      waits[what] = (waits[what] ?? 0) + 1;
      lasting.add(entry);
      if (seen !== undefined) addGuards(guards, entry, seen);
    }
    const shown = [...guards.values()].sort((a, b) => b.waiting - a.waiting || b.held - a.held);
    return {
      type: 'frame' as const,
      time,
      totals: { running: this.#entries.size, begun, ok, failed: error, cancelled },
      waits,
      guards: shown.slice(0, GUARDS_SHOWN),
      guardsInAll: shown.length,
      timeline: this.#lately.timeline(now),
      slow: this.#slowest.shown(),
      lasting: lasting.shown(),
      stalls: this.#stalls.map(({ at, ...stall }) => ({ ...stall, ago: Math.round(now - at) })),
      codes: this.#codesShown(now),
    };
  }

  #codesShown(now: number): CodeShown[] {
    const all = [...this.#codes].map(([code, { ended, handled, last }]) => {
      return { code, ended, handled, ago: Math.round(now - last) };
    });
    all.sort((a, b) => b.ended + b.handled - (a.ended + a.handled));
    return all.slice(0, CODES_SHOWN);
  }

  #viewed(view: View, sight: FlowSight) {
    const { now } = sight;
    const isFound = filterOf(view, now);
    const found: FlowEntry[] = [];
    for (const entry of this.#entries.values()) if (isFound(entry)) found.push(entry);
    found.sort(orderOf(view));
    const first = Math.max(0, Math.min(view.first, found.length - view.rows));
    const rows = found.slice(first, first + view.rows).map((entry) => {
      if (clock() >= entry.next) sight.see(entry);
      return entry.row(now);
    });
    const asked = view.number === undefined ? {} : { number: view.number };
    const shown = { ...asked, found: found.length, first, rows };
    if (view.open === undefined) return shown;
    return { ...shown, open: this.#opening(view.open, found, sight) };
  }

  #opening(run: number, found: readonly FlowEntry[], sight: FlowSight): Opened {
    const entry = this.#runs.get(run);
    if (entry !== undefined) {
      const index = found.indexOf(entry);
      if (clock() >= entry.next) sight.see(entry);
      const row = entry.row(sight.now);
      return { run, row, ...(index < 0 ? {} : { index }), ...sight.tree(entry) };
    }
    const ended = this.#ended.get(run);
    if (ended === undefined) return { run, gone: true };
    const { at, ...how } = ended;
    return { run, ended: { ...how, ago: sight.now - at } };
  }
}

function addGuards(
  guards: Map<WaitedFor, GuardShown>,
  { run, id: flow, name }: FlowEntry,
  { guards: had }: NonNullable<FlowEntry['seen']>,
): void {
  for (const { guard, shown, paths } of had) {
    let known = guards.get(guard);
    if (known === undefined) guards.set(guard, (known = guardShown(guard, shown.id)));
    for (const path of paths) {
      known.held++;
      if (known.holders.length < HOLDERS_SHOWN) known.holders.push({ run, flow, name, path });
    }
  }
}

/** As it is now. */
function guardShown({ kind, name, waiting, active, available }: WaitedFor, id: number): GuardShown {
  const shown: GuardShown = {
    id,
    kind: kind!,
    name: cut(name),
    waiting: waiting!,
    holders: [],
    held: 0,
  };
  if (active !== undefined) shown.active = active;
  if (available !== undefined && available !== Infinity) shown.available = available;
  return shown;
}
