/** Rows and results for tests, with what doesn't matter filled in. */
import { readFileSync } from 'node:fs';
import type { Results } from '../report/results.js';
import type { Row } from '../report/statistics.js';

const repo = new URL('../../', import.meta.url);
export const textOf = (path: string) => readFileSync(new URL(path, repo), 'utf8');

export function row(given: Partial<Row>): Row {
  const ratio = given.ratio ?? 1;
  return {
    lang: 'js',
    scenario: 'simple',
    subject: 'steptree',
    ns: 10,
    ratio,
    ratio_min: ratio,
    ratio_max: ratio,
    n: 3,
    ...given,
  };
}

export function results(rows: readonly Row[]): Results {
  return {
    date: '2026-01-02T03:04:05.000Z',
    commit: 'abc',
    machine: { cpu: 'A CPU <fast> & new', cores: 2, memory: '8 GiB', system: 'Linux' },
    pinned: true,
    compiler: 'g++ 12',
    node: 'v20',
    repetitions: 3,
    versions: { cpp: { steptree: '1' }, js: { steptree: '1', Effect: '4' } },
    rows,
  };
}
