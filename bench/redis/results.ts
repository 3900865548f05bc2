/** Medians of the repetitions, and ratios to steptree in the same one. */
import type { Machine } from '../report/machine.js';
import { median } from '../report/statistics.js';
import type { Figures } from './measure.js';
import { type Cell, type Scenario, subjects } from './scenarios.js';

export interface Sample {
  readonly cell: Cell;
  readonly repetition: number;
  readonly figures: Figures;
}

export interface Row extends Figures {
  readonly scenario: string;
  readonly subject: string;
  /** The CPU's time of an operation, of the server and the processes: steptree's by the subject's. The median, the least and the greatest. */
  readonly ratio: number;
  readonly ratioMin: number;
  readonly ratioMax: number;
  /** Commands that clients send. */
  readonly asked: number;
}

export interface Added {
  readonly scenarios: readonly string[];
  readonly date: string;
  readonly commit: string;
}

/** As bench/results/redis.json holds it. */
export interface Results {
  readonly date: string;
  readonly commit: string;
  readonly machine: Machine;
  readonly node: string;
  readonly redis: string;
  readonly repetitions: number;
  readonly seconds: number;
  /** Whose rows are of runs of their own, that came later. */
  readonly added?: readonly Added[];
  readonly versions: Readonly<Record<string, string>>;
  readonly rows: readonly Row[];
}

const names = ['perSecond', 'p50', 'p99', 'commands', 'bytes', 'server', 'processes'] as const;

const worked = ({ server, processes }: Figures): number => server + processes;

export function rowsOf(
  scenarios: readonly Scenario[],
  samples: readonly Sample[],
  asked: (cell: Cell) => number,
): Row[] {
  return scenarios.flatMap((scenario) => {
    const here = samples.filter(({ cell }) => cell.scenario === scenario);
    const own = new Map(
      here
        .filter(({ cell }) => cell.subject === subjects[0])
        .map(({ repetition, figures }) => [repetition, worked(figures)]),
    );
    return subjects.flatMap((subject): Row[] => {
      const its = here.filter(({ cell }) => cell.subject === subject);
      if (its.length === 0) return [];
      const ratios = its.map(
        ({ repetition, figures }) => (own.get(repetition) ?? Number.NaN) / worked(figures),
      );
      const figures = Object.fromEntries(
        names.map((name) => [name, median(its.map((sample) => sample.figures[name]))]),
      ) as unknown as Figures;
      return [
        {
          scenario: scenario.name,
          subject: subject.name,
          ...figures,
          asked: asked({ scenario, subject }),
          ratio: median(ratios),
          ratioMin: Math.min(...ratios),
          ratioMax: Math.max(...ratios),
        },
      ];
    });
  });
}
