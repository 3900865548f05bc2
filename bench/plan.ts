/** Which programs are started how often, in which order. */
import type { Options } from './arguments.js';
import type { Scenario } from './scenario.js';
import type { Subject } from './subjects.js';

/** A subject that is there, and the scenarios that it has programs of. */
export interface Present {
  readonly subject: Subject;
  readonly version: string;
  readonly programs: readonly string[];
}

export interface Cell {
  readonly scenario: Scenario;
  readonly subject: Subject;
  readonly size: number;
}

function sizeOf({ sizes: [quick, full] }: Scenario, options: Options): number | null {
  return options.quick ? quick : full;
}

/** One repetition: scenario by scenario, the subjects one right after the other. */
export function plan(options: Options, present: readonly Present[]): readonly Cell[] {
  return options.scenarios.flatMap((scenario) => {
    const size = sizeOf(scenario, options);
    if (size === null) return [];
    const grows = scenario.name.startsWith('grows_');
    return present
      .filter(({ subject }) => subject.lang === scenario.lang)
      .filter(({ subject }) => !subject.loaded || !(options.quick || grows))
      .filter(({ programs }) => programs.includes(scenario.name))
      .map(({ subject }) => ({ scenario, subject, size: Math.ceil(size / subject.slowness) }));
  });
}

/** Every second repetition goes the other way, so that a drift of the machine is nobody's gain. */
export function inOrder(cells: readonly Cell[], repetition: number): readonly Cell[] {
  return repetition % 2 === 0 ? cells : cells.toReversed();
}
