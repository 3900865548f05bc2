// The page's words: those of snapshots, and times that are read at a glance.

import type { WaitSnapshot } from '../js/src/isnapshot.js';

/** The table of what lines wait for, in its order, each with its colour. */
export const WAITS: ReadonlyMap<string, string> = new Map([
  ['turn', 'turn'],
  ['code', 'turn'],
  ['stop', 'stop'],
  ['guard', 'guard'],
  ['send', 'channel'],
  ['receive', 'channel'],
  ['timer', 'timer'],
  ['awaitable', 'promise'],
  ['completion', 'outside'],
  ['success', 'outside'],
]);

export function colorOf(wait: string | undefined): string {
  return `var(--${WAITS.get(wait ?? '') ?? 'line'})`;
}

export function waitWords({ for: what, ms, kind, name, place }: WaitSnapshot): string {
  const named = name === undefined ? '' : ` "${name}"`;
  if (kind !== undefined) return `${kind}${named}${place === undefined ? '' : `, place ${place}`}`;
  if (what === 'timer') return ms === undefined ? 'timer, for ever' : `timer, ${duration(ms)} left`;
  return `${what}${named}`;
}

export function duration(ms: number): string {
  if (ms < 1000) return `${Math.round(ms)} ms`;
  const s = ms / 1000;
  if (s < 10) return `${(Math.floor(s * 10) / 10).toFixed(1)} s`;
  if (s < 60) return `${Math.floor(s)} s`;
  const m = s / 60;
  if (m < 60) return `${Math.floor(m)} m ${two(s % 60)} s`;
  const h = m / 60;
  if (h < 24) return `${Math.floor(h)} h ${two(m % 60)} m`;
  return `${Math.floor(h / 24)} d ${Math.floor(h % 24)} h`;
}

function two(number: number): string {
  return `${Math.floor(number)}`.padStart(2, '0');
}

/** Who waits for so long is seen. */
export function ageClass(ms: number | undefined): string {
  if (ms === undefined || ms < 1000) return '';
  return ms < 10_000 ? 'age1' : ms < 60_000 ? 'age2' : 'age3';
}

const grouped = new Intl.NumberFormat('en');

export function count(number: number): string {
  return grouped.format(number);
}
