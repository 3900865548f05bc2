/** What a running body or handler says, to be weighed when it has returned. */
import { type Failure, failureOf } from './failure.js';
import type { Control, Said, Step } from './shape.js';

/** The last error, break or continue. [model-27] [model-28] */
export function standing(step: Step): Exclude<Said, { what: 'success' }> | undefined {
  return step.said.findLast((said) => said.what !== 'success');
}

export function latchError(step: Step, failure: Failure, signal: unknown = failure): void {
  step.said.push({ what: 'error', failure, signal });
}

export function latchControl(step: Step, control: Control, signal: unknown): void {
  step.said.push({ what: 'control', control, signal });
}

/** [model-36] [model-37]: an exception that left the body; the standing latch's own is no new one, an older one's counts again. */
export function latchThrown(step: Step, thrown: unknown): void {
  const known = step.said.findLast((said) => said.what !== 'success' && said.signal === thrown);
  if (known === undefined) latchError(step, failureOf(step, thrown), thrown);
  else if (known !== standing(step)) step.said.push(known);
}
