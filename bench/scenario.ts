/** What a scenario is, and what may be asked of steptree in it. */

export type Language = 'cpp' | 'js';

/** steptree's figure is at most `ratio` times the figure of `subject`. */
export interface PeerTarget {
  readonly subject: string;
  readonly ratio: number;
}

/** steptree's figure is at most `ratio` times its own figure in `scenario`. */
export interface GrowthTarget {
  readonly scenario: string;
  readonly ratio: number;
}

/** steptree's figure is at most so many nanoseconds, whatever the machine. */
export interface Bound {
  readonly ns: number;
}

export type Target = PeerTarget | GrowthTarget | Bound;

export interface Scenario {
  readonly lang: Language;
  readonly name: string;
  /** What one operation is. */
  readonly per: string;
  readonly title: string;
  /** Operations that are timed, with `--quick` and without; null: left out. */
  readonly sizes: readonly [quick: number | null, full: number];
  readonly targets: readonly Target[];
  /** What ratios compare: `ns` unless it says otherwise. */
  readonly figure?: 'bytes';
  /** Works with a second thread, so it isn't pinned to one CPU. */
  readonly threads?: true;
}
