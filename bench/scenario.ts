/** What a scenario is, and what may be asked of steptree in it. */

export type Language = 'cpp' | 'js';

/** What must be reached, whatever it takes, and what steptree is on its way to. */
export type Demand = 'must' | 'goal';

/** steptree's figure is at most `ratio` times the figure of `subject`. */
export interface PeerTarget {
  readonly demand: Demand;
  readonly subject: string;
  readonly ratio: number;
}

/** steptree's figure is at most `ratio` times its own figure in `scenario`. */
export interface GrowthTarget {
  readonly demand: Demand;
  readonly scenario: string;
  readonly ratio: number;
}

/** steptree's figure is at most so many nanoseconds or bytes, whatever the machine. */
export interface Bound {
  readonly demand: Demand;
  readonly atMost: number;
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
  /** About the worst case: of all repetitions the worst one counts, not the median. */
  readonly worst?: true;
  /** Works with a second thread, so it isn't pinned to one CPU. */
  readonly threads?: true;
  /** Subjects that do less than a flow in it: floors, in this scenario. */
  readonly floors?: readonly string[];
}

/** As the tables of scenarios write it. */
export type Row = Omit<Scenario, 'lang' | 'targets'> & {
  readonly targets?: readonly Target[];
};

type Figures = Readonly<Record<string, number>>;

const each = (demand: Demand, ratios: Figures): Target[] =>
  Object.entries(ratios).map(([subject, ratio]) => ({ demand, subject, ratio }));

/** At most so many times the figures of these subjects. */
export const must = (ratios: Figures): Target[] => each('must', ratios);

/**
 * What `own` is to the figures that these subjects had on one and the same machine: the ratios hold on others too, the
 * nanoseconds don't.
 */
export const goal = (own: number, figures: Figures): Target[] =>
  each(
    'goal',
    Object.fromEntries(Object.entries(figures).map(([name, figure]) => [name, own / figure])),
  );
