import type { FileResult } from './check.js';

/** Of all mutants that aren't explained. */
const leastKilled = 0.95;

export function sum(results: readonly FileResult[]) {
  const of = (count: (result: FileResult) => number) =>
    results.reduce((total, result) => total + count(result), 0);
  return {
    killed: of(({ killed }) => killed),
    total: of(({ total }) => total),
    explained: of(({ explained }) => explained),
  };
}

export function isGood(results: readonly FileResult[]): boolean {
  const { killed, total } = sum(results);
  return killed >= leastKilled * total && results.every(({ problems }) => problems.length === 0);
}

export function fileLine({ file, killed, total, explained, seconds }: FileResult): string {
  const counts = `${String(killed).padStart(3)}/${total}`;
  const more = explained === 0 ? '' : `, ${explained} explained`;
  return `${file.padEnd(28)}${counts} killed${more} (${seconds.toFixed(0)} s)`;
}

export function survivorLines({ file, survivors, problems }: FileResult): string[] {
  const lines = survivors.flatMap(({ line, from, to }) => [
    `        ${file}:${line}`,
    `          - ${from}`,
    `          + ${to}`,
  ]);
  return [...lines, ...problems.map((problem) => `        ${problem}`)];
}
