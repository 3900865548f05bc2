/** How things are written in a trace. */
import type { Cause, Failure } from './failure.js';
import { codeOf, LoopControl } from './thrown.js';

export function withValues(text: string, values: readonly unknown[]): string {
  const present = values.slice(0, values.findLastIndex((value) => value !== undefined) + 1);
  return [text, ...present.map((value) => JSON.stringify(value ?? null))].join(' ');
}

export function caught(thrown: unknown): string {
  return `caught ${thrown instanceof LoopControl ? thrown.action : codeOf(thrown)}`;
}

/** [error-24] [error-26] [error-29]: the views that were chosen. */
export function show(failure: Failure | undefined, views: readonly string[]): string {
  return views.map((view) => `${view}=${viewOf(failure, view) ?? '-'}`).join(' ');
}

function viewOf(failure: Failure | undefined, view: string): unknown {
  if (view === 'also') return `[${alsoOf(failure).join(',')}]`;
  if (failure === undefined) return undefined;
  if (view === 'info') return JSON.stringify(failure.info);
  if (view === 'retry_after') return failure.refusal.retryAfter;
  if (view === 'waits') return JSON.stringify(failure.refusal.waits);
  if (view === 'guard') return JSON.stringify(failure.refusal.guard);
  if (view === 'causes') return `[${causesOf(failure).join(',')}]`;
  return { path: failure.path, code: failure.code, cause: failure.cause?.code }[view];
}

/** Of those that are left out, how many ([flow-104]). An exception that isn't ours stands for itself ([error-21]). */
function causesOf({ cause }: Cause): string[] {
  if (cause === undefined) return [];
  const { code, info } = cause;
  const shown = code === 'Omitted' ? `${code}: ${info}` : code;
  return 'foreign' in cause && cause.foreign ? [shown] : [shown, ...causesOf(cause)];
}

function alsoOf(failure: Failure | undefined): string[] {
  if (failure === undefined) return [];
  return [...failure.branches, ...failure.also].map(({ code }) => code);
}
