/** Measures all cells, one repetition after the other. */
import { type Cell, inOrder } from './plan.js';
import type { Measured } from './program.js';
import type { Sample } from './report/statistics.js';

export interface Measurement {
  readonly samples: readonly Sample[];
  /** By the name of the cell: what its program complained about. */
  readonly failures: ReadonlyMap<string, string>;
}

export interface Watcher {
  /** `what` is about to be measured. */
  step(what: string): void;
  say(text: string): void;
}

export const nameOf = ({ scenario, subject }: Cell) =>
  `${scenario.lang} ${scenario.name} ${subject.name}`;

/** The rest goes on when one fails; what has failed once isn't tried again. */
export async function interleave(
  cells: readonly Cell[],
  repetitions: number,
  measure: (cell: Cell) => Promise<Measured>,
  watcher: Watcher,
): Promise<Measurement> {
  const samples: Sample[] = [];
  const failures = new Map<string, string>();
  for (let repetition = 0; repetition < repetitions; repetition++) {
    for (const cell of inOrder(cells, repetition)) {
      const name = nameOf(cell);
      watcher.step(name);
      if (failures.has(name)) continue;
      try {
        samples.push({ ...(await measure(cell)), cell, repetition });
      } catch (error) {
        failures.set(name, (error as Error).message);
        watcher.say(`FAILED: ${name}: ${(error as Error).message}`);
      }
    }
  }
  return { samples, failures };
}
