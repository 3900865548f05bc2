// Whether a breaker is closed, open or half-open. It knows calls and times, but no steps.
//
// - A phase is the time in which the state is one and the same. What was let in belongs to the phase; once that is over it counts no more.
// - Half-open begins when somebody looks: until then nobody could tell.

import type { CallWindow } from './callwindow.js';

/** Closed lets everybody in, open nobody, half-open so many as `probes`. */
export type BreakerState = 'closed' | 'open' | 'halfOpen';

export interface Settings {
  readonly rate: number;
  readonly minCalls: number;
  readonly openFor: number;
  readonly probes: number;
}

export class Circuit {
  readonly #settings: Settings;
  readonly #window: CallWindow;
  #state: BreakerState = 'closed';
  /** The number of the phase. */
  #phase = 0;
  #until = 0;
  /** Half-open: so many more may come, and so many have yet to succeed. */
  #free = 0;
  #missing = 0;

  constructor(settings: Settings, window: CallWindow) {
    this.#settings = settings;
    this.#window = window;
  }

  state(now: number): BreakerState {
    if (this.#state === 'open' && now >= this.#until) {
      this.#become('halfOpen');
      this.#free = this.#missing = this.#settings.probes;
    }
    return this.#state;
  }

  /** Closed, and without a failure that counts. */
  isNew(now: number): boolean {
    return this.#state === 'closed' && this.#window.failuresAt(now) === 0;
  }

  /** Whether one more may come, in the state that somebody has just looked at. */
  admits(): boolean {
    const state = this.#state;
    return state === 'closed' || (state === 'halfOpen' && this.#free > 0);
  }

  /** It comes; answers to which phase it belongs. */
  enter(): number {
    if (this.#state === 'halfOpen') this.#free--;
    return this.#phase;
  }

  /** How long till it is half-open; undefined: it is. */
  delay(now: number): number | undefined {
    return this.state(now) === 'open' ? this.#until - now : undefined;
  }

  /** Whether what came in that phase counts. */
  counts(phase: number): boolean {
    return phase === this.#phase;
  }

  /** What came in that phase is over; null: it tells nothing. */
  left(phase: number, failed: boolean | null, now: number): void {
    if (!this.counts(phase)) return;
    if (failed === null) this.#free++;
    else if (this.#state === 'halfOpen') this.#probed(failed, now);
    else this.#called(failed, now);
  }

  #probed(failed: boolean, now: number): void {
    if (failed) return this.#open(now);
    if (--this.#missing > 0) return;
    this.#become('closed');
    this.#window.clear();
  }

  #called(failed: boolean, now: number): void {
    const window = this.#window;
    const { minCalls, rate } = this.#settings;
    window.count(failed, now);
    const { calls, failures } = window;
    if (calls >= minCalls && failures / calls >= rate) this.#open(now);
  }

  #open(now: number): void {
    this.#become('open');
    this.#until = now + this.#settings.openFor;
  }

  #become(state: BreakerState): void {
    this.#state = state;
    this.#phase++;
  }
}
