/** A whole run, as bench/results/latest.json holds it. */
import type { Language } from '../scenario.js';
import type { Machine } from './machine.js';
import type { Row } from './statistics.js';

export interface Added {
  /** As `C++ step`. */
  readonly scenarios: readonly string[];
  readonly date: string;
  readonly commit: string;
}

export interface Results {
  /** ISO 8601, UTC. */
  readonly date: string;
  readonly commit: string;
  readonly machine: Machine;
  readonly pinned: boolean;
  readonly compiler: string;
  readonly node: string;
  readonly repetitions: number;
  /** Whose rows are of runs of their own, that came later. */
  readonly added?: readonly Added[];
  readonly versions: Readonly<Record<Language, Readonly<Record<string, string>>>>;
  readonly rows: readonly Row[];
}

export const languageNames: Readonly<Record<Language, string>> = { cpp: 'C++', js: 'JavaScript' };

/** Three digits that mean something. */
export function digits(value: number): string {
  const decimals = value < 10 ? 2 : value < 100 ? 1 : 0;
  return value.toLocaleString('en-US', {
    minimumFractionDigits: decimals,
    maximumFractionDigits: decimals,
  });
}

export function bytes(value: number): string {
  return value < 2 ** 20 ? digits(value) : `${digits(value / 2 ** 20)} MiB`;
}

/** Two digits that mean something, also of a very small ratio. */
export function ratio(value: number): string {
  return value < 0.0995 ? value.toPrecision(2) : value.toFixed(2);
}

export function day({ date }: { readonly date: string }): string {
  return date.slice(0, 10);
}
