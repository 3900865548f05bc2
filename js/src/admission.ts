// When a throttle lets the next one in. All in whole numbers, so that every implementation admits at the same milliseconds.

export interface Admission {
  /** Lets one in, if it may enter at that time. */
  admit(now: number): boolean;
  /** A timer has fired while somebody waits. */
  tick(now: number): void;
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

  delay(now: number): number {
    return this.#end - now;
  }
}
