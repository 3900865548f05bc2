// When a throttle lets the next one in. All in whole numbers, so that every implementation admits at the same milliseconds.

import { badArgument } from './error.js';

export interface Admission {
  /** Lets one in, if it may enter at that time. */
  admit(now: number): boolean;
  /** A timer has fired while somebody waits. */
  tick(now: number): void;
  /** Whether what entered before doesn't count any more. */
  isNew(now: number): boolean;
  /** How long till the next may enter, when none may now. */
  delay(now: number): number;
}

/** So many in each window. The first one after idle opens it; while somebody waits, windows follow each other without a gap. */
export class FixedWindow implements Admission {
  readonly #max: number;
  readonly #period: number;
  #end = -Infinity;
  #entered = 0;

  constructor(max: number, period: number) {
    this.#max = max;
    this.#period = period;
  }

  admit(now: number): boolean {
    if (now >= this.#end) {
      this.#end = now + this.#period;
      this.#entered = 0;
    }
    if (this.#entered >= this.#max) return false;
    this.#entered++;
    return true;
  }

  tick(now: number): void {
    const late = now - this.#end;
    if (late < 0) return;
    this.#end = now + this.#period - (late % this.#period);
    this.#entered = 0;
  }

  isNew(now: number): boolean {
    return now >= this.#end;
  }

  delay(now: number): number {
    return this.#end - now;
  }
}

/** So many in any window of that length, wherever it begins. */
export class SlidingWindow implements Admission {
  readonly #max: number;
  readonly #period: number;
  /** When the last ones entered, a ring once there are `max` of them. */
  readonly #entered: number[] = [];
  #oldest = 0;

  constructor(max: number, period: number) {
    this.#max = max;
    this.#period = period;
  }

  admit(now: number): boolean {
    const entered = this.#entered;
    if (entered.length < this.#max) {
      entered.push(now);
      return true;
    }
    if (this.delay(now) > 0) return false;
    entered[this.#oldest] = now;
    this.#oldest = (this.#oldest + 1) % this.#max;
    return true;
  }

  tick(): void {}

  isNew(now: number): boolean {
    const last = this.#entered.at(this.#oldest - 1);
    return last === undefined || now >= last + this.#period;
  }

  delay(now: number): number {
    return this.#entered[this.#oldest]! + this.#period - now;
  }
}

/** A bucket of so many entries that is filled at a rate. Its level counts parts of an entry, as many as a period has milliseconds. */
export class Bucket implements Admission {
  readonly #rate: number;
  readonly #entry: number;
  readonly #full: number;
  #level: number;
  #filled = -Infinity;

  constructor(max: number, period: number, burst: number) {
    if (!Number.isSafeInteger(burst * period))
      badArgument('burst', 'an amount that can be counted in milliseconds', burst);
    this.#rate = max;
    this.#entry = period;
    this.#full = this.#level = burst * period;
  }

  admit(now: number): boolean {
    this.#fill(now);
    if (this.#level < this.#entry) return false;
    this.#level -= this.#entry;
    return true;
  }

  tick(): void {}

  isNew(now: number): boolean {
    this.#fill(now);
    return this.#level === this.#full;
  }

  delay(now: number): number {
    this.#fill(now);
    return Math.ceil((this.#entry - this.#level) / this.#rate);
  }

  /** A clock that stands still or goes back fills nothing. */
  #fill(now: number): void {
    if (now <= this.#filled) return;
    this.#level = Math.min(this.#full, this.#level + (now - this.#filled) * this.#rate);
    this.#filled = now;
  }
}
