// A recording in the Trace Event Format, which viewers of traces open (ui.perfetto.dev, chrome://tracing).
//
// - Flows, steps, waits and bodies are slices, from a `B` to an `E`. On one track they nest: what would overlap stands on a further one.
// - What was open before the recording begins with it, and what is open at its end ends with it.

import type { RecordedEvent } from './irecording.js';
import type { Place } from './ways.js';
import { quoted } from './waittext.js';

/** An event, and what else is known of it. */
export interface Recorded {
  readonly event: RecordedEvent;
  /** Of the tool, in milliseconds with fractions. */
  readonly time: number;
  readonly step: number;
}

/** What is asked of steps whose opening isn't in the recording. */
export interface Steps {
  place(number: number): Place;
  path(number: number): string;
}

/** In the order in which its keys are written. */
interface Entry {
  readonly name: string;
  readonly cat: string;
  readonly ph: 'B' | 'E' | 'i';
  readonly ts: number;
  readonly pid: 1;
  /** Once it's known. */
  tid: number;
  readonly s?: 't';
  readonly cname?: string;
  readonly args: object;
}

interface Slice {
  readonly name: string;
  readonly cat: string;
  readonly track: Track;
}

/** Of a flow. */
interface Track {
  /** Its slices that are open, innermost last. */
  readonly open: Slice[];
  readonly entries: Entry[];
}

interface ShownFlow {
  readonly title: string;
  readonly tracks: Track[];
  slice: Slice | null;
}

interface ShownStep {
  readonly flow: ShownFlow;
  readonly slice: Slice;
  /** A wait, or a body, and when that began. */
  inside: Slice | null;
  clock: number;
}

const COLORS: { readonly [wait: string]: string } = {
  guard: 'terrible',
  send: 'yellow',
  receive: 'yellow',
  timer: 'grey',
  stop: 'bad',
};
const OTHER = 'thread_state_iowait';

/** What is open then ends at `until`, a time of the tool in milliseconds. */
export function traceOf(recorded: readonly Recorded[], steps: Steps, until: number): string {
  const trace = new Trace(steps);
  trace.begin(recorded);
  for (const each of recorded) trace.add(each);
  return JSON.stringify({ displayTimeUnit: 'ms', traceEvents: trace.end(until) });
}

class Trace {
  private readonly steps: Steps;
  private readonly entries: Entry[] = [];
  private readonly flows = new Map<number, ShownFlow>();
  private readonly open = new Map<number, ShownStep>();
  /** In the order in which they were opened. */
  private readonly slices = new Set<Slice>();
  private ts = 0;

  constructor(steps: Steps) {
    this.steps = steps;
  }

  /** What was open before: all flows, then steps, each behind the one around it if that is one of them. */
  begin(recorded: readonly Recorded[]): void {
    const [first] = recorded;
    if (first !== undefined) this.ts = tsOf(first);
    const begun = new Set<number>();
    const opened = new Set<number>();
    const before = new Map<number, Recorded>();
    for (const each of recorded) {
      const { event, step } = each;
      const { what, flow } = event;
      if (what !== 'begun' && !begun.has(flow.id)) this.beginFlow(event);
      begun.add(flow.id);
      if (step !== 0 && what !== 'opened' && !opened.has(step)) before.set(step, each);
      opened.add(step);
    }
    for (const step of before.keys()) this.openBefore(step, before);
    this.ts--;
  }

  private openBefore(innermost: number, before: ReadonlyMap<number, Recorded>): void {
    const chain: number[] = [];
    for (let at = innermost; before.has(at) && !this.open.has(at); at = this.steps.place(at).parent)
      chain.push(at);
    for (const step of chain.reverse()) {
      const { event } = before.get(step)!;
      const { element, kind } = this.steps.place(step);
      this.openStep(event, step, `${element} ${kind}`, this.steps.path(step));
    }
  }

  add(recorded: Recorded): void {
    const { event, step } = recorded;
    const { what, path = '' } = event;
    const known = this.open.get(step);
    this.ts = Math.max(tsOf(recorded), this.ts + 1);
    if (known !== undefined) this.addAt(known, event, step);
    else if (what === 'begun') this.beginFlow(event);
    else if (what === 'ended') this.endFlow(event);
    else if (what === 'opened') this.openStep(event, step, `${event.element} ${event.kind}`, path);
  }

