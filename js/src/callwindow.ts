// How many of the calls that a breaker judges have failed: the last so many, or those of the last so much time.

/** Those that ended before leave it by themselves, when one more is counted. */
export interface CallWindow {
  readonly calls: number;
  readonly failures: number;
  /** Those that would be among them if one more ended then. */
  failuresAt(now: number): number;
  count(failed: boolean, now: number): void;
  clear(): void;
}

/** The last ones: a ring of what became of each. */
export class LastCalls implements CallWindow {
  calls = 0;
  failures = 0;
  readonly #failed: Uint8Array;
  #next = 0;

  constructor(most: number) {
    this.#failed = new Uint8Array(most);
  }

  failuresAt(): number {
    return this.failures;
  }

  count(failed: boolean): void {
    const ring = this.#failed;
    if (this.calls < ring.length) this.calls++;
    else this.failures -= ring[this.#next]!;
    this.failures += ring[this.#next] = Number(failed);
    this.#next = (this.#next + 1) % ring.length;
  }

  clear(): void {
    this.calls = this.failures = this.#next = 0;
  }
}

/** Those of the last slices of time: a ring of what became of all in each. */
export class RecentCalls implements CallWindow {
  calls = 0;
  failures = 0;
  readonly #slice: number;
  readonly #ring: { calls: number; failures: number }[];
  /** The latest slice; time that goes back belongs to it. */
  #latest = 0;

  constructor(period: number) {
    this.#slice = Math.ceil(period / 10);
    const length = Math.ceil(period / this.#slice);
    this.#ring = Array.from({ length }, () => ({ calls: 0, failures: 0 }));
  }

  failuresAt(now: number): number {
    this.#advance(Math.floor(now / this.#slice));
    return this.failures;
  }

  count(failed: boolean, now: number): void {
    this.#advance(Math.floor(now / this.#slice));
    const slice = this.#at(this.#latest);
    this.calls++;
    slice.calls++;
    if (!failed) return;
    this.failures++;
    slice.failures++;
  }

  clear(): void {
    for (let i = 0; i < this.#ring.length; i++) this.#empty(i);
  }

  #advance(to: number): void {
    const { length } = this.#ring;
    for (let i = Math.max(this.#latest, to - length); i < to;) this.#empty(++i);
    this.#latest = Math.max(this.#latest, to);
  }

  #empty(i: number): void {
    const slice = this.#at(i);
    this.calls -= slice.calls;
    this.failures -= slice.failures;
    slice.calls = slice.failures = 0;
  }

  #at(i: number): { calls: number; failures: number } {
    return this.#ring[i % this.#ring.length]!;
  }
}
