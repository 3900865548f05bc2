/** Steps that wait for an awaitable. */
import { whenSettled } from './awaitable.js';
import { claim } from './claim.js';
import { failureOf } from './failure.js';
import type { Step } from './shape.js';

/** [promise-11] to [promise-15], [promise-18] */
export function startAwait(step: Step): void {
  const awaited = step.awaited!;
  step.phase = 'waiting';
  awaited.awaiters++;
  awaited.start?.();
  step.listener = whenSettled(awaited, (settled) => {
    if (step.phase !== 'waiting') return;
    step.awaited = step.listener = undefined;
    awaited.awaiters--;
    if (!settled.ok) claim(step, { what: 'error', failure: failureOf(step, settled.reason) });
    else claim(step, { what: 'ok', values: settled.values ?? valuesOf(settled.value) });
  });
}

/** [promise-18] */
export function valuesOf(value: unknown): unknown[] {
  return value === undefined ? [] : [value];
}
