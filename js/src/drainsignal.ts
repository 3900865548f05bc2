// Workers that drain when the process is told to end. When all have, and nobody else listens, it ends by that signal, as it would have at once.

import { mistake } from './redisoptions.js';

interface Process {
  readonly pid: number;
  prependListener(signal: string, listener: () => void): void;
  off(signal: string, listener: () => void): void;
  listeners(signal: string): readonly unknown[];
  kill(pid: number, signal: string): void;
}

/** Those by which a process is asked to end, or to do something. */
const signals = ['SIGTERM', 'SIGINT', 'SIGHUP', 'SIGQUIT', 'SIGUSR1', 'SIGUSR2', 'SIGBREAK'];
/** Of all workers that drain by a signal. */
const ours = new Set<unknown>();

// biome-ignore lint/suspicious/noShadowRestrictedNames: it has no type without Node's
declare const globalThis: { readonly process: Partial<Process> | undefined };

/** Gives a function that ends the listening. */
export function onSignal(signal: string, drain: () => Promise<unknown>): () => void {
  const { process } = globalThis;
  if (!process?.prependListener || !process.kill)
    throw mistake('worker: drainOn: there are no signals here');
  if (!signals.includes(signal))
    throw mistake(`worker: drainOn: expected one of ${signals.join(', ')}, got ${String(signal)}`);
  const { pid, kill } = process as Process;
  let isTold = false;
  const of = () => process.listeners!(signal);
  const off = (): void => {
    process.off!(signal, listener);
    ours.delete(listener);
  };
  const listener = (): void => {
    if (isTold) return;
    isTold = true;
    // Now, as who listens once isn't there later.
    const isAlone = of().every((other) => ours.has(other));
    void drain().finally(() => {
      off();
      if (isAlone && of().length === 0) kill.call(process, pid, signal);
    });
  };
  ours.add(listener);
  process.prependListener(signal, listener);
  return () => {
    if (!isTold) off();
  };
}
