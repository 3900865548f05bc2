/** A body runs, and what it left behind decides what becomes of its step. */
import { valuesOf } from './await.js';
import { claim } from './claim.js';
import { enqueue } from './line.js';
import { leave } from './leave.js';
import { makeFailure } from './failure.js';
import { latchThrown, standing } from './latch.js';
import { calls, returned as told } from './observe.js';
import { isAwaitable, type Left, type Step, type Values } from './shape.js';
import { putInside, Returned, type Value } from './steps.js';
import { isLate } from './tool.js';
import { callUser, cancelled } from './usercode.js';
import { whenSettled, type Settled } from './awaitable.js';

/** [model-86]; only bodies of steps and iterations count ([model-53], [sync-13], [tool-19]). */
export function runBody(step: Step, values: Values, counts: boolean): void {
  const { flow, part } = step;
  if (counts && (part === undefined || step.kind === 'iteration')) {
    step.line!.budget--;
    flow.tool.busy++;
  }
  if (part !== undefined) return openPart(step, part, values);
  step.phase = 'body';
  calls(step, 'body');
  const returned = callUser(step, undefined, false, () => step.body!(step, ...values));
  told(step);
  if (returned.thrown) latchThrown(step, returned.value);
  else if (isAwaitable(returned.value))
    step.awaited = returned.value; // [model-72]
  else if (returned.value instanceof Returned) putInside(step, returned.value.value, false);
  else step.returned = returned.value;
  if (step.awaited !== undefined) step.awaited.awaiters++;
  if (cancelled(step)) return; // [model-26]
  if (step.awaited !== undefined) awaitBody(step);
  else if (counts && isLate(flow.tool) && !step.taken && endsNow(step)) postpone(step);
  else decide(step, left(step));
}

/** [values-7]: it's no body that counts, but for a round ([model-53]). */
function openPart(step: Step, part: Value, values: Values): void {
  step.phase = 'inner';
  step.line!.values = values;
  putInside(step, part);
}

/** Does the step neither go on nor wait? */
function endsNow(step: Step): boolean {
  if (standing(step) !== undefined) return true;
  return !['inner', 'waits'].includes(left(step).what);
}

/** [timeout-30]: the timers that are due come first. */
function postpone(step: Step): void {
  step.phase = 'claimed';
  enqueue(step.line!);
}

/** [model-72] [model-73] [model-80] [model-81] */
function awaitBody(step: Step): void {
  const awaited = step.awaited!;
  step.phase = 'awaiting';
  step.listener = whenSettled(awaited, (settled) => {
    if (step.phase !== 'awaiting') return;
    step.awaited = step.listener = undefined;
    awaited.awaiters--;
    if (!settled.ok) latchThrown(step, settled.reason); // [model-74] [error-50]
    const result = left(step, settled);
    if (result.what === 'waits')
      step.phase = 'waiting'; // [model-77]
    else claim(step, result);
  });
}

/** The table of what a body left behind, from its first row to its last. */
export function left(step: Step, settled?: Settled): Left {
  const last = standing(step);
  if (last?.what === 'error') return { what: 'error', failure: last.failure }; // [model-27] [model-28]
  if (last?.what === 'control') return { what: 'control', control: last.control };
  const successes = step.said.flatMap((said) => (said.what === 'success' ? [said.values] : []));
  const steps = step.level.length > 0;
  if (successes.length > 1) return twofold(step, 'success() twice'); // [model-30]
  if (successes.length > 0 && steps) return twofold(step, 'success() and steps'); // [model-30]
  if (successes.length > 0) return { what: 'ok', values: successes[0]! }; // [model-32] [model-75]
  const value = valueLeft(step, settled);
  if (value !== undefined) {
    if (steps) return twofold(step, 'a value and steps'); // [model-135]
    if (step.external) return twofold(step, 'a value and waitExternal()'); // [model-135]
    return { what: 'ok', values: valuesOf(value) }; // [model-76] [model-136]
  }
  if (steps) return { what: 'inner' };
  if (step.external || (step.guarded && settled === undefined)) return { what: 'waits' }; // [model-33]
  return { what: 'ok', values: [] }; // [model-32]
}

/** What the body returned, at once or through an awaitable. [model-76] [model-137] */
function valueLeft(step: Step, settled?: Settled): unknown {
  if (['iteration', 'deferred', 'lock'].includes(step.kind)) return undefined;
  return settled === undefined ? step.returned : settled.ok ? settled.value : undefined;
}

function twofold(step: Step, info: string): Left {
  return { what: 'error', failure: makeFailure(step, 'InternalError', info) };
}

/** What was left is done. [model-35]: an error of the step meets its own handler. */
export function decide(step: Step, result: Left): void {
  if (result.what === 'ok') leave(step, { how: 'ok', values: result.values });
  else if (result.what === 'error') leave(step, { how: 'error', failure: result.failure });
  else if (result.what === 'control') leave(step, { how: 'control', control: result.control });
  else step.phase = result.what === 'inner' ? 'inner' : 'waiting';
}