  private addAt(known: ShownStep, event: RecordedEvent, step: number): void {
    const { what, path = '', clock = 0 } = event;
    const took = what === 'returned' ? { us: Math.round(1000 * (clock - known.clock)) } : {};
    this.endInside(known, took);
    if (what === 'waits') return this.beginWait(known, event.waits!);
    if (what === 'handler') this.instant(known, `handler ${event.code}`, what, path);
    if (what === 'cancel') this.instant(known, what, what, path);
    if (what === 'body') {
      known.clock = clock;
      known.inside = this.beginInside(known, what, what);
    }
    if (what !== 'closed') return;
    this.open.delete(step);
    this.endSlice(known.slice, endOf(event));
  }

  /** Ends what is open, innermost first. Gives all, first the names of the tracks. */
  end(until: number): object[] {
    this.ts = Math.max(this.ts, Math.floor(until * 1000));
    for (const slice of [...this.slices].reverse()) this.endSlice(slice, { open: true });
    const names: object[] = [];
    for (const { title, tracks } of this.flows.values()) {
      for (const [at, { entries }] of tracks.entries()) {
        const tid = names.length + 1;
        const name = at === 0 ? title : `${title} +${at}`;
        names.push({ name: 'thread_name', ph: 'M', pid: 1, tid, args: { name } });
        for (const entry of entries) entry.tid = tid;
      }
    }
    return [...names, ...this.entries];
  }

  private beginFlow({ flow: { id, name } }: RecordedEvent): void {
    const known = this.flows.get(id);
    const flow = known ?? { title: `flow ${id}${quoted(name)}`, tracks: [], slice: null };
    this.flows.set(id, flow);
    flow.slice = this.beginSlice(flow, null, name || `flow ${id}`, 'flow', { flow: id });
  }

  private endFlow(event: RecordedEvent): void {
    const flow = this.flows.get(event.flow.id)!;
    this.endSlice(flow.slice!, endOf(event));
    flow.slice = null;
  }

  private openStep(event: RecordedEvent, step: number, name: string, path: string): void {
    const flow = this.flows.get(event.flow.id)!;
    const { parent } = this.steps.place(step);
    const around = this.open.get(parent)?.slice ?? flow.slice;
    const slice = this.beginSlice(flow, around, name, 'step', { path });
    this.open.set(step, { flow, slice, inside: null, clock: 0 });
  }

  private beginWait(step: ShownStep, text: string): void {
    const [word] = text.split(' ') as [string];
    const cname = COLORS[word] ?? OTHER;
    step.inside = this.beginInside(step, `waits ${text}`, `wait,${word}`, cname);
  }

  private beginInside(
    { flow, slice }: ShownStep,
    name: string,
    cat: string,
    cname?: string,
  ): Slice {
    return this.beginSlice(flow, slice, name, cat, {}, cname);
  }

  private endInside(step: ShownStep, args: object): void {
    if (step.inside !== null) this.endSlice(step.inside, args);
    step.inside = null;
  }

  private instant({ slice: { track } }: ShownStep, name: string, cat: string, path: string): void {
    this.write(track, { name, cat, ph: 'i', ts: this.ts, pid: 1, tid: 0, s: 't', args: { path } });
  }

  private beginSlice(
    flow: ShownFlow,
    around: Slice | null,
    name: string,
    cat: string,
    args: object,
    cname?: string,
  ): Slice {
    const slice = { name, cat, track: trackIn(flow, around) };
    slice.track.open.push(slice);
    this.slices.add(slice);
    const color = cname === undefined ? {} : { cname };
    this.write(slice.track, { name, cat, ph: 'B', ts: this.ts, pid: 1, tid: 0, ...color, args });
    return slice;
  }

  /** It's the innermost one on its track. */
  private endSlice(slice: Slice, args: object): void {
    const { name, cat, track } = slice;
    track.open.pop();
    this.slices.delete(slice);
    this.write(track, { name, cat, ph: 'E', ts: this.ts, pid: 1, tid: 0, args });
  }

  private write(track: Track, entry: Entry): void {
    track.entries.push(entry);
    this.entries.push(entry);
  }
}

/** That of what is around if that is the innermost slice there, else the first one on which nothing is open. */
function trackIn({ tracks }: ShownFlow, around: Slice | null): Track {
  if (around !== null && around.track.open.at(-1) === around) return around.track;
  const free = tracks.find(({ open }) => open.length === 0);
  if (free !== undefined) return free;
  const made: Track = { open: [], entries: [] };
  tracks.push(made);
  return made;
}

function endOf({ outcome, code }: RecordedEvent): object {
  return code === undefined ? { outcome } : { outcome, code };
}

function tsOf({ time }: Recorded): number {
  return Math.floor(time * 1000);
}
