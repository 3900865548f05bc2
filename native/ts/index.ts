// Plug-ins in C, C++ and Rust, which see `steptree/steptree.h` alone, as steps of JavaScript.

import { fileURLToPath } from 'node:url';
import { StepError, step, type Step, errors } from 'steptree';
import type { Counts, Described } from './binding.js';
import { bodyOf } from './calls.js';
import { errorOf } from './errors.js';
import { native } from './native.js';

export type { Counts } from './binding.js';
export { useTool } from './native.js';

/** What a plug-in can do, for the compiler: `load<{ greet(name: string): string }>(path)`. */
export type Handlers<H> = { [K in keyof H]: (...values: any[]) => unknown };

/** What a plug-in says of one of its handlers. */
export interface HandlerInfo {
  readonly name: string;
  readonly description: string;
  /** So many values it takes, */
  readonly least: number;
  /** at most. */
  readonly most: number;
}

/** A plug-in that is loaded, and what still is of it. */
export interface PluginInfo {
  readonly name: string;
  readonly version: string;
  readonly path: string;
  /** Counts what has been loaded, from 1 on. */
  readonly generation: number;
  /** `serves`: takes calls. `leaves`: takes none; steps of it are still open. `stopped`: none is; what is left keeps it from being unloaded. */
  readonly phase: 'serves' | 'leaves' | 'stopped';
  readonly handlers: readonly HandlerInfo[];
  /** Calls that are open. */
  readonly steps: number;
  /** Bodies, handlers and callbacks that it has given. */
  readonly functions: number;
  /** Opaque values of its kinds. */
  readonly values: number;
  /** Completions that it keeps. */
  readonly completions: number;
}

type ParametersOf<F> = F extends (...values: infer V) => unknown ? V : never;
type IsAny<T> = 0 extends 1 & T ? true : false;
type OutOf<F> = F extends (...values: any[]) => infer R ? ValuesOf<R> : never;
/** A tuple is several values, a list is one. */
type ValuesOf<R> =
  IsAny<R> extends true
    ? any
    : // biome-ignore lint/suspicious/noConfusingVoidType: of a handler that leaves nothing
      [R] extends [void]
      ? []
      : R extends readonly unknown[]
        ? number extends R['length']
          ? [R]
          : R
        : [R];

/**
 * A plug-in that is loaded.
 *
 *     const greeter = await load('./greeter.so');
 *     flow.add(greeter.step('greet', 'Ada').timeout(500));
 */
export interface Plugin<H extends Handlers<H> = any> {
  readonly name: string;
  readonly version: string;
  readonly handlers: readonly HandlerInfo[];
  /**
   * A handler as a step value: it gets these values, or without them what the step finds, and leaves its own. What is outside closes its
   * native steps first: a timeout, a cancel, a failed sibling. They see the deadlines around, and fail with errors whose paths go on from
   * that of the step. Its name is `plugin.handler`. A handler that the plug-in hasn't, and values that it doesn't take: `InternalError` at
   * the call. When a plug-in of that name is loaded again, runs that begin from then on take the new one.
   *
   *     asi.add(greeter.step('greet')); // the name comes from the step before
   */
  step<N extends keyof H & string>(name: N): Step<ParametersOf<H[N]>, OutOf<H[N]>>;
  step<N extends keyof H & string>(name: N, ...values: ParametersOf<H[N]>): Step<[], OutOf<H[N]>>;
  /** It takes no calls from now on: `NoPlugin`. Settles when nothing of that name is loaded any more. */
  unload(): Promise<void>;
}

class Loaded implements Plugin {
  readonly name: string;
  readonly version: string;
  readonly handlers: readonly HandlerInfo[];

  constructor({ name, version, handlers }: PluginInfo) {
    this.name = name;
    this.version = version;
    this.handlers = handlers;
  }

  step(name: string, ...values: unknown[]): Step<any, any> {
    const handler = this.handlers.find((handler) => handler.name === name);
    if (handler === undefined) {
      const names = this.handlers.map((handler) => handler.name).join(', ');
      throw misuse(`${this.name} has no handler ${JSON.stringify(name)}, but ${names || 'none'}`);
    }
    const { least, most } = handler;
    const called = `${this.name}.${name}`;
    const value = step(bodyOf(native.handler(this.name, name), called)).named(called);
    if (values.length === 0) return value;
    if (values.length < least || values.length > most)
      throw misuse(
        `${called}: expected ${least === most ? most : `${least} to ${most}`} values, got ${values.length}`,
      );
    return value.with(...values);
  }

  unload(): Promise<void> {
    return new Promise((resolve) => native.unload(this.name, resolve));
  }
}

function misuse(info: string): StepError {
  return new StepError(errors.InternalError, info);
}

/**
 * Loads a plug-in into this thread's environment: a shared object that exports `steptree_plugin()`. The file is copied before, so a new one
 * may be written over it and loaded in its place. What is none, is built for another interface or doesn't want to: `PluginRefused`, with the
 * path and the reason.
 *
 *     const greeter = await load<{ greet(name: string): string }>('./greeter.so');
 */
export async function load<H extends Handlers<H> = any>(path: string | URL): Promise<Plugin<H>> {
  if (typeof path !== 'string' && !(path instanceof URL))
    throw misuse(`load: expected a path, got ${typeof path}`);
  try {
    const file = typeof path === 'string' ? path : fileURLToPath(path);
    return new Loaded(native.load(file));
  } catch (thrown) {
    throw errorOf(thrown as Described, null);
  }
}

/**
 * Plug-ins that this thread has loaded may call the step by that name. It gets the values before the call, and leaves its own, as a step of
 * a flow of its own inside of the native one: it has the deadlines around, is cancelled with the native step, which waits for its cleanups
 * up to `grace`, and has the state and the tool of the flow whose step has called the plug-in. Its errors arrive with code and info. It
 * takes the place of what is offered by that name, for calls that begin from now on. What is no step, an empty name: `InternalError`.
 * Guide: docs/native.md#services
 *
 *     offer('users.find', step(async (_, id: string) => await db.find(id)));
 */
export function offer(name: string, step: Step<any, any>): void {
  if (typeof name !== 'string' || name === '')
    throw misuse(`offer: expected a name, got ${typeof name === 'string' ? "''" : typeof name}`);
  if (typeof step?.onError !== 'function')
    throw misuse(`offer: expected a step value for ${JSON.stringify(name)}, got ${typeof step}`);
  native.offer(name, { name, step }, (step as { name?: string }).name ?? '');
}

/** No call of that service begins from now on: `NoService`. What isn't offered: nothing. */
export function withdraw(name: string): void {
  native.withdraw(name);
}

/** All plug-ins of this thread that are loaded, the oldest first, also what is to be unloaded. */
export function list(): PluginInfo[] {
  return native.list();
}

/** How many native calls are open in this thread, and what they use. */
export function counts(): Counts {
  return native.counts();
}
