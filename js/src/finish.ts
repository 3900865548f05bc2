// The end of an execution: the flow is idle first, then it is told, from an immediate of its own.

import type { AsyncSteps } from './asyncsteps.js';
import { errors } from './codes.js';
import { StepError } from './error.js';
import type { IOutcome } from './iasyncsteps.js';
import { IDLE } from './phase.js';
import { callHook } from './report.js';
import { clearResults } from './tree.js';

export type Done = (outcome: IOutcome) => void;

/** What `promise()` waits with. */
export class Settlement {
  declare readonly resolve: (value: any) => void;
  declare readonly reject: (reason: unknown) => void;

  constructor(resolve: (value: any) => void, reject: (reason: unknown) => void) {
    this.resolve = resolve;
    this.reject = reject;
  }
}

/** How an execution ended, as its `done` gets it. */
class Outcome implements IOutcome {
  declare readonly kind: 'ok' | 'error' | 'cancelled';
  declare readonly values?: readonly unknown[];
  declare readonly error?: unknown;
  declare readonly code?: string;
  declare readonly reason?: string;

  constructor(kind: 'ok' | 'error' | 'cancelled', details: object) {
    this.kind = kind;
    Object.assign(this, details);
  }
}

export function finishOk(flow: AsyncSteps): void {
  const { done } = flow;
  if (done === null) {
    becomeIdle(flow);
  } else if (done instanceof Settlement) {
    const value = flow.r0;
    becomeIdle(flow);
    tell(flow, () => done.resolve(value));
  } else {
    const values = [flow.r0, flow.r1, flow.r2, flow.r3].slice(0, flow.results);
    becomeIdle(flow);
    tell(flow, () => done(new Outcome('ok', { values })));
  }
}

export function finishError(flow: AsyncSteps, failure: StepError): void {
  const { done } = flow;
  const { code, exception: error } = failure;
  becomeIdle(flow);
  if (done === null) tell(flow, () => callHook(flow.settings.unhandled, failure));
  else if (done instanceof Settlement) tell(flow, () => done.reject(error));
  else tell(flow, () => done(new Outcome('error', { error, code })));
}

export function finishCancelled(flow: AsyncSteps): void {
  const { done, reason } = flow;
  becomeIdle(flow);
  if (done === null) return;
  if (done instanceof Settlement) {
    tell(flow, () => done.reject(new StepError(errors.Canceled, reason)));
  } else {
    tell(flow, () => done(new Outcome('cancelled', reason === undefined ? {} : { reason })));
  }
}

/** As new, but for the state. */
function becomeIdle(flow: AsyncSteps): void {
  flow.bits = IDLE;
  flow.tail = null;
  flow.count = 0;
  flow.top = null;
  flow.latch = null;
  flow.done = null;
  flow.reason = undefined;
  clearResults(flow);
}

function tell(flow: AsyncSteps, fn: () => void): void {
  flow.tool.post(fn);
}
