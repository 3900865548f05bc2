/** With what a step closes, as its deferred functions and its guard get to know it. */
import type { Why } from './closing.js';
import type { Outcome, Step } from './shape.js';

/** [cleanup-13] [sync-22]: what closes it from outside is the reason of a cancel. */
export function endOf({ flow }: Step, why: Why): Outcome {
  if (why.how === 'ok') return { kind: 'ok', values: why.values };
  if (why.how === 'error') return { kind: 'error', failure: why.failure };
  if (why.how === 'control') return { kind: 'cancelled', reason: why.control.action };
  if (why.how === 'silent') return { kind: 'cancelled', reason: why.error?.code ?? '' };
  return { kind: 'cancelled', reason: flow.cancel?.reason ?? '' };
}
