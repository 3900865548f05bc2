// What the runtime takes from where it runs, a browser or Node: typed here, so that it needs the types of neither.

interface Port {
  onmessage: unknown;
  postMessage(message: unknown): void;
}

interface Builtins {
  readonly AsyncResource: new (name: string) => Context;
}

interface Platform {
  readonly performance: { now(): number };
  readonly console: { error(...things: unknown[]): void };
  readonly MessageChannel?: new () => { port1: Port; port2: Port };
  readonly process?: { getBuiltinModule?(name: string): Builtins | undefined };
  readonly setImmediate?: (fn: () => void) => unknown;
  setTimeout(fn: () => void, ms: number): unknown;
  clearTimeout(timer: unknown): void;
}

const platform = globalThis as unknown as Platform;

/** Node can let go of a timer, and take hold of it again. */
export interface PlatformTimer {
  ref?(): void;
  unref?(): void;
}

/** The asynchronous context of the moment in which it was made. */
export interface Context {
  runInAsyncScope<A extends unknown[], R>(fn: (...args: A) => R, self: null, ...args: A): R;
}

/** The context of now; null where there are none. */
export function contextOfNow(): Context | null {
  const builtins = platform.process?.getBuiltinModule?.('async_hooks');
  return builtins ? new builtins.AsyncResource('steptree') : null;
}

/** Milliseconds, with fractions, on a clock that only goes forward. */
export function clock(): number {
  return platform.performance.now();
}

export function startTimer(fn: () => void, ms: number): PlatformTimer {
  return platform.setTimeout(fn, ms) as PlatformTimer;
}

export function stopTimer(timer: PlatformTimer): void {
  platform.clearTimeout(timer);
}

export function print(...things: unknown[]): void {
  platform.console.error(...things);
}

/** Calls back after the platform has looked at its timers and input. */
export const macrotask = /* @__PURE__ */ chooseMacrotask();

function chooseMacrotask(): (fn: () => void) => unknown {
  const { setImmediate, MessageChannel } = platform;
  return setImmediate ?? (MessageChannel ? viaChannel() : (fn) => startTimer(fn, 0));
}

function viaChannel(): (fn: () => void) => void {
  const { port1, port2 } = new platform.MessageChannel!();
  const queue: (() => void)[] = [];
  port1.onmessage = () => queue.shift()?.();
  return (fn) => {
    queue.push(fn);
    port2.postMessage(null);
  };
}
