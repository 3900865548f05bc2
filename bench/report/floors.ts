/** Which figures are floors: of subjects that do less than a flow does, always or in this scenario. */
import { scenarios } from '../scenarios.js';
import { subjects } from '../subjects.js';
import type { Row } from './statistics.js';

export function isFloor({ lang, scenario, subject }: Row): boolean {
  const always = subjects.some((it) => it.lang === lang && it.name === subject && it.floor);
  const here = scenarios.find((it) => it.lang === lang && it.name === scenario);
  return always || (here?.floors?.includes(subject) ?? false);
}

/** The subject's name as reports show it. */
export function nameOf(row: Row): string {
  return isFloor(row) ? `${row.subject} (floor)` : row.subject;
}

export const floorMeans =
  '(floor): a lower bound, not a peer: no tree, no handlers, no cancellation';
