// What an inspector's server and its page tell each other: plain data, as `spec/inspector.schema.json` says.

import type { WaitSnapshot } from './isnapshot.js';

/** What a page looks at. What is absent doesn't matter. */
export interface View {
  /** In the id, name, path and wait of a flow. */
  text?: string;
  state?: 'running' | 'cancelling';
  /** The kind of wait. */
  waits?: WaitSnapshot['for'];
  /** A code that the flow has handled. */
  code?: string;
  /** The id of a guard that it has, or waits for. */
  guard?: number;
  /** In milliseconds. */
  age?: number;
  /** How long it waits, in milliseconds. */
  since?: number;
  sort: 'since' | 'age' | 'id' | 'name' | 'deadline' | 'lines';
  /** The other way round. */
  reverse?: boolean;
  /** The first row, from 0 on, and how many. */
  first: number;
  rows: number;
  /** The run that is expanded. */
  open?: number;
  /** The frames that answer it say it, too. */
  number?: number;
}

/** A flow, in one line. */
export interface Row {
  /** No other run of the tool has it. */
  run: number;
  /** As in snapshots. */
  id: number;
  name: string;
  state: 'running' | 'cancelling';
  /** In milliseconds. */
  age: number;
  /** It ran before the inspector began: it's older, and may wait longer. */
  older?: true;
  deadline?: number;
  signal?: true;
  /** Of the line that has waited longest. */
  path: string;
  kind?: string;
  waits?: WaitSnapshot;
  /** How many lines it has. */
  lines: number;
  /** Of the error that it handled last. */
  code?: string;
}

/** A line of the expanded flow. */
export interface TreeLine {
  /** In how many others it is. */
  depth: number;
  steps: { element: string; kind: string; timeout?: number }[];
  waits?: WaitSnapshot;
}

/** The expanded flow: its lines, how many more there are, and how it has ended, if it's known. */
export interface Opened {
  run: number;
  /** Its place among those that were found, from 0 on. */
  index?: number;
  /** While it runs, also when it's not in view. */
  row?: Row;
  lines?: TreeLine[];
  more?: number;
  ended?: { outcome: 'ok' | 'error' | 'cancelled'; code?: string; ago: number };
  gone?: true;
}

export interface GuardShown {
  id: number;
  kind: string;
  name: string;
  waiting: number;
  active?: number;
  available?: number;
  /** The first of them. */
  holders: { run: number; flow: number; name: string; path: string }[];
  /** How many there are. */
  held: number;
}

/** What the last 30 seconds were like: each list from the oldest on, one number for each 250 ms. The clock is that of the process. */
export interface Timeline {
  ms: number;
  begun: number[];
  ended: number[];
  failed: number[];
  /** Milliseconds in turns, and the longest turn. */
  busy: number[];
  longest: number[];
}

export interface Slow {
  flow: string;
  path: string;
  kind: string;
  count: number;
  mean: number;
  max: number;
}

/** A turn that held the loop. */
export interface Stall {
  ago: number;
  ms: number;
  flow: number;
  name: string;
  path: string;
}

/** Flows that have waited long, of one kind, at one place, for the same. */
export interface Lasting {
  flow: string;
  path: string;
  waits: WaitSnapshot;
  count: number;
  /** At least: the longest of them, and which run that is. */
  ms: number;
  run: number;
}

export interface CodeShown {
  code: string;
  /** How many flows have ended with it, and how many error handlers were called with it. */
  ended: number;
  handled: number;
  /** Since when, in milliseconds. */
  ago: number;
}

export interface Frame {
  type: 'frame';
  /** Of the tool, in milliseconds. */
  time: number;
  totals: { running: number; begun: number; ok: number; failed: number; cancelled: number };
  /** How many flows wait for what; `unseen`: that wasn't found out yet. */
  waits: Record<string, number>;
  /** Of the view that it answers. */
  number?: number;
  found: number;
  first: number;
  rows: Row[];
  open?: Opened;
  /** Those with the longest queues. */
  guards: GuardShown[];
  guardsInAll: number;
  timeline: Timeline;
  slow: Slow[];
  lasting: Lasting[];
  stalls: Stall[];
  codes: CodeShown[];
}

/** The first message. */
export interface Hello {
  type: 'hello';
  /** Says in its requests which page it is. */
  page: string;
  /** Which program it is. */
  program: string;
  version: string;
  /** Whether flows may be cancelled. */
  cancel: boolean;
  /** Whether the time of the tool stands still in between. */
  virtual: boolean;
}

/** The thread of the tool doesn't answer: for so long, and what it was last seen in. */
export interface Held {
  type: 'held';
  ms: number;
  flow?: number;
  name?: string;
  path?: string;
}

/** The last message. */
export interface Bye {
  type: 'bye';
}

export type Message = Hello | Frame | Held | Bye;
