// A recording in the Trace Event Format, which viewers of traces open (ui.perfetto.dev, chrome://tracing).
//
// - Flows, steps, waits and bodies are slices. On one track they nest: what would overlap stands on a further one.
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

type Called = Pick<RecordedEvent, 'element' | 'kind'>;

/** A slice, or an instant, in the order in which its keys are written: those that aren't undefined. */
interface Entry {
  readonly name: string;
  readonly cat: string;
  readonly ph: 'X' | 'i';
  readonly ts: number;
  /** Of a slice; -1: it's open. */
  dur: number | undefined;
  readonly pid: 1;
  readonly tid: Track;
  readonly s: 't' | undefined;
  readonly cname: string | undefined;
  readonly args: object;
}

/** Of a flow. It's written as its number. */
class Track {
  /** Its slices that are open, innermost last. */
  readonly open: Entry[] = [];
  number = 0;

  toJSON(): number {
    return this.number;
  }
}

interface ShownFlow {
  readonly title: string;
  readonly tracks: Track[];
  slice: Entry | null;
}

interface ShownStep {
  readonly flow: ShownFlow;
  readonly slice: Entry;
  /** A wait, or a body, and when that began. */
  inside: Entry | null;
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
const OPEN = -1;

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
      this.openStep(event, step, this.steps.place(step), this.steps.path(step));
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
    else if (what === 'opened') this.openStep(event, step, event, path);
  }

  private addAt(known: ShownStep, event: RecordedEvent, step: number): void {
    const { what, path = '', clock = 0 } = event;
    const took = what === 'returned' ? { us: Math.round(1000 * (clock - known.clock)) } : {};
    this.endInside(known, took);
    if (what === 'waits') return this.beginWait(known, event.waits!);
    if (what === 'handler' || what === 'cancel') {
      const name = what === 'cancel' ? what : `handler ${event.code}`;
      const entry = this.write(known.slice.tid, name, what, { path });
      Object.assign(entry, { ph: 'i', dur: undefined, s: 't' });
    }
    if (what === 'body') {
      known.clock = clock;
      known.inside = this.beginSlice(known.flow, known.slice, what, what, {});
    }
    if (what !== 'closed') return;
    this.open.delete(step);
    this.endSlice(known.slice, endOf(event));
  }

  /** Ends what is open. Gives all, first the names of the tracks. */
  end(until: number): object[] {
    this.ts = Math.max(this.ts, Math.floor(until * 1000));
    for (const entry of this.entries) if (entry.dur === OPEN) this.endWith(entry, { open: true });
    const names: object[] = [];
    for (const { title, tracks } of this.flows.values()) {
      for (const [at, track] of tracks.entries()) {
        const tid = names.length + 1;
        track.number = tid;
        const name = at === 0 ? title : `${title} +${at}`;
        names.push({ name: 'thread_name', ph: 'M', pid: 1, tid, args: { name } });
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

  private openStep(event: RecordedEvent, step: number, called: Called, path: string): void {
    const flow = this.flows.get(event.flow.id)!;
    const { parent } = this.steps.place(step);
    const around = this.open.get(parent)?.slice ?? flow.slice;
    const name = `${called.element} ${called.kind}`;
    const slice = this.beginSlice(flow, around, name, 'step', { path });
    this.open.set(step, { flow, slice, inside: null, clock: 0 });
  }

  /** Its name is without the number behind, which isn't the guard's: else waits that are alike had many names. */
  private beginWait(step: ShownStep, text: string): void {
    const [word] = text.split(' ') as [string];
    const name = text.replace(/ \d+$/, '');
    const number = Number(text.slice(name.length));
    const args = name === text ? {} : { [word === 'timer' ? 'ms' : 'place']: number };
    const { flow, slice } = step;
    const cname = COLORS[word] ?? OTHER;
    step.inside = this.beginSlice(flow, slice, `waits ${name}`, `wait,${word}`, args, cname);
  }

  private endInside(step: ShownStep, args: object): void {
    if (step.inside !== null) this.endSlice(step.inside, args);
    step.inside = null;
  }

  private beginSlice(
    flow: ShownFlow,
    around: Entry | null,
    name: string,
    cat: string,
    args: object,
    cname?: string,
  ): Entry {
    const track = trackIn(flow, around);
    const slice = this.write(track, name, cat, args, cname);
    track.open.push(slice);
    return slice;
  }

  /** It's the innermost one on its track. */
  private endSlice(slice: Entry, args: object): void {
    slice.tid.open.pop();
    this.endWith(slice, args);
  }

  private endWith(slice: Entry, args: object): void {
    slice.dur = this.ts - slice.ts;
    Object.assign(slice.args, args);
  }

  /** A slice, as long as it's nothing else. */
  private write(tid: Track, name: string, cat: string, args: object, cname?: string): Entry {
    const { ts } = this;
    const entry: Entry = {
      name,
      cat,
      ph: 'X',
      ts,
      dur: OPEN,
      pid: 1,
      tid,
      s: undefined,
      cname,
      args,
    };
    this.entries.push(entry);
    return entry;
  }
}

/** That of what is around if that is the innermost slice there, else the first one on which nothing is open. */
function trackIn({ tracks }: ShownFlow, around: Entry | null): Track {
  if (around !== null && around.tid.open.at(-1) === around) return around.tid;
  const free = tracks.find(({ open }) => open.length === 0);
  if (free !== undefined) return free;
  const made = new Track();
  tracks.push(made);
  return made;
}

function endOf({ outcome, code }: RecordedEvent): object {
  return { outcome, code };
}

function tsOf({ time }: Recorded): number {
  return Math.floor(time * 1000);
}
