// Places for lines.
//
// - While somebody waits no place is free: a place that is given back goes to the first who can still take it.
// - A place is the line's from the grant on, whenever that line moves.

import { errors } from './codes.js';
import { checkOptions, misuse } from './error.js';
import { heldAround, hold, holdOf, type Lender, release } from './holds.js';
import type { IAsyncSteps } from './iasyncsteps.js';
import type { Step } from './step.js';
import type { Line } from './tree.js';
import {
  type AbandonedOptions,
  checkLimit,
  keepsAbandoned,
  lockingStep,
  reject,
  stepOf,
  Waiter,
  Waiters,
} from './waiters.js';

/**
 * Lets at most `max` lines in at a time; the others wait in the order of coming, at most `maxQueue` of them. A line that is in may
 * lock it again, and is out when it has unlocked as often, or has ended; a branch is a line of its own. [sync-30, sync-32, sync-35,
 * sync-36, sync-46, sync-108]
 */
export class Mutex implements Lender {
  /** @internal */
  readonly keeps: boolean;
  #free: number;
  readonly #max: number;
  readonly #waiters: Waiters;
  readonly #left = (asi: IAsyncSteps): void => this.#giveUp(asi as Step);

  /**
   * One place if `max` is absent, and a queue without a limit if `maxQueue` is. `abandoned: 'release'`: a place goes back with its
   * section though a promise that was abandoned in there goes on; else when that has settled. `InternalError` for a bad limit.
   * [sync-45, sync-47, sync-48, sync-113, sync-117]
   */
  constructor(max = 1, maxQueue = Infinity, options: AbandonedOptions = {}) {
    this.#free = this.#max = checkLimit('max', max, 1);
    this.#waiters = new Waiters(checkLimit('maxQueue', maxQueue, 0));
    this.keeps = keepsAbandoned(checkOptions('Mutex', options));
  }

  /**
   * Locks for the line of the step whose body runs: at once, or when a place is given to it. Leaves the queue when the step closes
   * before. `Deadlock` if nobody but enclosing lines could free a place, `DefenseRejected` if the queue is full. `InternalError` to
   * the caller where no step could wait. [sync-31, sync-37, sync-39, sync-40, sync-43]
   */
  lock(asi: IAsyncSteps): void {
    const step = lockingStep(asi);
    if (this.enter(step)) return;
    this.#waiters.push(new Waiter(step, this.#left));
  }

  /**
   * Gives the line's place back when it was called as often as `lock`: to the first in the queue who can still take it, and goes on
   * in his line's turn. `InternalError` to the caller if the line has none. [sync-33, sync-34, sync-44, sync-46]
   */
  unlock(asi: IAsyncSteps): void {
    const { line } = stepOf('unlock', asi);
    const held = holdOf(line, this);
    if (held === null) throw misuse('unlock: the line has not locked it');
    release(line, held);
  }

  /** @internal */
  free(): void {
    this.#free++;
    if (!this.#waiters.isEmpty()) this.#grant();
  }

  /** @internal Locks if that's possible at once. Whether it was; raises what forbids to wait. */
  enter(step: Step): boolean {
    const { line } = step;
    const held = holdOf(line, this);
    if (held !== null) {
      held.times++;
      return true;
    }
    if (this.#free > 0) {
      this.#take(line);
      return true;
    }
    if (heldAround(line, this) === this.#max)
      step.error(errors.Deadlock, 'every place is held by enclosing lines');
    if (this.#waiters.isFull()) reject(step, 'mutex');
    return false;
  }

  /** @internal Whether the line has a place. */
  isHeldBy({ line }: Step): boolean {
    return holdOf(line, this) !== null;
  }

  /** The step ends in another way than by the grant, which may have come while its body ran. */
  #giveUp(step: Step): void {
    if (!this.#waiters.remove(step.options as Waiter) && this.isHeldBy(step)) this.unlock(step);
  }

  #take(line: Line): void {
    this.#free--;
    hold(line, this);
  }

  #grant(): void {
    const waiters = this.#waiters;
    for (let waiter: Waiter | null; this.#free > 0 && (waiter = waiters.first()) !== null;) {
      waiters.remove(waiter);
      if (waiter.completion().success()) this.#take(waiter.step.line);
    }
  }
}
