/** Scenarios that a run of their own has measured, in the table of the whole one. */
import type { Added, Results } from './results.js';
import { scenarios, subjects } from './scenarios.js';

/** What the head of the table says of all rows; of the versions, those that both know. */
function headOf(results: Results, other: Results): string {
  const { machine, node, redis, repetitions, seconds, versions } = results;
  const known = subjects.filter(({ name }) => name in versions && name in other.versions);
  const of = known.map(({ name }) => versions[name]);
  return JSON.stringify([machine, node, redis, repetitions, seconds, of]);
}

export function withAdded(whole: Results, more: Results): Results {
  if (headOf(whole, more) !== headOf(more, whole))
    throw new Error(
      'bench/results/redis.json is of another machine or other versions: renew it by a whole run',
    );
  const names = new Set(more.rows.map(({ scenario }) => scenario));
  const isOther = (name: string) => !names.has(name);
  const before = (whole.added ?? [])
    .map((added): Added => ({ ...added, scenarios: added.scenarios.filter(isOther) }))
    .filter((added) => added.scenarios.length > 0);
  const rows = [...whole.rows.filter(({ scenario }) => isOther(scenario)), ...more.rows];
  const { date, commit } = more;
  return {
    ...whole,
    added: [...before, { scenarios: [...names], date, commit }],
    versions: { ...whole.versions, ...more.versions },
    rows: scenarios.flatMap(({ name }) => rows.filter(({ scenario }) => scenario === name)),
  };
}
