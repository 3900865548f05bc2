// What the engine asks of kinds of steps: bits of a step say what its kind answers. The engine knows no kind by name: a new one takes a
// file of its own, and a call that adds it.

import type { Cancellable } from './enter.js';
import type { Failure, StepError } from './error.js';
import type { Step } from './step.js';
import type { Closing, Line, Owner } from './tree.js';

/** What an answer says of a line's turn: a body is to be called, the line's top is to be looked at again, it waits, the step has ended. */
export const READY = 0;
export const AGAIN = 1;
export const PENDING = 2;
export const ENDED = 3;

/** What a step may wait for: a guard, a channel. */
export interface WaitedFor {
  /** Which guard it is. */
  readonly kind?: string;
  readonly name: string;
  /** Of one side of a lock: the whole lock. */
  readonly whole?: WaitedFor;
  readonly waiting?: number;
  readonly active?: number;
  readonly available?: number;
}

/** What snapshots say that a step waits for. */
export interface Waits {
  readonly for:
    | 'turn'
    | 'code'
    | 'stop'
    | 'guard'
    | 'send'
    | 'receive'
    | 'timer'
    | 'awaitable'
    | 'completion'
    | 'success';
  /** When a timer fires. */
  readonly due?: number;
  /** Absent: a guard of the program's own. */
  readonly on?: WaitedFor;
}

/** All but `open` may also be asked of a kind whose step has a body. */
export interface Kind {
  /** What snapshots call its steps. */
  readonly kind?: string;
  /** What its step waits for, whatever is open inside; null: for that. */
  waits?(step: Step): Waits | null;
  /** OPENS: the step has been taken out of its level. READY: it is in the phase BODY, see `giveBody`. */
  open?(line: Line, step: Step): number;
  /** ROUNDS: the step is its line's top, and nothing is queued in it. It may be asked again before a round opens. */
  next?(line: Line, step: Step): number;
  /** After READY: opens a round, a step in the phase BODY. AGAIN: what stands in its place is queued. Else PENDING. */
  round?(line: Line, step: Step): Step | number;
  /** Of a step that is a ROUND: calls its body. */
  call?(round: Step): unknown;
  /** FAILS: an error has come to the step, all inside is closed; before its own handler. Null: the step goes on. */
  failed?(step: Step, error: StepError): Cancellable<StepError | null>;
  /** EXITS: it is left, and stops what it has begun. Gives what says when that has stopped, and is asked again then; else undefined. */
  exit?(step: Step): unknown;
  /** OWED: the step closes, for whatever reason: `outcomeOf` knows it. */
  closed?(step: Step, failure: Failure | null, closing: Closing | null): void;
  /** What paths show of a step inside that has an index below 0, and of its name: what lies between the two has no step of its own. */
  elements?(index: number, name: string | null): string[];
  /** ROUNDS: `break` and `continue` find the step by it. */
  readonly label?: string;
  /** What it calls, or opens inside. */
  readonly body?: unknown;
  /** GIVEN, as long as the step is queued. */
  readonly awaitable?: unknown;
}

/** What a flow runs in the place of steps that are queued: what it asks of that is what it asks of a step's kind. */
export interface Program {
  next(line: Line, owner: Owner): number;
  round(line: Line, owner: Owner): Step;
  elements(index: number, name: string | null): string[];
}

/** A line inside a step. */
export interface HostedLine extends Line {
  readonly host: Step;
  /** The branch that was added after this one. */
  sibling: HostedLine | null;
}

/**
 * HOSTS: lines run inside the step.
 *
 * - `active` counts branches that are not closed; the step's line may go on when it is 0.
 * - Branches are linked in add order. `first` only moves over closed ones, so cancelling all is linear.
 */
export interface Hosts extends Kind {
  /** Steps of those that have not started, but for lines in the queue. */
  readonly tail?: Step | null;
  first: HostedLine | null;
  active: number;
  /** What goes on when all of them are closed. */
  closing: Closing | null;
  /** A closing has reached the step: no branch starts any more. Gives an error that nobody has heard of. */
  stop(): StepError | null;
  /** Nothing of the branch is open any more. Returns how many still are. */
  branchLeft(branch: HostedLine): number;
  /** An error goes out of the branch. What it closes; null if that's no more than the branch. */
  branchFailed(branch: HostedLine, error: StepError): Closing | null;
}
