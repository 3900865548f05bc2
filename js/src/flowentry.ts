// What an inspector knows of a flow that runs. Events only mark that something has changed; what it waits for is found out by a look at
// it, if a page is to show it or the like of it.

import type { AsyncSteps } from './asyncsteps.js';
import { clock } from './clock.js';
import { cut, cutFront, cutPath } from './cut.js';
import type { FlowLook } from './flowlook.js';
import type { GuardLook } from './guardlook.js';
import type { Row, TreeLine } from './imessages.js';
import type {
  FlowSnapshot,
  GuardSnapshot,
  LineSnapshot,
  StepSnapshot,
  WaitSnapshot,
} from './isnapshot.js';
import type { WaitedFor } from './kind.js';
import { patternOf, type Place } from './slowest.js';
import type { ToolCore } from './toolcore.js';

/** What is shown of the lines of one flow, and of the steps of one line. */
const MOST_LINES = 400;
const MOST_STEPS = 24;
/** A look may take a fiftieth of the time. */
const SHARE = 50;
/** So many names of guards and codes are kept, of so many characters. */
const MOST_SEARCHED = 300;

/** A guard that lines of the flow have. */
interface Had {
  readonly guard: WaitedFor;
  readonly shown: GuardSnapshot;
  readonly paths: readonly string[];
}

/** What a look at a flow has found. Times are those of the tool. */
interface Seen {
  readonly state: Row['state'];
  readonly signal: boolean;
  readonly due: number | undefined;
  readonly path: string;
  /** The path without numbers of rounds, attempts, items, branches. */
  readonly where: string;
  /** Flows of one kind that wait at one place for the same have the same. */
  readonly alike: string;
  readonly kind: string | undefined;
  readonly waits: WaitSnapshot | undefined;
  /** When it began to wait for that. */
  readonly since: number | undefined;
  readonly lines: number;
  readonly guards: readonly Had[];
  /** What is searched. */
  readonly text: string;
}

export class FlowEntry {
  readonly flow: AsyncSteps;
  readonly run: number;
  readonly id: number;
  readonly name: string;
  readonly begun: number;
  /** It ran before. */
  readonly isOlder: boolean;
  /** What is known of flows of its kind. */
  readonly place: Place;
  /** Of the error that was handled last. */
  code: string | undefined;
  seen: Seen | undefined;
  /** In real time: when there may be another look. */
  next = 0;

  constructor(
    flow: AsyncSteps,
    run: number,
    id: number,
    place: Place,
    begun: number,
    isOlder: boolean,
  ) {
    this.flow = flow;
    this.run = run;
    this.id = id;
    this.name = cut(flow.settings.name);
    this.place = place;
    this.begun = begun;
    this.isOlder = isOlder;
  }

  row(now: number): Row {
    const { run, id, name, isOlder, code, seen } = this;
    const row: Row = {
      run,
      id,
      name,
      state: seen?.state ?? 'running',
      age: now - this.begun,
      path: seen?.path ?? '',
      lines: seen?.lines ?? 1,
    };
    if (isOlder) row.older = true;
    if (code !== undefined) row.code = code;
    if (seen === undefined) return row;
    if (seen.signal) row.signal = true;
    if (seen.due !== undefined) row.deadline = Math.max(0, seen.due - now);
    if (seen.kind !== undefined) row.kind = seen.kind;
    if (seen.waits !== undefined) row.waits = waitShown(seen.waits, now);
    return row;
  }
}

/** When its timer fires, and when it has begun. */
interface WaitKept extends WaitSnapshot {
  due?: number;
  began?: number;
}

function waitShown(kept: WaitKept, now: number): WaitSnapshot {
  const { due, began, ...shown } = kept;
  if (due !== undefined) shown.ms = Math.max(0, due - now);
  if (began !== undefined) shown.since = now - began;
  return shown;
}

/** A look at flows of a tool: good for as long as nothing moves. */
export interface FlowSight {
  /** When that is, in the tool's time. */
  readonly now: number;
  /** What it finds is kept in the entry. */
  see(entry: FlowEntry): void;
  /** Its lines, for people. */
  tree(entry: FlowEntry): { lines: TreeLine[]; more: number };
}

export type FlowSights = () => FlowSight;

