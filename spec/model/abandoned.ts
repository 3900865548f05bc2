/** What goes on though nobody awaits it any more. */
import { type Awaitable, type Settled, whenSettled } from './awaitable.js';
import { linesAround } from './mutex.js';
import type { Step } from './shape.js';
import { codeOf, StepError } from './thrown.js';
import { cancelEntry, deferred } from './tool.js';

/** The step is left while it awaits this; `stops`: it was asked to stop, and takes its time ([cleanup-103]). */
export function abandon(step: Step, awaited: Awaitable, stops: boolean): void {
  const giveBack = keepPlaces(step, stops);
  const hear = (settled: Settled) => {
    giveBack();
    if (stops || step.kind === 'await') return;
    if (settled.ok || awaited.reported || codeOf(settled.reason) === 'Canceled') return;
    awaited.reported = true;
    step.flow.hooks.report(settled.reason); // [promise-38]
  };
  if (step.listener === undefined) whenSettled(awaited, hear);
  else step.listener.hear = hear;
  step.listener = undefined;
}

/** [sync-113] [sync-119]: until what is returned is called. */
function keepPlaces(step: Step, stops: boolean): () => void {
  const lines = [step.line!, ...linesAround(step.line!)];
  const held = lines.flatMap(({ holds }) => [...holds].reverse());
  const kept = held.flatMap(({ keep }) => (keep === undefined ? [] : [keep()]));
  if (kept.length === 0) return () => undefined;
  const late = stops ? undefined : tellIfLate(step);
  return () => {
    if (late !== undefined) cancelEntry(step.flow.tool, late);
    for (const giveBack of kept) giveBack();
  };
}

/** [sync-116] */
function tellIfLate({ flow }: Step): ReturnType<typeof deferred> | undefined {
  if (flow.grace === Number.POSITIVE_INFINITY) return undefined;
  return deferred(flow.tool, flow.grace, () => flow.hooks.report(new StepError('Timeout')));
}
