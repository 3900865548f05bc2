/** Medians of repetitions, and ratios to the baseline of the same repetition. */
import type { Cell } from '../plan.js';
import type { Measured } from '../program.js';
import type { Language, Scenario } from '../scenario.js';

/** What one repetition gave for one cell. */
export interface Sample extends Measured {
  readonly cell: Cell;
  readonly repetition: number;
}

export interface Row {
  readonly lang: Language;
  readonly scenario: string;
  readonly subject: string;
  readonly ns: number;
  readonly bytes?: number;
  readonly rss?: number;
  readonly ratio: number;
  readonly ratio_min: number;
  readonly ratio_max: number;
  /** Repetitions. */
  readonly n: number;
}

export function median(values: readonly number[]): number {
  const sorted = values.toSorted((a, b) => a - b);
  const middle = sorted.length >> 1;
  if (sorted.length % 2 === 1) return sorted[middle]!;
  return (sorted[middle - 1]! + sorted[middle]!) / 2;
}

/** What a scenario compares. */
export function figureOf({ figure }: Scenario, { ns, bytes }: Measured): number {
  return figure === 'bytes' ? (bytes ?? Number.NaN) : ns;
}

function medianOf(samples: readonly Sample[], of: 'bytes' | 'rss'): Record<string, number> {
  const values = samples.flatMap((sample) => sample[of] ?? []);
  return values.length === 0 ? {} : { [of]: Math.round(median(values)) };
}

const worstOf = (samples: readonly Sample[]) => Math.max(...samples.map(({ ns }) => ns));

/** The figures of the baseline by those of the subject, repetition by repetition. */
function ratios(samples: readonly Sample[], baseline: readonly Sample[]): readonly number[] {
  return samples.flatMap((sample) => {
    const base = baseline.find(({ repetition }) => repetition === sample.repetition);
    if (base === undefined) return [];
    const { scenario } = sample.cell;
    return [figureOf(scenario, base) / figureOf(scenario, sample)];
  });
}

/** One row for each of the cells that were measured, and whose baseline was. */
export function rows(cells: readonly Cell[], samples: readonly Sample[]): readonly Row[] {
  const of = (cell: Cell | undefined) => samples.filter((sample) => sample.cell === cell);
  return cells.flatMap((cell) => {
    const { scenario, subject } = cell;
    const own = of(cell);
    const base = of(
      cells.find((other) => other.scenario === scenario && other.subject.name === subject.baseline),
    );
    const all = ratios(own, base);
    if (all.length === 0) return [];
    return [
      {
        lang: scenario.lang,
        scenario: scenario.name,
        subject: subject.name,
        ns: scenario.worst ? worstOf(own) : median(own.map(({ ns }) => ns)),
        ...medianOf(own, 'bytes'),
        ...medianOf(own, 'rss'),
        ratio: scenario.worst ? worstOf(base) / worstOf(own) : median(all),
        ratio_min: Math.min(...all),
        ratio_max: Math.max(...all),
        n: all.length,
      },
    ];
  });
}
