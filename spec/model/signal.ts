/** Signals: who listens is told once that what they were made for is not wanted any more. */
import type { Why } from './closing.js';
import { cancelFlow } from './flow.js';
import type { Flow, Step } from './shape.js';
import { callUser } from './usercode.js';

export interface Signal {
  aborted: boolean;
  listeners: (() => void)[];
}

export function makeSignal(): Signal {
  return { aborted: false, listeners: [] };
}

export function abort(signal: Signal): void {
  if (signal.aborted) return;
  signal.aborted = true;
  for (const listener of [...signal.listeners]) {
    if (signal.listeners.includes(listener)) listener();
  }
}

/** [signal-1] [signal-5] [signal-6]: from the start of a flow to its end. */
export function listen(flow: Flow, signal: Signal): void {
  const cancel = () => cancelFlow(flow, '');
  signal.listeners.push(cancel);
  flow.deafen = () => {
    signal.listeners = signal.listeners.filter((listener) => listener !== cancel);
  };
}

/** [signal-10] [signal-11] [signal-13] [signal-15]: where its cancel handler would be called, or forgotten. */
export function leaveSignal(step: Step, why: Why): void {
  const { signal } = step;
  step.signal = undefined;
  if (signal === undefined || why.how === 'ok') return;
  callUser(step, undefined, true, () => abort(signal));
}
