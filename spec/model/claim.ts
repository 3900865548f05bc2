/** A waiting step's end is noted, and performed in its line's turn. */
import { decide, left } from './body.js';
import { enqueue } from './line.js';
import type { Left, Step } from './shape.js';
import { disarm } from './timeout.js';

/**
 * [external-18] [promise-14] [model-81]. An outcome disarms the timer ([external-20], [timeout-28]), but no grace ([cleanup-60]); ok forgets the cancel handler
 * ([external-21]), and is the grant of a lock ([sync-17]).
 */
export function claim(step: Step, result: Left): void {
  step.claim = result;
  step.phase = 'claimed';
  if (result.what !== 'inner') disarm(step, step.kind !== 'deferred');
  if (result.what === 'ok') {
    step.undo = undefined;
    step.signal = undefined; // [signal-11]
    if (step.kind === 'lock') step.parent!.locked = true;
  }
  enqueue(step.line!);
}

/** [external-18]; without a claim it is what a body has left that came back late ([timeout-30]). */
export function applyClaim(step: Step): void {
  decide(step, step.claim ?? left(step));
}
