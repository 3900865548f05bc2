// Who waits for a guard, in order: a list in both directions, so that a waiter leaves it at once wherever he stands.

import { errors } from './codes.js';
import { Completion } from './completion.js';
import { badArgument, type StepError } from './error.js';
import type { CancelHandler, IAsyncSteps } from './iasyncsteps.js';
import type { Waits, WaitedFor } from './kind.js';
import { fail } from './latch.js';
import { KNOWN, WAIT, WAIT_EXTERNAL, EXITS } from './phase.js';
import { Step } from './step.js';

/** Who waits: the completion of his step, so that he is found again when that is left. */
export class Waiter extends Completion {
  /** Gives up the wait, or what has come of it, if the frame is left; null: there is nothing to give up. */
  declare undo: CancelHandler | null;
  previous: Waiter | null = null;
  next: Waiter | null = null;
  /** Among whom he waits; null: among none any more. */
  among: Waiters | null = null;
  /** What he waits with, or for. */
  declare what: unknown;

  /** Without a step he waits outside of any. */
  constructor(step: Step | null, undo: CancelHandler | null, what?: unknown) {
    super(step);
    this.undo = undo;
    this.what = what;
    if (step === null) return;
    step.work = this;
    step.bits |= WAIT | EXITS | KNOWN;
  }

  /** In a section that says it. */
  waits(): Waits | null {
    return null;
  }

  /** The frame is left. */
  exit(step: Step): void {
    const { undo } = this;
    this.undo = null;
    undo?.(step);
  }
}

/** Its step itself waits for that. */
class PlainWaiter extends Waiter {
  override waits(): Waits {
    return { for: 'guard', on: this.what as WaitedFor };
  }
}

export class Waiters {
  #first: Waiter | null = null;
  #last: Waiter | null = null;
  /** How many there are. */
  length = 0;

  first(): Waiter | null {
    return this.#first;
  }

  /** Puts him before `next`, or behind all others. */
  push(waiter: Waiter, next: Waiter | null = null): void {
    const previous = next === null ? this.#last : next.previous;
    waiter.among = this;
    if (waiter.step !== null) waiter.step.bits |= WAIT_EXTERNAL;
    waiter.previous = previous;
    waiter.next = next;
    if (previous === null) this.#first = waiter;
    else previous.next = waiter;
    if (next === null) this.#last = waiter;
    else next.previous = waiter;
    this.length++;
  }

  /** Takes him out; false if he isn't in it any more. */
  remove(waiter: Waiter): boolean {
    if (waiter.among === null) return false;
    const { previous, next } = waiter;
    waiter.among = null;
    if (previous === null) this.#first = next;
    else previous.next = next;
    if (next === null) this.#last = previous;
    else next.previous = previous;
    this.length--;
    return true;
  }
}

/** The step waits among them for what it need not give back, until it is woken or left. */
export function waitAmong(waiters: Waiters, step: Step, on: WaitedFor): void {
  waiters.push(new PlainWaiter(step, (left) => void waiters.remove((left as Step).work), on));
}

/** All go on. */
export function wakeAll(waiters: Waiters): void {
  for (let waiter = waiters.first(); waiter !== null; waiter = waiters.first()) {
    waiters.remove(waiter);
    waiter.success();
  }
}

export function stepOf(call: string, asi: IAsyncSteps): Step {
  return asi instanceof Step ? asi : badArgument(call, 'an accessor', asi);
}

/** The step fails, as it isn't let in. */
export function reject(
  step: Step,
  by: Named,
  retryAfter?: number,
  why = 'the queue is full',
  code: string = errors.DefenseRejected,
): never {
  const error = refusal(fail(step, code, infoOf(by, why)) as StepError, by);
  if (retryAfter !== undefined) error.retry_after = retryAfter;
  throw error;
}

/** It says who has refused. */
export function refusal(error: StepError, { name }: Named): StepError {
  error.guard = name;
  return error;
}

/** The same for one who waits. */
export function refuse(waiter: Waiter, by: Named, retryAfter: number, why: string): void {
  const { line } = waiter.step!;
  if (!waiter.error(errors.DefenseRejected, infoOf(by, why))) return;
  refusal(line.latch as StepError, by).retry_after = retryAfter;
}

/** Of all guards of the runtime. */
export interface GuardOptions {
  /** How many lines may wait, 0 or more. Default: `Infinity`. One more fails with `DefenseRejected`. */
  maxQueue?: number | undefined;
  /** What errors of it call it. Default: none. */
  name?: string | undefined;
}

/** What becomes of a place while a promise that was abandoned by those who had it goes on. */
export interface AbandonedOptions {
  /** `'keep'`, the default: it's taken until the promise has settled. `'release'`: it goes back at once. */
  abandoned?: 'keep' | 'release' | undefined;
}

export function keepsAbandoned(guard: string, { abandoned = 'keep' }: AbandonedOptions): boolean {
  if (abandoned !== 'keep' && abandoned !== 'release') {
    badArgument(`${guard}: abandoned`, "'keep' or 'release'", abandoned);
  }
  return abandoned === 'keep';
}

/** A limit: a whole number of at least `least`. */
export function checkLimit(
  name: string,
  value: unknown,
  least: 0 | 1,
  unlimited: '' | ', or Infinity' = '',
): number {
  if (unlimited && value === Infinity) return value as number;
  if (!Number.isSafeInteger(value) || (value as number) < least) {
    badArgument(name, `a whole number from ${least} to 2^53 - 1${unlimited}`, value);
  }
  return value as number;
}

export function checkQueue(guard: string, maxQueue: unknown): number {
  return checkLimit(`${guard}: maxQueue`, maxQueue, 0, ', or Infinity');
}

export function checkName(guard: string, name: unknown): string {
  if (name === undefined) return '';
  return typeof name === 'string' ? name : badArgument(`${guard}: name`, 'a string', name);
}

/** A guard, or a channel. */
export interface Named {
  readonly kind: string;
  readonly name: string;
}

/** What an error says of whom it comes from, and why. */
export function infoOf({ kind, name }: Named, why: string): string {
  return `${name === '' ? kind : `${kind} '${name}'`}: ${why}`;
}
