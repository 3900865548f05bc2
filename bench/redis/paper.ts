/** How many nodes of Redis a million admissions a second need: by the figures of a run. */
import { digits } from '../report/results.js';
import type { Row } from './results.js';

const wanted = 1_000_000;

/** What a node that is to answer in time may be busy. */
const busy = 0.7;

const at = (rows: readonly Row[], scenario: string): Row | undefined =>
  rows.find((row) => row.scenario === scenario && row.subject === 'steptree');

export function paper(rows: readonly Row[]): string[] {
  const admission = at(rows, 'admissions_1p');
  const section = at(rows, 'own_1p');
  if (admission === undefined || section === undefined) return [];
  const most = (row: Row) => (busy * 1e6) / row.server;
  const nodes = Math.ceil(wanted / most(admission));
  const bits = (wanted * admission.bytes * 8) / nodes / 1e6;
  return [
    '## On paper: a million admissions a second',
    `An admission takes ${digits(admission.server)} µs of the server's one thread and ${digits(admission.bytes)} bytes. A node that is busy for ${busy * 100} % of the time gives ${digits(most(admission))} a second: **${nodes} nodes** of such cores, and their replicas. Each has ${digits(bits)} Mbit/s; the processes take ${digits((wanted * admission.processes) / 1e6)} cores more.`,
    `Of locks that nobody else wants a node gives ${digits(most(section))} sections a second: ${Math.ceil(wanted / most(section))} nodes for a million.`,
    'What that means for names, limits and order stands in [bench/README.md](../README.md#how-many-nodes).',
  ];
}
