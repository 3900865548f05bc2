// Who waits for a guard, in order: a list in both directions, so that a waiter leaves it at once wherever he stands.

import { errors } from './codes.js';
import { Completion } from './completion.js';
import { badArgument, type StepError } from './error.js';
import type { CancelHandler, IAsyncSteps } from './iasyncsteps.js';
import { fail } from './latch.js';
import { KNOWN, WAIT, WAIT_EXTERNAL, EXITS } from './phase.js';
import { Step } from './step.js';

/** Who waits: the completion of his step, so that he is found again when that is left. */
export class Waiter extends Completion {
  /** Gives up the wait, or what has come of it, if the frame is left; null: there is nothing to give up. */
  declare undo: CancelHandler | null;
  previous: Waiter | null = null;
  next: Waiter | null = null;
  waits = false;
  /** What he waits with, or for. */
  declare what: unknown;

  constructor(step: Step, undo: CancelHandler, what?: unknown) {
    super(step);
    this.undo = undo;
    this.what = what;
    step.work = this;
    step.bits |= WAIT | EXITS | KNOWN;
  }

  /** The frame is left. */
  exit(step: Step): void {
    const { undo } = this;
    this.undo = null;
    undo?.(step);
  }
}

export class Waiters {
  #first: Waiter | null = null;
  #last: Waiter | null = null;
  #length = 0;
  readonly #most: number;

  constructor(most: number) {
    this.#most = most;
  }

  isEmpty(): boolean {
    return this.#first === null;
  }

  isFull(): boolean {
    return this.#length >= this.#most;
  }

  first(): Waiter | null {
    return this.#first;
  }

  /** Puts him behind all others. */
  push(waiter: Waiter): void {
    const last = this.#last;
    waiter.waits = true;
    waiter.step!.bits |= WAIT_EXTERNAL;
    waiter.previous = last;
    if (last === null) this.#first = waiter;
    else last.next = waiter;
    this.#last = waiter;
    this.#length++;
  }

  /** Takes him out; false if he isn't in it any more. */
  remove(waiter: Waiter): boolean {
    if (!waiter.waits) return false;
    const { previous, next } = waiter;
    waiter.waits = false;
    if (previous === null) this.#first = next;
    else previous.next = next;
    if (next === null) this.#last = previous;
    else next.previous = previous;
    this.#length--;
    return true;
  }
}

export function stepOf(call: string, asi: IAsyncSteps): Step {
  return asi instanceof Step ? asi : badArgument(call, 'an accessor', asi);
}

/** The step fails, as the queue is full. */
export function reject(step: Step, guard: string, retryAfter?: number): never {
  const info = `${guard}: the queue is full`;
  const error = fail(step, errors.DefenseRejected, info) as StepError;
  if (retryAfter !== undefined) error.retry_after = retryAfter;
  throw error;
}

/** What becomes of a place while a promise that was abandoned by those who had it goes on. */
export interface AbandonedOptions {
  /** `'keep'` if absent: it's taken until the promise has settled. `'release'`: it goes back at once. [sync-113, sync-117] */
  abandoned?: 'keep' | 'release' | undefined;
}

export function keepsAbandoned({ abandoned = 'keep' }: AbandonedOptions): boolean {
  if (abandoned !== 'keep' && abandoned !== 'release') {
    badArgument('abandoned', "'keep' or 'release'", abandoned);
  }
  return abandoned === 'keep';
}

/** A limit of a guard: a whole number of at least `least`. */
export function checkLimit(name: string, value: unknown, least: 0 | 1): number {
  if (least === 0 && value === Infinity) return value as number;
  if (!Number.isSafeInteger(value) || (value as number) < least) {
    badArgument(name, `a whole number, ${least} or more`, value);
  }
  return value as number;
}
