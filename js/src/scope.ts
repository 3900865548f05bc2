// An owner of flows, which closes them together.
//
// A flow is one of the scope until its end is told: so whoever hears that the scope has ended has heard of all its flows.

import { AsyncSteps, type AsyncStepsOptions, promised, RUN } from './asyncsteps.js';
import { errors } from './codes.js';
import { inNode } from './context.js';
import { tellClosed, tellSoon } from './end.js';
import { badArgument, checkOptions } from './error.js';
import { assign, INSPECT } from './errortext.js';
import { FlowLook } from './flowlook.js';
import type { IAsyncSteps } from './iasyncsteps.js';
import type { BindItsValues, First, Ready, ResultOf } from './istep.js';
import { snapshotText } from './snapshottext.js';
import { start, type StartOptions } from './start.js';
import { checkPart } from './steps.js';
import { checkDelay } from './timers.js';
import { type Handle, ToolCore } from './toolcore.js';
import { quoted } from './waittext.js';

/** Of a scope: its tool, and what its flows have where a start says nothing else. */
export type ScopeOptions = Omit<AsyncStepsOptions, 'state'>;

/** Of a flow whose end a promise tells. */
export type ScopeRunOptions = Omit<StartOptions, 'done'>;

/**
 * Owns the flows that it starts, and ends them together: those of a listener, a client, a test. It belongs to its tool. A server gives it an
 * `unhandled`: a client that hangs up is an error of its flow, and what nobody hears of is thrown, uncaught.
 * Guide: docs/server.md#a-server-in-node
 *
 *     const clients = new Scope({ unhandled: (code, info) => console.warn(code, info) });
 *     clients.start(converse.with(socket));
 *     process.on('SIGTERM', () => void clients.drain(5000).then(() => server.close()));
 */
export class Scope {
  readonly #tool: ToolCore;
  readonly #options: ScopeOptions;
  readonly #flows = new Set<AsyncSteps>();
  /** Who waits for the end. */
  #waiting: (() => void)[] = [];
  /** How many flows closing it has met. */
  #met = 0;
  #limit: Handle | null = null;
  #drains = false;
  #closed = false;

