// The native half, `src/binding.cpp`: one in each environment, that is in each thread.

import { existsSync } from 'node:fs';
import { createRequire } from 'node:module';
import { fileURLToPath } from 'node:url';
import type { WaitSnapshot } from 'steptree';

/** How a call has ended: `Ended` of `src/call.hpp`. */
export const OPEN = 0;
export const ONE = 1;
export const MANY = 2;
export const FAILED = 3;
export const CLOSED = 4;

/** What an error says of itself: `src/errors.cpp`. */
export interface Described {
  readonly code: string;
  readonly info: string;
  readonly path: string;
  readonly foreign: boolean;
  readonly retry_after?: number;
  readonly guard?: string;
  readonly waits?: string;
  readonly cause?: Described;
  readonly also?: readonly Described[];
  /** The error of JavaScript's that it is: of a service. */
  readonly object?: Error;
}

export interface Binding {
  load(path: string): any;
  list(): any[];
  unload(plugin: string, gone: () => void): void;
  /** Its number, for calls. */
  handler(plugin: string, name: string): number;
  /** Its result, what has failed, or the number of the call: `ended[0]` says which, and stays as it is for ONE. */
  call(ended: number[], handler: number, ms: number, grace: number, ...values: unknown[]): any;
  /** Whether nothing of it is open any more; else it's told later. */
  cancel(call: number): boolean;
  look(call: number): any;
  pump(ticked?: boolean): void;
  /** `element`: what it's called in paths, if it has a name. */
  offer(name: string, offered: object, element: string): void;
  withdraw(name: string): void;
  /** A call of a service has ended: with values, or FAILED with its error, code, info and causes, or CLOSED. */
  served(call: number, how: number, ...values: unknown[]): void;
  /** 0: events of calls aren't told, 1: they are, 2: bodies, too. */
  observe(level: number): void;
  counts(): Counts;
}

/** What there is of native calls. */
export interface Counts {
  /** That are open. */
  calls: number;
  /** Of these: JavaScript's steps that wait. */
  waiting: number;
  /** Buffers that native values use. */
  lent: number;
  /** Calls of JavaScript's services that are open. */
  services: number;
  /** 1: native steps are observed, as somebody observes a tool whose steps have called them; else 0. */
  observers: number;
  /** How often JavaScript was woken for what other threads have done, since the beginning. */
  wakes: number;
}

/** What a native step does, by the numbers that native events have. */
export type Heard = [
  what: string,
  step: number,
  parent: number,
  element: string | undefined,
  kind: string | undefined,
  outcome: string | undefined,
  code: string | undefined,
  waits: WaitSnapshot | undefined,
];

interface Native {
  open(
    pump: () => void,
    schedule: (ms: number) => void,
    tell: (call: number, ended: number, value: any) => void,
    report: (call: number, error: Described) => void,
    serve: (offered: any, served: number, call: number, ms: number, values: any[]) => void,
    cancel: (served: number) => boolean,
    hear: (call: number, ...event: Heard) => void,
    time?: Float64Array,
  ): Binding;
}

const own = new URL('..', import.meta.url);
const places = [
  `prebuilds/${process.platform}-${process.arch}/steptree.node`,
  'build/steptree.node',
];

export function openNative(...functions: Parameters<Native['open']>): Binding {
  const paths = places.map((place) => fileURLToPath(new URL(place, own)));
  const path = paths.find((path) => existsSync(path));
  if (path === undefined)
    throw new Error(
      `steptree-native isn't built: there is none of ${paths.join(', ')}; run npm rebuild`,
    );
  const native: Native = createRequire(import.meta.url)(path);
  return native.open(...functions);
}
