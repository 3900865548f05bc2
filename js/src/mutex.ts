// Places for lines. What a line has of them stands in a short list on the line itself, so that it's found again, and so that it is
// seen whether a line waits for its own enclosing lines.
//
// - While somebody waits no place is free: a place that is given back goes to the first who can still take it.
// - A place is the line's from the grant on, whenever that line moves.

import { errors } from './codes.js';
import { misuse } from './error.js';
import type { IAsyncSteps, ISync } from './iasyncsteps.js';
import type { Step } from './step.js';
import { hostOf, type Line } from './tree.js';
import { checkLimit, lockingStep, reject, stepOf, type Waiter, Waiters } from './waiters.js';

/** A place that a line has, and how often it has locked it. */
export class Hold {
  declare readonly mutex: Mutex;
  declare times: number;
  declare next: Hold | null;

  constructor(mutex: Mutex, next: Hold | null) {
    this.mutex = mutex;
    this.times = 1;
    this.next = next;
  }
}

/**
 * Lets at most `max` lines in at a time; the others wait in the order of coming, at most `maxQueue` of them. A line that is in may
 * lock it again, and is out when it has unlocked as often; a branch is a line of its own. A line that calls `lock` other than by
 * `sync()` has to unlock before it ends: nobody else does. [sync-30, sync-32, sync-35, sync-36, sync-46]
 */
export class Mutex implements ISync {
  #free: number;
  readonly #max: number;
  readonly #waiters: Waiters;
  readonly #left = (asi: IAsyncSteps): void => this.#giveUp(asi as Step);

  /** `InternalError` for a bad limit. [sync-45, sync-47, sync-48] */
  constructor(max = 1, maxQueue = Infinity) {
    this.#free = this.#max = checkLimit('max', max, 1);
    this.#waiters = new Waiters(checkLimit('maxQueue', maxQueue, 0));
  }

  /**
   * Locks for the line of the step whose body runs: at once, or when a place is given to it. Leaves the queue when the step closes
   * before. `Deadlock` if nobody but enclosing lines could free a place, `DefenseRejected` if the queue is full. `InternalError` to
   * the caller where no step could wait. [sync-31, sync-37, sync-39, sync-40, sync-43]
   */
  lock(asi: IAsyncSteps): void {
    const step = lockingStep(asi);
    if (this.enter(step)) return;
    this.#waiters.push(step, this.#left);
  }

  /**
   * Gives the line's place back when it was called as often as `lock`: to the first in the queue who can still take it, and goes on
   * in his line's turn. `InternalError` to the caller if the line has none. [sync-33, sync-34, sync-44, sync-46]
   */
  unlock(asi: IAsyncSteps): void {
    const { line } = stepOf('unlock', asi);
    const hold = holdOf(line, this);
    if (hold === null) throw misuse('unlock: the line has not locked it');
    if (--hold.times > 0) return;
    forget(line, hold);
    this.#free++;
    if (!this.#waiters.isEmpty()) this.#grant();
  }

  /** @internal Locks if that's possible at once. Whether it was; raises what forbids to wait. */
  enter(step: Step): boolean {
    const { line } = step;
    const hold = holdOf(line, this);
    if (hold !== null) {
      hold.times++;
      return true;
    }
    if (this.#free > 0) {
      this.#take(line);
      return true;
    }
    if (this.#isAround(line)) step.error(errors.Deadlock, 'every place is held by enclosing lines');
    if (this.#waiters.isFull()) reject(step, 'mutex');
    return false;
  }

  /** @internal Whether the line has a place. */
  isHeldBy(asi: IAsyncSteps): boolean {
    return holdOf(stepOf('lock', asi).line, this) !== null;
  }

  /** The step ends in another way than by the grant, which may have come while its body ran. */
  #giveUp(step: Step): void {
    if (!this.#waiters.remove(step.options as Waiter) && this.isHeldBy(step)) this.unlock(step);
  }

  #take(line: Line): void {
    this.#free--;
    line.holds = new Hold(this, line.holds);
  }

  #grant(): void {
    const waiters = this.#waiters;
    for (let waiter: Waiter | null; this.#free > 0 && (waiter = waiters.first()) !== null;) {
      waiters.remove(waiter);
      if (waiter.completion().success()) this.#take(waiter.step.line);
    }
  }

  /** Whether all places are held by lines around that one. */
  #isAround(line: Line): boolean {
    let held = 0;
    for (let host = hostOf(line); host !== null; host = hostOf(host.line)) {
      if (holdOf(host.line, this) !== null) held++;
    }
    return held === this.#max;
  }
}

function holdOf(line: Line, mutex: Mutex): Hold | null {
  let hold = line.holds;
  while (hold !== null && hold.mutex !== mutex) hold = hold.next;
  return hold;
}

function forget(line: Line, hold: Hold): void {
  if (line.holds === hold) {
    line.holds = hold.next;
    return;
  }
  let before = line.holds!;
  while (before.next !== hold) before = before.next!;
  before.next = hold.next;
}
