/** Shields: steps that nothing around them can end, within a limit. */
import { runBody } from './body.js';
import type { Step, Values } from './shape.js';
import { armLimit, fire } from './timeout.js';

/** [cleanup-70] [cleanup-72] */
export function openShield(step: Step, values: Values): void {
  armShield(step);
  runBody(step, values, true);
}

/** [cleanup-72] [cleanup-73] [cleanup-74] */
export function armShield(step: Step): void {
  armLimit(step, step.shieldLimit, () => fire(step));
}
