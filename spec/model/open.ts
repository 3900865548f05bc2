/** A queued step opens: it is the innermost one of its line now. */
import { runBody } from './body.js';
import { claim } from './claim.js';
import { startLoop } from './loop.js';
import { startBranches } from './parallel.js';
import { failureOf } from './failure.js';
import { armShield, startDelay } from './timeout.js';
import { lockSection } from './sync.js';
import type { Line, Step, Values } from './shape.js';
import { whenSettled } from './awaitable.js';

/** The values that the line has go to a body; every other step drops them. [results-1] [results-3] [results-4] */
export function open(step: Step, line: Line): void {
  const values = line.values;
  line.values = [];
  line.top = step;
  step.line = line;
  step.phase = 'inner';
  if (step.kind === 'plain') runBody(step, values, true);
  else if (step.kind === 'shield') openShield(step, values);
  else if (step.kind === 'loop') startLoop(step);
  else if (step.kind === 'parallel') startBranches(step);
  else if (step.kind === 'section') lockSection(step, values);
  else if (step.kind === 'await') startAwait(step);
  else if (step.kind === 'delay') startDelay(step);
  else if (step.kind !== 'retry') claim(step, { what: 'ok', values: [] }); // [model-56]
}

/** [cleanup-70] [cleanup-72] */
function openShield(step: Step, values: Values): void {
  armShield(step);
  runBody(step, values, true);
}

/** [promise-11] to [promise-15], [promise-18] */
function startAwait(step: Step): void {
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
