/** Error handlers: what they are asked, and what they leave behind. */
import type { Why } from './closing.js';
import { type Failure, makeFailure, replacing } from './failure.js';
import { wake } from './line.js';
import { latchThrown, standing } from './latch.js';
import { calls } from './observe.js';
import { isAwaitable, type Step } from './shape.js';
import { armShield } from './shield.js';
import { putInside, Returned } from './steps.js';
import { disarm } from './timeout.js';
import { callUser, cancelled } from './usercode.js';

/**
 * [error-9] [sync-10]: asks the step's handler, once. Gives what leaves the step then; nothing if the handler's steps run, or if the
 * flow was cancelled.
 */
export function askHandler(step: Step, failure: Failure): Why | undefined {
  const { handler } = step;
  const same: Why = { how: 'error', failure };
  step.line!.values = []; // [results-5]
  if (handler === undefined || step.handled) return same;
  if (step.kind === 'section' && step.begun === 0) return same;
  step.handled = true;
  step.phase = 'handler';
  step.said = [];
  if (step.kind === 'shield') armShield(step); // [cleanup-74]
  calls(step, `handler ${failure.code}`);
  const returned = callUser(step, failure, false, () => handler(step, failure.code));
  if (returned.thrown) latchThrown(step, returned.value);
  else if (returned.value instanceof Returned) putInside(step, returned.value.value, false);
  if (step.level.length === 0) forgetTimer(step);
  if (cancelled(step)) return undefined; // [cancel-23]
  const said = step.said.length > 0;
  const verdict = weigh(step, failure, !returned.thrown && isAwaitable(returned.value));
  if (verdict === undefined) {
    recover(step);
    return undefined;
  }
  forgetTimer(step);
  const nothing = !said && verdict.how === 'error' && verdict.failure === failure;
  if (nothing || verdict.how === 'ok') step.undo = undefined; // [error-67]
  return verdict;
}

/** [error-16]: what the handler armed is for its steps only. */
function forgetTimer(step: Step): void {
  disarm(step);
  step.level = []; // [error-12]
  step.phase = 'closing';
}

/** [error-8] [timeout-16] [error-15] */
function recover(step: Step): void {
  step.phase = 'inner';
  wake(step.line!);
}

/** The table of what a handler left behind, from its first row to its last; nothing: its steps run. */
function weigh(step: Step, failure: Failure, awaitable: boolean): Why | undefined {
  const last = standing(step);
  const [success, second] = step.said.filter((said) => said.what === 'success');
  const steps = step.level.length > 0;
  if (last?.what === 'error') return { how: 'error', failure: replacing(last.failure, failure) }; // [error-12] [error-17]
  if (last?.what === 'control') return { how: 'control', control: last.control }; // [loop-29]
  if (second !== undefined) return mistake(step, failure, 'success() twice'); // [error-10]
  if (success !== undefined && steps) return mistake(step, failure, 'success() and steps'); // [error-10]
  if (steps) return undefined;
  if (success !== undefined) return { how: 'ok', values: success.values }; // [error-7]
  if (awaitable) return mistake(step, failure, 'a handler gave an awaitable'); // [model-82]
  return { how: 'error', failure }; // [error-6]
}

function mistake(step: Step, replaced: Failure, info: string): Why {
  return {
    how: 'error',
    failure: replacing(makeFailure(step, 'InternalError', info), replaced),
  };
}
