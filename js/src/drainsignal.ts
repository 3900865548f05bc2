// Workers that drain when the process is told to end. When all have, and nobody else listens, it ends by that signal, as it would have at once.

import { mistake } from './redisoptions.js';

interface Process {
  readonly pid: number;
  on(signal: string, listener: () => void): void;
  off(signal: string, listener: () => void): void;
  listenerCount(signal: string): number;
  kill(pid: number, signal: string): void;
}

// biome-ignore lint/suspicious/noShadowRestrictedNames: it has no type without Node's
declare const globalThis: { readonly process: Partial<Process> | undefined };

/** Gives a function that ends the listening. */
export function onSignal(signal: string, drain: () => Promise<unknown>): () => void {
  const { process } = globalThis;
  if (!process?.on || !process.kill) throw mistake('worker: drainOn: there are no signals here');
  const { pid, kill } = process as Process;
  let isTold = false;
  const off = (): void => process.off!(signal, listener);
  const listener = (): void => {
    if (isTold) return;
    isTold = true;
    void drain().finally(() => {
      off();
      if (process.listenerCount!(signal) === 0) kill.call(process, pid, signal);
    });
  };
  process.on(signal, listener);
  return () => {
    if (!isTold) off();
  };
}
