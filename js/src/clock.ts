// What the runtime takes from where it runs, a browser or Node: typed here, so that it needs the types of neither.

interface Port {
  onmessage: unknown;
  postMessage(message: unknown): void;
}

interface Platform {
  readonly performance: { now(): number };
  readonly console: { error(...things: unknown[]): void };
  readonly MessageChannel?: new () => { port1: Port; port2: Port };
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

/** Milliseconds, with fractions, on a clock that only goes forward. */
export function clock(): number {
  return platform.performance.now();
}

/** A time of a tool, not rounded. */
export const exact = (time: number): number => time;

export function startTimer(fn: () => void, ms: number): PlatformTimer {
  return platform.setTimeout(fn, ms) as PlatformTimer;
}

export function stopTimer(timer: PlatformTimer): void {
  platform.clearTimeout(timer);
}

export function print(...things: unknown[]): void {
  platform.console.error(...things);
}

const settled = /* @__PURE__ */ Promise.resolve();

/** Calls back when the call that is made now has returned. */
export function microtask(fn: () => void): void {
  void settled.then(fn);
}

/** Calls back after the platform has looked at its timers and input. */
export const macrotask = /* @__PURE__ */ chooseMacrotask();

function chooseMacrotask(): (fn: () => void) => unknown {
  const { setImmediate, MessageChannel } = platform;
  return setImmediate ?? (MessageChannel ? viaChannel(MessageChannel) : (fn) => startTimer(fn, 0));
}

function viaChannel(Channel: new () => { port1: Port; port2: Port }): (fn: () => void) => void {
  const queue: (() => void)[] = [];
  let port: Port | undefined; // made by who calls first: it stays in the context of that
  return (fn) => {
    queue.push(fn);
    if (port === undefined) {
      const { port1, port2 } = new Channel();
      port1.onmessage = () => queue.shift()?.();
      port = port2;
    }
    port.postMessage(null);
  };
}
