// What a recorder has: plain data.

import type { FlowEvent } from './ievent.js';

/** One event, as it was told. What it doesn't say is absent: see the table of `spec/observe.md`. */
export interface RecordedEvent {
  /** Which event it is. */
  what: FlowEvent['what'];
  /** Of the tool, in whole milliseconds. */
  time: number;
  /** Its number. */
  sequence: number;
  /** As in snapshots. */
  flow: { id: number; name: string };
  /** The way to the step. Of more than 16 elements the first 8, `…` and the last 8. */
  path?: string;
  /** `opened`, `closed`: as paths show the step. */
  element?: string;
  /** `opened`: the call that makes the step. */
  kind?: string;
  /** `closed`, `ended`. */
  outcome?: 'ok' | 'error' | 'left' | 'cancelled';
  /** `handler`, and with the outcome `error`. */
  code?: string;
  /** `waits`: what for, in words: `completion`, `timer 4`, `guard mutex "db" 1`. */
  waits?: string;
  /** `body`, `returned`: the platform's time, in milliseconds with fractions. */
  clock?: number;
}
