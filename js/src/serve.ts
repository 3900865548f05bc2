// What `serve` takes and gives; what it does stands in `serving`.

import { defaultTool, type Part, type Step } from './index.js';
import {
  checkNames,
  checkOpen,
  expected,
  handlerIn,
  mistake,
  numberIn,
  wholeIn,
} from './redisoptions.js';
import type { ArgumentsOf, MethodOf, RedisService } from './redisservice.js';
import type { ServedCall } from './servedcall.js';
import { signalIn } from './drainsignal.js';
import { Serving, type ServerSettings } from './serving.js';
import { warn } from './taker.js';
import type { ToolCore } from './toolcore.js';

/** Of `serve`. */
export interface ServeOptions {
  /** How many calls run at a time, 1 to 10,000. The others wait in Redis, for whichever server has room. Default: 100. */
  concurrency?: number | undefined;
  /** Whether these are arguments for that method. If not, or if it throws, the call fails with `InvalidCall`. Default: all are. */
  accepts?: ((args: readonly unknown[], method: string) => boolean) | undefined;
  /** Is given each call and what starts its flow, which it calls at once, within a context of its own: `inTrace` of `steptree/otel`. Default: nothing is around. */
  around?: ((call: ServedCall, start: () => void) => void) | undefined;
  /** A signal of the process at which it drains, `'SIGTERM'`; then the process ends by it, unless something else listens to it. Default: none. */
  drainOn?: string | undefined;
  /** How long it drains at that signal, in milliseconds. Default: 5000. */
  grace?: number | undefined;
  /** The tool of its flows. Default: `defaultTool`. */
  tool?: ToolCore | undefined;
  /**
   * Gets what goes wrong beside the calls: what Redis or its client says, which is tried again anyway; and what a handler fails with that has no code of its
   * own, such as a `TypeError`: its mistakes. Default: a warning of the process, in Node.
   */
  report?: ((error: unknown) => void) | undefined;
}

/** What `serve` takes for each method: a step value or a body, which finds the arguments, a list, and the call. */
export type Handlers<S> = {
  readonly [M in MethodOf<S>]?: Part<[args: ArgumentsOf<S, M>, call: ServedCall], unknown>;
};

/** What `serve` gives. */
export interface Server {
  /** How many calls it has. */
  readonly size: number;
  /**
   * Takes no more calls, lets those that run end by themselves for so many milliseconds, then cancels them: they fail with `CallLost`.
   * Settles with how many these were, once nothing of the server is left. A second call gives the same. Guide: docs/calls.md#shutdown
   *
   *     await bookServer.drain(5000);
   */
  drain(ms: number): Promise<number>;
  /** For `await using`: drains without waiting. */
  [Symbol.asyncDispose](): Promise<void>;
}

const known = 'concurrency accepts around drainOn grace tool report';

/**
 * Serves methods of a service. Each call is a flow of its own, in which the handler finds the arguments, a list, and the `ServedCall`: its first value is the
 * reply. The flow has the time that the caller has left; it's cancelled when the caller's step is, or when its process is lost. Any number of
 * processes serve: one that has room gets the next call. A guard for all calls is the handler's: `sync(guard, quote)`. Bad options: `InternalError` at the call; a connection that is closed: `Closed`. Guide: docs/calls.md#a-server
 *
 *     const bookServer = serve(books, { quote: (asi, [isbn, copies]) => copies * 7 });
 */
export function serve<S>(
  service: RedisService<S>,
  handlers: Handlers<S>,
  options: ServeOptions = {},
): Server {
  if (typeof service?.caller?.ask !== 'function') throw mistake('serve: expected a RedisService');
  const given = checkNames('serve', options, known);
  const settings: ServerSettings = {
    concurrency: wholeIn('serve: concurrency', given.concurrency ?? 100, 1, 10_000),
    accepts: given.accepts ?? (() => true),
    around: given.around ?? ((_call, start) => start()),
    drainOn: signalIn('serve', given.drainOn),
    grace: numberIn('serve: grace', given.grace ?? 5000, 0, Infinity),
    tool: given.tool ?? defaultTool,
    report: given.report ?? warn('serve'),
    lease: service.limits.lease,
  };
  for (const fn of ['accepts', 'around', 'report'] as const)
    if (typeof settings[fn] !== 'function') throw mistake(`serve: ${fn}: expected a function`);
  const steps = handlersOf(handlers);
  checkOpen('serve', service.connection);
  return new Serving(service, steps, settings);
}

function handlersOf(handlers: object): Map<string, Step> {
  const found = new Map<string, Step>();
  if (typeof handlers !== 'object' || handlers === null || Array.isArray(handlers))
    throw expected('serve: handlers', 'an object with a handler for each method', handlers);
  for (const [method, handler] of Object.entries(handlers)) {
    if (handler !== undefined) found.set(method, handlerIn(`serve: ${method}`, handler));
  }
  if (found.size === 0) throw mistake('serve: handlers: expected at least one');
  return found;
}
