/** Which targets of the scenarios a run has reached. */
import type { Demand, Scenario, Target } from '../scenario.js';
import { scenarios } from '../scenarios.js';
import { own } from '../subjects.js';
import { ratio } from './results.js';
import type { Row } from './statistics.js';

export interface Verdict {
  readonly scenario: Scenario;
  readonly target: Target;
  /** What was measured, in the unit of `limit`. */
  readonly value: number;
  readonly limit: number;
  readonly reached: boolean;
}

function figure({ figure }: Scenario, row: Row): number {
  return figure === 'bytes' ? (row.bytes ?? Number.NaN) : row.ns;
}

function measuredValue(scenario: Scenario, target: Target, rows: readonly Row[]): number | null {
  const find = (name: string, subject: string) =>
    rows.find(
      (row) => row.lang === scenario.lang && row.scenario === name && row.subject === subject,
    );
  if ('subject' in target) return find(scenario.name, target.subject)?.ratio ?? null;
  const row = find(scenario.name, own);
  if (row === undefined) return null;
  if ('atMost' in target) return figure(scenario, row);
  const before = find(target.scenario, own);
  return before === undefined ? null : figure(scenario, row) / figure(scenario, before);
}

/** Of each target whose both sides were measured. */
export function verdicts(rows: readonly Row[]): readonly Verdict[] {
  return scenarios.flatMap((scenario) =>
    scenario.targets.flatMap((target) => {
      const value = measuredValue(scenario, target, rows);
      if (value === null) return [];
      const limit = 'atMost' in target ? target.atMost : target.ratio;
      return [{ scenario, target, value, limit, reached: value <= limit }];
    }),
  );
}

function measured({ scenario, target, value, limit }: Verdict): string {
  if ('subject' in target) return `≤ ${ratio(limit)}`;
  if ('scenario' in target) return `≤ ${limit} times \`${target.scenario}\` (${ratio(value)})`;
  return scenario.figure === 'bytes' ? `≤ ${limit} B` : `≤ ${limit / 1e6} ms`;
}

export function describe(verdict: Verdict): string {
  const { target, reached } = verdict;
  return `${target.demand} ${measured(verdict)}: ${reached ? 'reached' : '**missed**'}`;
}

/** How many of them, in words. */
export function summary(all: readonly Verdict[]): string {
  const count = (demand: Demand) => {
    const some = all.filter(({ target }) => target.demand === demand);
    const missed = some.filter(({ reached }) => !reached).length;
    return `${some.length} ${demand}s, ${missed} missed`;
  };
  return `${count('must')}; ${count('goal')}`;
}