  /** Its flows run on `tool`, with these options, but for each that a start has itself. */
  constructor(options: ScopeOptions = {}) {
    if (ToolCore.is(options)) badArgument('Scope', '{ tool }', options);
    checkOptions('Scope', options, 'tool name burst grace unhandled report captureStacks');
    this.#options = { ...options };
    this.#tool = new AsyncSteps(this.#options).settings.tool;
    const state = () => (this.#closed ? ', closed' : this.#drains ? ', draining' : '');
    if (inNode) inspectable(this, this.#tool, this.#options.name, this.#flows, state);
  }

  /**
   * Runs a body or a step value in a flow of its own, as `start` of the tool does; the flow ends with the scope at the latest. An error of it
   * goes to `done`; without that to `unhandled` of these options, else of the scope's; without that it is thrown, uncaught. Once the scope
   * drains or is closed it isn't run, and the error is `Closed`: who still gets requests then answers them in `done`, or uses `run`.
   * Guide: docs/server.md
   *
   *     clients.start(converse.with(socket), { done: () => socket.destroy() });
   */
  start(step: Ready<unknown, BindItsValues>, options?: StartOptions): void {
    const over = this.#over('start', options);
    checkPart('start', step);
    if (this.#drains) start(this.#tool, refused, over);
    else start(this.#tool, step, over, (flow, execute) => this.#own(flow, execute));
  }

  /**
   * Runs a body or a step value in a flow of its own, which is one of the scope, and gives a promise of its first value, as `run` does; the
   * promise fails with `Canceled` when the scope is closed. Once the scope drains or is closed it isn't run, and fails with `Closed`.
   * Guide: docs/server.md
   *
   *     const page = await clients.run(profile.with('42'));
   */
  run<R>(step: Ready<R, BindItsValues>, options?: ScopeRunOptions): Promise<First<ResultOf<R>>> {
    const over = { ...this.#over('run', options), tool: this.#tool };
    checkPart('run', step);
    const flow = new AsyncSteps(over, 'run', RUN).add(this.#drains ? refused : step);
    const promise = () => promised<First<ResultOf<R>>>(flow, 'run', over);
    return this.#drains ? promise() : this.#own(flow, promise);
  }

  /**
   * Cancels all flows of the scope that run, in the order in which they were started; none is started any more. Settles from the tool, after
   * every `done`, when nothing of them is open: what is shielded and what has to be cleaned up has ended; with the `size` when it was closed.
   * Closing twice is allowed, and settles with the same number. Guide: docs/production.md#shutdown
   *
   *     const cancelled = await clients.close('shutdown');
   */
  close(reason?: string): Promise<number> {
    checkReason('close', reason);
    const ended = this.#ended(); // before those whom a cancel handler asks for
    this.#drains = true;
    if (!this.#closed) {
      this.#closed = true;
      this.#limit?.cancel();
      this.#met = this.#flows.size;
      for (const flow of [...this.#flows]) flow.cancel(reason);
    }
    return ended;
  }

  /**
   * Lets what runs end by itself, for so many milliseconds, then closes the scope; none is started any more. `Infinity`: as long as it takes.
   * Settles as `close()` does, which hurries it; with 0 if the time was enough. A further `drain` sets the time anew. Cleanups of what is
   * closed come on top, at most `grace` of each flow. A flow of the scope that awaits it waits for itself. Negative or NaN: `InternalError`.
   * Guide: docs/production.md#shutdown
   *
   *     const cancelled = await clients.drain(5000);
   */
  drain(ms: number, reason?: string): Promise<number> {
    const limit = checkDelay('drain', ms);
    checkReason('drain', reason);
    this.#drains = true;
    if (!this.#closed && this.#flows.size > 0) {
      this.#limit?.cancel();
      this.#limit = this.#tool.deferred(limit, () => void this.close(reason));
    }
    return this.#ended();
  }

  /** Whether `drain` or `close` was called, so that nothing is started any more: what serves a client may end after this answer. */
  get draining(): boolean {
    return this.#drains;
  }

  /** How many flows of the scope have not ended yet, so what a drain would wait for. */
  get size(): number {
    return this.#flows.size;
  }

  /** For `await using`: closes the scope, and settles when that has. */
  async [Symbol.asyncDispose](): Promise<void> {
    await this.close();
  }

  /** What isn't given is the scope's. */
  #over(call: string, options: StartOptions | undefined): StartOptions {
    if (options === undefined) return this.#options;
    const given = Object.entries(checkOptions(call, options));
    return {
      ...this.#options,
      ...Object.fromEntries(given.filter(([, own]) => own !== undefined)),
    };
  }

  /** It's one of the scope before anybody hears that it has begun. */
  #own<T>(flow: AsyncSteps, execute: () => T): T {
    this.#flows.add(flow);
    try {
      return execute();
    } finally {
      tellClosed(flow, () => this.#leave(flow));
    }
  }

  #leave(flow: AsyncSteps): void {
    this.#flows.delete(flow);
    if (!this.#drains || this.#flows.size > 0) return;
    this.#limit?.cancel();
    for (const tell of this.#waiting.splice(0)) tell();
  }

  #ended(): Promise<number> {
    return new Promise((resolve) => {
      const tell = () => resolve(this.#met);
      if (this.#flows.size > 0) this.#waiting.push(tell);
      else tellSoon(this.#tool, tell);
    });
  }
}

/** Node's consoles show its state and its flows. */
function inspectable(
  scope: Scope,
  tool: ToolCore,
  name = '',
  flows: ReadonlySet<AsyncSteps>,
  state: () => string,
): void {
  const inspected = (_depth: number, { colors }: { colors: boolean }) => {
    const { size } = flows;
    const head = `scope${quoted(name)}${state()}, ${size === 1 ? '1 flow' : `${size} flows`}`;
    const look = new FlowLook(tool);
    const shown = { time: tool.now(), flows: [...flows].map((flow) => look.flow(flow)) };
    const text = () => snapshotText({ ...shown, guards: look.guards.guards() }, { color: colors });
    return size === 0 ? head : `${head}\n${text()}`;
  };
  assign(scope, INSPECT, inspected);
}

/** In the place of what comes too late. */
function refused(asi: IAsyncSteps): void {
  asi.errorNoThrow(errors.Closed, 'the scope drains, or is closed');
}

function checkReason(call: string, reason: unknown): void {
  if (reason !== undefined && typeof reason !== 'string') badArgument(call, 'a string', reason);
}
