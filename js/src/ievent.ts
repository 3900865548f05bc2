// What observers are told: one object, of which `what` says which event it is and what else it has.

import type { WaitSnapshot } from './isnapshot.js';

/** What each event has. */
interface Told<W extends string> {
  /** Which event it is: for the table see `spec/observe.md`. */
  readonly what: W;
  /** Of the tool, in milliseconds. */
  readonly time: number;
  /** Its number, from 1 on. */
  readonly sequence: number;
  /** As in snapshots. */
  readonly flow: { readonly id: number; readonly name: string };
  /** A number that the events of the step have, from its `opened` to its `closed`, and no other open step of the tool; 0: it's at none. */
  readonly step: number;
  /** That of the told step around it, of a branch that of its parallel step; 0: none. */
  readonly parent: number;
  /** Names or numbers from the root to the step, as in errors; `''`: it's at none. Made when it's asked for. */
  readonly path: string;
  /** All of that, and what else the event has, as plain data to be kept. */
  toJSON(): Omit<this, 'toJSON'>;
}

interface ToldOf<W extends string> extends Told<W> {
  /** The last one of the path. */
  readonly element: string;
}

/** The flow was executed. */
export interface BegunEvent extends Told<'begun'> {}

/** A line gets its turn: of the flow, or a branch. */
export interface TurnEvent extends Told<'turn'> {}

/** The step is open: its body is called next, or something inside of it, or its line waits. */
export interface OpenedEvent extends ToldOf<'opened'> {
  /** The call that makes it: `step`, `steps`, `loop`, `sync`, …; `defer`. */
  readonly kind: string;
}

/** A body is called next, or has returned or thrown: with `bodies` only. */
export interface BodyEvent extends Told<'body' | 'returned'> {}

/** The step's error handler is called next. */
export interface HandlerEvent extends Told<'handler'> {
  /** Of the error. */
  readonly code: string;
}

/** The step's cancel handler is called next. */
export interface CancelEvent extends Told<'cancel'> {}

/** The step has closed, and all inside of it before. */
export interface ClosedEvent extends ToldOf<'closed'> {
  /** `left`: it was closed from outside, by a cancel, a limit further out, a failed sibling, a `break`. */
  readonly outcome: 'ok' | 'error' | 'left';
  /** Of the error. */
  readonly code: string | undefined;
}

/** The turn of a line is over, and it waits. */
export interface WaitsEvent extends Told<'waits'> {
  /** What for. Found out when it's asked for. */
  readonly waits: WaitSnapshot;
}

/** Nothing of the flow is open any more; nobody has heard of that yet. */
export interface EndedEvent extends Told<'ended'> {
  /** How it has ended. */
  readonly outcome: 'ok' | 'error' | 'cancelled';
  /** Of the error. */
  readonly code: string | undefined;
}

/** What `observe` tells. It's good for the time of the call: the next event is told by the same object. */
export type FlowEvent =
  | BegunEvent
  | TurnEvent
  | OpenedEvent
  | BodyEvent
  | HandlerEvent
  | CancelEvent
  | ClosedEvent
  | WaitsEvent
  | EndedEvent;
