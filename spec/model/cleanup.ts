/** Deferred functions, and what becomes of their errors. */
import { closeInside, closing, finishFrame, silent, type Why } from './closing.js';
import { addAlso, type Failure, makeFailure } from './failure.js';
import { runBody } from './body.js';
import { wake } from './line.js';
import { endOf } from './outcome.js';
import { type Body, makeStep, type Step } from './shape.js';
import { sheltered, waitsFor } from './shelter.js';
import { StepError } from './thrown.js';
import { armLimit } from './timeout.js';
import { cancelled } from './usercode.js';

/** [cleanup-1] [cleanup-3] [cleanup-11] [cleanup-12] */
export function register(step: Step, body: Body): void {
  const deferred = makeStep('deferred', step.flow, step);
  deferred.body = body;
  deferred.element = `~${step.registered++}`;
  step.defers.push(deferred);
}

/** [cleanup-4] [cleanup-14] [cleanup-43] [cleanup-44] */
export function beginCleanup(step: Step, verdict: Why, then: (why: Why) => void): void {
  step.cleaned = { verdict, then, own: true, failed: false };
  step.phase = 'cleaning';
  wake(step.line!);
}

/** [cleanup-5] [cleanup-13] [cleanup-15]: the last one is next; it has the grace from here on ([cleanup-60]). */
export function nextDeferred(step: Step): void {
  const deferred = step.defers.pop();
  if (deferred === undefined) return endCleanup(step);
  const line = step.line!;
  deferred.line = line;
  line.top = deferred;
  line.values = [];
  armLimit(deferred, step.flow.grace, () => abandon(deferred));
  runBody(deferred, [endOf(step, waitsFor(step) ?? step.cleaned!.verdict)], true); // [cleanup-13]
}

/** [cleanup-50] to [cleanup-56]: an error of a deferred function. */
export function cleanupFailed(step: Step, failure: Failure): void {
  const cleaned = step.cleaned!;
  const { verdict } = cleaned;
  cleaned.failed = true;
  const closes = waitsFor(step) ?? verdict;
  if (hasNoError(closes) || isLatched(step)) report(step, failure);
  else if (verdict.how === 'error') addAlso(verdict.failure, [failure]);
  else if (closes.how === 'silent') closes.overtaken.push(failure);
  else Object.assign(cleaned, { verdict: { how: 'error', failure }, own: false });
  wake(step.line!);
}

/** A cancel, or a branch that has won: there is no error that others could join. */
function hasNoError(why: Why): boolean {
  return why.how === 'cancelled' || (why.how === 'silent' && why.error === undefined);
}

/** A cancel that the cleanup itself has latched, and that nothing else holds up. */
function isLatched({ flow: { cancel }, parent }: Step): boolean {
  return cancel !== undefined && !cancel.performed && !sheltered(parent!);
}

function report(step: Step, { code, info }: Failure): void {
  step.flow.hooks.report(new StepError(code, info));
}

/** [cleanup-10] [cleanup-57]: a cancel that comes now drops the step's own error, but not one of its cleanup. */
function endCleanup(step: Step): void {
  const { verdict, then, own } = step.cleaned!;
  const waiting = waitsFor(step);
  const dropped = isLatched(step) || (waiting !== undefined && hasNoError(waiting));
  if (dropped && !own && verdict.how === 'error') report(step, verdict.failure);
  finishFrame(step, verdict, then);
}

/** [cleanup-60] [cleanup-62] to [cleanup-66] */
function abandon(deferred: Step): void {
  const { flow, line, parent } = deferred;
  closing(flow, () => {
    closeInside(line!, parent, silent(undefined, true), () => {
      report(deferred, makeFailure(deferred, 'Timeout'));
      wake(line!);
    });
    cancelled(flow.root);
  });
}
