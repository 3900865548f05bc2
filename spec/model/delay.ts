/** Steps that wait for a time, or for nothing but the next turn. */
import { claim } from './claim.js';
import type { Step } from './shape.js';
import { startTimer } from './timeout.js';

/** [flow-30] to [flow-35] */
export function startDelay(step: Step): void {
  step.phase = 'waiting';
  startTimer(step, step.delay, () => claim(step, { what: 'ok', values: [] }));
}

/** [model-56] */
export function startRelinquish(step: Step): void {
  claim(step, { what: 'ok', values: [] });
}
