// A signal that ends flows. Those of one tool that run with the same one share a listener, which goes with the last of them: the signal
// may outlive a million flows.

import type { AsyncSteps } from './asyncsteps.js';
import { requestCancel } from './cancel.js';
import { finishCancelled, observersOf } from './end.js';
import { badArgument } from './error.js';
import type { ISignal, RunOptions } from './iasyncsteps.js';
import { BUSY, IDLE, LATCHED } from './phase.js';
import { isObject } from './portable.js';

/** Hears of a signal for the flows that run with it. */
class AbortListener {
  declare private readonly signal: ISignal;
  /** Most signals are those of one flow. */
  private flow: AsyncSteps | null = null;
  private others: Set<AsyncSteps> | null = null;

  constructor(signal: ISignal) {
    this.signal = signal;
  }

  private isFree(): boolean {
    return !this.flow && !this.others?.size;
  }

  /** Others find it once the signal has it: what is asked of that may start flows, and fail. */
  add(flow: AsyncSteps): void {
    const { signal } = this;
    if (!this.isFree()) return void (this.others ??= new Set()).add(flow);
    this.flow = flow;
    try {
      signal.addEventListener('abort', this);
    } catch (thrown) {
      this.flow = null;
      throw thrown;
    }
    flow.settings.tool.listeners.set(signal, this);
  }

  delete(flow: AsyncSteps): void {
    const { signal } = this;
    if (flow === this.flow) this.flow = null;
    else this.others!.delete(flow);
    if (!this.isFree()) return;
    flow.settings.tool.listeners.delete(signal);
    signal.removeEventListener('abort', this);
  }

  handleEvent(): void {
    for (const flow of [this.flow, ...(this.others ?? [])]) if (flow) cancelBy(flow, this.signal);
  }
}

/** The signal has been aborted. Whatever it does when it's asked why, the flow is cancelled. */
export function cancelBy(flow: AsyncSteps, signal: ISignal): void {
  let reason: unknown;
  try {
    ({ reason } = signal);
  } catch (thrown) {
    reason = thrown;
  }
  requestCancel(flow, typeof reason === 'string' ? reason : undefined, reason);
}

/** The flow hears of the signal from now on; what is returned ends that. A tool keeps its live flows, and so what they listen to. */
export function listen(flow: AsyncSteps, signal: ISignal): Pick<AbortListener, 'delete'> {
  const listeners = flow.settings.tool.listeners as Map<ISignal, AbortListener>;
  const listener = listeners.get(signal) ?? new AbortListener(signal);
  listener.add(flow);
  return listener;
}

/** The signal of `execute` or `promise`, and whether it's aborted. All that is asked of it before the flow starts is asked here. */
export function signalIn(
  call: string,
  options: RunOptions,
): { signal?: ISignal; aborted: boolean } {
  const { signal } = options;
  if (signal === undefined) return { aborted: false };
  const aborted = isObject(signal) ? signal.aborted : undefined;
  const isSignal =
    typeof aborted === 'boolean' &&
    typeof signal.addEventListener === 'function' &&
    typeof signal.removeEventListener === 'function';
  return isSignal ? { signal, aborted } : badArgument(call, 'a signal', signal);
}

/** A signal may end the flow, which is about to start; returns whether it has. Whatever code of the signal's runs finds the flow running. */
export function endBySignal(flow: AsyncSteps, signal: ISignal, aborted: boolean): boolean {
  flow.bits |= BUSY;
  try {
    if (aborted) cancelBy(flow, signal);
    else observersOf(flow).listener = listen(flow, signal);
  } catch (thrown) {
    flow.bits = IDLE;
    flow.ending = null;
    throw thrown;
  }
  flow.bits ^= BUSY;
  if ((flow.bits & LATCHED) === 0) return false;
  finishCancelled(flow);
  return true;
}
