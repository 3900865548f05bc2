/** What a picture shows, before it's drawn: panels over time, whose rows have bars, dots and words. */

/** What a step does meanwhile, or what a breaker is. */
export type BarKind =
  ('runs' | 'inside' | 'waits' | 'leaving' | 'cleanup') | ('closed' | 'open' | 'halfOpen');
export type DotKind = 'asked' | 'admitted' | 'failed' | 'refused';

export interface Bar {
  readonly from: number;
  readonly to: number;
  readonly kind: BarKind;
}

/** So many at that moment. */
export interface Dot {
  readonly at: number;
  readonly kind: DotKind;
}

/** The number of a call, in the order of all calls of the picture that have one. */
export interface Badge {
  readonly at: number;
  readonly number: number;
}

export interface Row {
  readonly name: string;
  /** How deep in the tree. */
  readonly depth: number;
  readonly bars: readonly Bar[];
  readonly dots: readonly Dot[];
  readonly badges: readonly Badge[];
  /** How it has ended, to the right of its last bar. */
  readonly end?: string;
  /** A cross in the place of a plain end. */
  readonly cut?: boolean;
}

/** A line from top to bottom. */
export interface Moment {
  readonly at: number;
  readonly words: string;
}

export interface Panel {
  readonly title?: string;
  readonly rows: readonly Row[];
  readonly moments: readonly Moment[];
}

export interface Picture {
  /** Of the files, `<name>-light.svg` and `<name>-dark.svg`. */
  readonly name: string;
  readonly title: string;
  readonly panels: readonly Panel[];
  /** How many panels stand side by side. */
  readonly columns: number;
  /** Milliseconds from one line of the axis to the next. */
  readonly every: number;
  /** Room for the names of rows, and for how they end. */
  readonly names: number;
  readonly ends: number;
  /** What the kinds that are shown mean here, in the order of the legend; a number stands for the badges. */
  readonly legend: ReadonlyMap<BarKind | DotKind | 'number', string>;
}

/** All that can be seen of rows ends at this millisecond. */
export function lastOf(rows: readonly Row[]): number {
  const times = rows.flatMap(({ bars, dots }) => [
    ...bars.map(({ to }) => to),
    ...dots.map(({ at }) => at),
  ]);
  return Math.max(...times);
}
