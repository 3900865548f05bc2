// Abort signals, in both directions: one that ends a flow, and those that steps give to what they start.
//
// - Flows that run with the same signal share one listener, which goes with the last of them: the signal may outlive a million flows.
// - A step's signal is made when it's asked for, and aborted where the step's cancel handler would be called.

import type { AsyncSteps } from './asyncsteps.js';
import { requestCancel } from './cancel.js';
import { errors } from './codes.js';
import { reasonOfCancel } from './end.js';
import { badArgument, checkOptions, exceptionOf, StepError } from './error.js';
import type { ISignal, RunOptions, Signal } from './iasyncsteps.js';
import type { Step } from './step.js';
import { optionsOf } from './tree.js';

/** The platform's, as far as it's used here. */
export interface Aborter {
  readonly signal: ISignal;
  abort(reason: unknown): void;
}
declare const AbortController: new () => Aborter;

/** Hears of a signal for the flows that run with it. */
class Audience {
  declare private readonly signal: ISignal;
  declare private readonly flows: Set<AsyncSteps>;

  constructor(signal: ISignal) {
    this.signal = signal;
    this.flows = new Set();
  }

  add(flow: AsyncSteps): void {
    const { flows } = this;
    flows.add(flow);
    try {
      if (flows.size === 1) this.signal.addEventListener('abort', this);
    } catch (thrown) {
      flows.delete(flow);
      throw thrown;
    }
  }

  delete(flow: AsyncSteps): void {
    this.flows.delete(flow);
    if (this.flows.size === 0) this.signal.removeEventListener('abort', this);
  }

  handleEvent(): void {
    for (const flow of [...this.flows]) cancelBy(flow, this.signal);
  }
}

const audiences = /* @__PURE__ */ new WeakMap<ISignal, Audience>();

/** The signal has been aborted. Whatever it does when it's asked why, the flow is cancelled. */
export function cancelBy(flow: AsyncSteps, signal: ISignal): void {
  let reason: unknown;
  try {
    ({ reason } = signal);
  } catch (thrown) {
    reason = thrown;
  }
  requestCancel(flow, textOf(reason), reason);
}

/** The flow hears of the signal from now on; what is returned ends that. */
export function listen(flow: AsyncSteps, signal: ISignal): Pick<Audience, 'delete'> {
  const audience = audiences.get(signal) ?? new Audience(signal);
  audiences.set(signal, audience);
  audience.add(flow);
  return audience;
}

/** The signal of `execute` or `promise`, and whether it's aborted. All that is asked of it before the flow starts is asked here. */
export function signalIn(
  call: string,
  options: RunOptions,
): { signal?: ISignal; aborted: boolean } {
  if (typeof options === 'function') badArgument(call, 'options', options);
  const { signal } = checkOptions(call, options);
  if (signal === undefined) {
    if ('addEventListener' in options) badArgument(call, 'options: { signal }', 'a signal');
    return { aborted: false };
  }
  const aborted = Object(signal) === signal ? signal.aborted : undefined;
  const isSignal =
    typeof aborted === 'boolean' &&
    typeof signal.addEventListener === 'function' &&
    typeof signal.removeEventListener === 'function';
  return isSignal ? { signal, aborted } : badArgument(call, 'a signal', signal);
}

/** A cancel's reason is a text. */
function textOf(reason: unknown): string | undefined {
  return typeof reason === 'string' ? reason : undefined;
}

export function signalOf(step: Step): Signal {
  return (optionsOf(step).aborter ??= new AbortController()).signal as Signal;
}

/** The step is left: with an error, its own or one further out, or because nobody wants it any more. */
export function abortSignal(step: Step, error: StepError | null): void {
  const options = step.options!;
  const aborter = options.aborter!;
  options.aborter = null;
  aborter.abort(
    error === null
      ? new StepError(errors.Canceled, reasonOfCancel(step.line.flow))
      : exceptionOf(error),
  );
}
