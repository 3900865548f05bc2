/** Known failures: allowed to fail, not allowed to pass. */
import { existsSync, readFileSync } from 'node:fs';
import { parse } from 'yaml';
import type { LoadedCase } from './case.js';
import type { Failure, Outcome } from './execute.js';

export interface KnownFailure {
  readonly case: string;
  readonly implementation: string;
  readonly reason: string;
}

export function loadKnown(path: URL | string, cases: readonly LoadedCase[]) {
  const list = existsSync(path)
    ? ((parse(readFileSync(path, 'utf8')) ?? []) as KnownFailure[])
    : [];
  const problems = list.flatMap((known) => faultsOf(known, cases));
  return { list, problems: problems.map((text) => `known-failures.yaml: ${text}`) };
}

function faultsOf(known: KnownFailure, cases: readonly LoadedCase[]): string[] {
  const keys = ['case', 'implementation', 'reason'] as const;
  const absent = keys.filter((key) => typeof known[key] !== 'string' || known[key] === '');
  if (absent.length > 0) return [`${JSON.stringify(known)} lacks ${absent.join(', ')}`];
  const exists = cases.some(({ program }) => program.case === known.case);
  return exists ? [] : [`there is no case "${known.case}"`];
}

/** What of an outcome is against the list: failures that are not on it, passes that are. */
export function againstKnown(outcome: Outcome, list: readonly KnownFailure[]) {
  const isKnown = ({ program }: LoadedCase) =>
    list.some(
      (known) => known.implementation === outcome.implementation && known.case === program.case,
    );
  const failed: readonly Failure[] = outcome.failed.filter(({ found }) => !isKnown(found));
  return { failed, passedThough: outcome.passed.filter(isKnown) };
}