export function sightsWith(Look: typeof FlowLook, tool: ToolCore): FlowSights {
  const Guards = new Look(tool).guards.constructor as typeof GuardLook;

  class TouchedGuards extends Guards {
    readonly touched = new Map<WaitedFor, GuardSnapshot>();

    override at(guard: WaitedFor): GuardSnapshot {
      const shown = super.at(guard);
      this.touched.set(guard.whole ?? guard, shown);
      return shown;
    }
  }

  class Sight extends Look {
    override readonly guards = new TouchedGuards();
  }

  return () => {
    const look = new Sight(tool);
    const now = look.time;
    /** With what it has of guards: they forget that, as others are looked at next. */
    const shownOf = ({ flow }: FlowEntry) => {
      const { touched } = look.guards;
      touched.clear();
      const shown = look.flow(flow);
      const guards = [...touched].map(([guard, snapshot]) => {
        const paths = snapshot.holders.splice(0).map(({ path }) => cutFront(path));
        return { guard, shown: snapshot, paths };
      });
      return { shown, guards };
    };
    return {
      now,
      see(entry) {
        const started = clock();
        const { shown, guards } = shownOf(entry);
        entry.seen = seenIn(shown, guards, now, entry.place.flow);
        entry.next = started + SHARE * (clock() - started);
      },
      tree: (entry) => linesOf(shownOf(entry).shown),
    };
  };
}

function seenIn(flow: FlowSnapshot, guards: readonly Had[], now: number, ofKind: string): Seen {
  const { state, signal, deadline, line } = flow;
  let lines = 0;
  let found: Next | undefined;
  if (line !== undefined) {
    for (const next of each(line)) {
      lines++;
      if (next.at.waits !== undefined && isSooner(next.at, found?.at)) found = next;
    }
  }
  const waits: WaitKept | undefined = found?.at.waits && { ...found.at.waits };
  if (waits?.name !== undefined) waits.name = cut(waits.name);
  if (waits?.ms !== undefined) waits.due = now + waits.ms;
  if (waits?.since !== undefined) waits.began = now - waits.since;
  const elements = found === undefined ? [] : elementsOf(found);
  const where = cutPath(elements.map(patternOf));
  const path = cutPath(elements);
  const names = guards.map(({ shown }) => `${shown.kind} ${cut(shown.name)}`).join(' ');
  const text = [flow.id, cut(flow.name), path, waits?.for, waits?.kind, waits?.name];
  return {
    state: state === 'cancelling' ? state : 'running',
    signal,
    due: deadline === undefined ? undefined : now + deadline,
    path,
    where,
    alike: JSON.stringify([ofKind, where, waits?.for, waits?.kind, waits?.name]),
    kind: found?.at.steps.at(-1)?.kind,
    waits,
    since: waits?.began,
    lines,
    guards,
    text: `${text.join(' ')} ${cut(names, MOST_SEARCHED)}`.toLowerCase(),
  };
}

/** The one that has waited longest; what is known is before what isn't. */
function isSooner({ waits }: LineSnapshot, than: LineSnapshot | undefined): boolean {
  return than === undefined || (waits?.since ?? -1) > (than.waits?.since ?? -1);
}

interface Next {
  readonly at: LineSnapshot;
  readonly around: Next | null;
  readonly depth: number;
}

/** All lines, each before those inside of it. */
function* each(root: LineSnapshot): Iterable<Next> {
  const next: Next[] = [{ at: root, around: null, depth: 0 }];
  for (let here = next.pop(); here !== undefined; here = next.pop()) {
    yield here;
    const { lines } = here.at;
    for (let i = lines.length; i-- > 0;)
      next.push({ at: lines[i]!, around: here, depth: here.depth + 1 });
  }
}

/** From the root on. */
function elementsOf(line: Next): string[] {
  const elements: string[] = [];
  for (let at: Next | null = line; at !== null; at = at.around) {
    for (let i = at.at.steps.length; i-- > 0;) elements.push(at.at.steps[i]!.element);
  }
  return elements.reverse();
}

function linesOf({ line }: FlowSnapshot): { lines: TreeLine[]; more: number } {
  const lines: TreeLine[] = [];
  let more = 0;
  if (line === undefined) return { lines, more };
  for (const { at, depth } of each(line)) {
    if (lines.length === MOST_LINES) more++;
    else lines.push(treeLine(at, depth));
  }
  return { lines, more };
}

function treeLine({ steps, waits }: LineSnapshot, depth: number): TreeLine {
  const shown = inMiddle(steps).map((step) => ({ ...step, element: cut(step.element, 60) }));
  const line: TreeLine = { depth, steps: shown };
  if (waits === undefined) return line;
  line.waits = waits.name === undefined ? waits : { ...waits, name: cut(waits.name) };
  return line;
}

/** Without those in the middle if there are too many. */
function inMiddle(steps: readonly StepSnapshot[]): readonly StepSnapshot[] {
  const more = steps.length - MOST_STEPS;
  if (more <= 0) return steps;
  const half = MOST_STEPS / 2;
  const left = { element: `… ${more} more …`, kind: '' };
  return [...steps.slice(0, half), left, ...steps.slice(-half)];
}
