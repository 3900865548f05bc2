// What a snapshot consists of: plain data.

import type { Waits } from './kind.js';

/** A step that is open. */
export interface StepSnapshot {
  /** As paths show it: a name or a number, `#0` of a round or an attempt, `|0` or `|name` of a branch, `~0` of a deferred function. */
  element: string;
  /** The call that makes it: `step`, `steps`, `loop`, `sync`, …; `defer`. */
  kind: string;
  /** What is left of the limit that it has set, in milliseconds; absent: none. */
  timeout?: number;
  /** Where its body was written, `file:line:column`; absent: it has none, or nobody has asked: see `locate` of `snapshot`. */
  source?: string;
}

/** What a line waits for. */
export interface WaitSnapshot {
  /** Which it is: for the table see `spec/observe.md`. */
  for: Waits['for'];
  /** `timer`: how many milliseconds are left; absent: it waits for ever. */
  ms?: number;
  /** `guard`: the `id` of one of the runtime's. */
  guard?: number;
  /** `guard`: which one it is, `mutex`, `limiter`, …; `rwlock.read` or `rwlock.write`. */
  kind?: string;
  /** Of the guard or channel, as it was given; absent: it has none. */
  name?: string;
  /** `guard`: the place in its queue, from 1 on. */
  place?: number;
  /** For how many milliseconds it has waited; absent: it's not known, as nobody observes the tool. */
  since?: number;
}

/** A line of execution: that of a flow, or a branch. */
export interface LineSnapshot {
  /** Its open steps, the outermost first. */
  steps: StepSnapshot[];
  /** Absent: for the lines inside. */
  waits?: WaitSnapshot;
  /** Inside of the last step. */
  lines: LineSnapshot[];
}

/** What a flow is doing. */
export interface FlowSnapshot {
  /** No other flow of the process has it. */
  id: number;
  /** That of its options, or `''`. */
  name: string;
  /** `cancelling`: its cancel was asked for, and it hasn't ended. */
  state: 'idle' | 'running' | 'cancelling';
  /** Whether a signal ends it. */
  signal: boolean;
  /** Its nearest deadline, in milliseconds from now; absent: none. */
  deadline?: number;
  /** How many milliseconds ago it has begun; absent: it's not known, as nobody observed the tool then. */
  age?: number;
  /** Absent: it's idle. */
  line?: LineSnapshot;
}

/** A guard that lines have, or wait for. */
export interface GuardSnapshot {
  /** No other guard of the process has it. */
  id: number;
  /** `mutex`, `throttle`, `limiter`, `rwlock`, `gate`, `barrier`, `breaker`. */
  kind: string;
  /** As it was given, or `''`. */
  name: string;
  /** How many lines wait for it. */
  waiting: number;
  /** How many lines are in; absent: it doesn't know. */
  active?: number;
  /** Absent: it isn't limited. */
  available?: number;
  /** The lines that have it: whose flow, and the path of where that line is now. */
  holders: { flow: number; path: string }[];
}

/** All flows of a tool that run. It is plain data, as `spec/snapshot.schema.json` says. */
export interface Snapshot {
  /** Of the tool, in milliseconds. */
  time: number;
  /** Those that run, in the order of their starts. */
  flows: FlowSnapshot[];
  /** Those that lines have, or wait for. */
  guards: GuardSnapshot[];
}
