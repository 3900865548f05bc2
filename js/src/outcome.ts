// How a step closes, for its deferred functions and its guard.

import type { AsyncSteps } from './asyncsteps.js';
import { cancelledOutcome, cancelOf, okOutcome } from './end.js';
import { codeOf, exceptionOf, type Failure, LoopControl } from './error.js';
import type { IOutcome } from './iasyncsteps.js';
import type { Slot } from './results.js';
import { type Closing, type Line, wholeOf } from './tree.js';

/** With what a step closes: what closes it from outside is the reason of a cancel. */
export function outcomeOf(
  line: Line,
  failure: Failure | null,
  closing: Closing | null,
  values: Slot,
): IOutcome {
  if (closing !== null) return cancelledBy(line.flow, wholeOf(closing));
  if (failure === null) return okOutcome(values);
  if (LoopControl.is(failure)) return { kind: 'cancelled', reason: failure.action };
  return { kind: 'error', error: exceptionOf(failure), code: codeOf(failure) };
}

function cancelledBy(flow: AsyncSteps, closing: Closing): IOutcome {
  const { failure } = closing;
  if (failure !== null) return cancelledOutcome(codeOf(failure), exceptionOf(failure));
  const request = cancelOf(flow, closing);
  return cancelledOutcome(request?.reason, request?.cause);
}
