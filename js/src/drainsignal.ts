// Workers and servers that drain when the process is told to end. When all have, and nobody else listens, it ends by that signal, as it would have
// at once.
//
// One listener of the process does it for all of a signal: Node warns of more than ten.

import { expected, mistake } from './redisoptions.js';

interface Process {
  readonly pid: number;
  prependListener(signal: string, listener: () => void): void;
  off(signal: string, listener: () => void): void;
  listeners(signal: string): readonly unknown[];
  kill(pid: number, signal: string): void;
}

type Drain = () => Promise<unknown>;

/** Those by which a process is asked to end, or to do something. */
const signals = ['SIGTERM', 'SIGINT', 'SIGHUP', 'SIGQUIT', 'SIGUSR1', 'SIGUSR2', 'SIGBREAK'];

// biome-ignore lint/suspicious/noShadowRestrictedNames: it has no type without Node's
declare const globalThis: { readonly process: Partial<Process> | undefined };

/** Those who drain at a signal that has not come yet. */
const waiting = new Map<string, Drains>();
/** The listeners of these, and of those who drain now. */
const ours = new Set<unknown>();

class Drains {
  readonly #process: Process;
  readonly #signal: string;
  readonly #all = new Set<Drain>();
  #isTold = false;

  constructor(process: Process, signal: string) {
    this.#process = process;
    this.#signal = signal;
    ours.add(this.#listener);
    process.prependListener(signal, this.#listener);
  }

  add(drain: Drain): void {
    this.#all.add(drain);
  }

  leave(drain: Drain): void {
    this.#all.delete(drain);
    if (this.#all.size > 0 || this.#isTold) return;
    waiting.delete(this.#signal);
    this.#off();
  }

  readonly #listener = (): void => {
    if (this.#isTold) return;
    this.#isTold = true;
    waiting.delete(this.#signal); // who comes now waits for the next one
    // Now, as who listens once isn't there later.
    const isAlone = this.#listeners().every((other) => ours.has(other));
    void Promise.allSettled([...this.#all].map((drain) => drain())).then(() => {
      this.#off();
      if (isAlone && this.#listeners().length === 0)
        this.#process.kill(this.#process.pid, this.#signal);
    });
  };

  #listeners(): readonly unknown[] {
    return this.#process.listeners(this.#signal);
  }

  #off(): void {
    this.#process.off(this.#signal, this.#listener);
    ours.delete(this.#listener);
  }
}

/** What `drainOn` of that call says. */
export function signalIn(call: string, given: string | undefined): string | undefined {
  if (given === undefined) return undefined;
  const { process } = globalThis;
  if (!process?.prependListener || !process.kill)
    throw mistake(`${call}: drainOn: there are no signals here`);
  if (!signals.includes(given))
    throw expected(`${call}: drainOn`, `one of ${signals.join(', ')}`, given);
  return given;
}

/** Gives a function that ends the listening. */
export function onSignal(signal: string, drain: Drain): () => void {
  const drains = waiting.get(signal) ?? new Drains(globalThis.process as Process, signal);
  waiting.set(signal, drains);
  drains.add(drain);
  return () => drains.leave(drain);
}
