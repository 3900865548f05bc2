// What every tool is made of: one queue, one structure of timers, a clock. Who drives it is the subclass's business.

import { inContextOfNow, inNode } from './context.js';
import { checkFunction } from './error.js';
import { throwFresh } from './report.js';
import { type QueueNode, RunQueue } from './runqueue.js';
import type { LineSnapshot, WaitSnapshot } from './isnapshot.js';
import type { BindItsValues, Ready } from './istep.js';
import { isObject } from './portable.js';
import type { StartOptions } from './start.js';
import { checkDelay, type Timer, TimerHeap } from './timers.js';
import type { Watcher } from './tree.js';

/** A pending callback. */
export interface Handle {
  /** The callback is not called any more. Harmless when it isn't pending. */
  cancel(): void;
  /** Whether the callback is pending. */
  valid(): boolean;
}

/** Of the queue or of the timers. */
export class Callback implements QueueNode, Timer, Handle {
  declare slot: number;
  declare due: number;
  declare order: number;
  declare place: number;
  declare private readonly tool: ToolCore;
  declare private fn: (() => void) | null;
  /** How much fuel it takes: what tells of an end takes none. */
  declare private readonly cost: number;

  constructor(tool: ToolCore, fn: () => void, cost = 1) {
    this.slot = this.place = -1;
    this.due = this.order = 0;
    this.tool = tool;
    this.fn = fn;
    this.cost = cost;
  }

  turn(): void {
    this.fire();
    this.tool.fuel -= this.cost;
  }

  fire(): void {
    const fn = this.fn!;
    this.fn = null;
    this.tool.call(fn);
  }

  cancel(): void {
    this.fn = null;
    this.tool.remove(this);
    this.tool.disarm(this);
  }

  valid(): boolean {
    return this.fn !== null;
  }

  get 'steptree.returned'(): string {
    return 'a handle';
  }

  get isCallback(): boolean {
    return true;
  }
}

interface Words {
  /** The next one, 0 to 2^32 - 1. */
  next(): number;
}

let wordsOf: (seed: number) => Words | null = () => null;

/** Who makes tools himself may give them seeds: what makes numbers of these is loaded with the tools' classes only. */
export function seedBy(make: (seed: number) => Words): void {
  wordsOf = make;
}

/** Of a tool. */
export interface ToolOptions {
  /** Of the numbers of `random()`: a whole number below 2^32. Default: by chance; of a `VirtualTool`: 0. */
  seed?: number | undefined;
}

/** Adds to a line what there is of another runtime inside of its innermost step, and to the look the first deadline of that. */
type AddInside = (line: LineSnapshot, look: { readonly now: number; nearest: number }) => void;

/** A flow that has begun and not ended. */
interface LiveFlow {
  before: LiveFlow | null;
  after: LiveFlow | null;
}

export interface ToolCore {
  /**
   * Runs a body or a step value in a flow of its own, which is the tool's: it is live until it ends, whoever keeps it. Its first body runs
   * from the tool. `signal` cancels it, `done` hears of its end, and without that `unhandled` of its error; without that it is thrown,
   * uncaught, which ends a Node process. Several that end together: {@link Scope}. Guide: docs/server.md
   *
   *     tool.start(converse.with(socket), { done: (outcome) => log(outcome.kind) });
   */
  start(step: Ready<unknown, BindItsValues>, options?: StartOptions): void;
}

/**
 * What every event loop has: `AsyncTool`, `VirtualTool`. Guide: docs/waiting.md#event-loops
 *
 *     const handle = tool.deferred(50, tick);
 *     handle.cancel();
 */
// biome-ignore lint/suspicious/noUnsafeDeclarationMerging: what `start` needs is above; its tools inherit it there
export abstract class ToolCore {
  /** Gets what a callback has thrown. Without it that is uncaught, in a stack of its own. */
  onError: ((thrown: unknown) => void) | null = null;
  /** @internal Bodies and immediates that may run before `spent` is asked. Counted down by who runs them. */
  fuel = 1;
  /** @internal Whether `isLate` is to be asked after each body, before what that has left is done. */
  attentive = false;
  /** @internal The step whose body has just taken what would be lost if that did not end now. [timeout-30] */
  taken: object | null = null;
  /** @internal How many frames are being left: their owners' code is on the stack. */
  leaving = 0;
  /** @internal Flows whose cancel waits for the end of the closing that goes on. */
  readonly pending: QueueNode[] = [];
  /** @internal The flow that has begun last of those that are live, which it keeps alive. [owners-2] */
  last: LiveFlow | null = null;
  /** @internal What hears of signals for its flows. In a `WeakMap` of all signals that would be 8 % of `request3`. */
  readonly listeners = new Map<object, unknown>();
  /** @internal Of steps that wait for steps of another runtime: what adds these to snapshots. */
  declare inside?: Map<unknown, AddInside>;
  /** @internal What these wait for, as `waits` of a timeout says it. */
  declare waitsIn?: (
    step: unknown,
    textOf: (waits: WaitSnapshot) => string,
  ) => string[] | undefined;
  /** @internal Who tells its observers, if it has any. */
  watching: Watcher | null = null;
  /** @internal Whether turns may follow one another without the tool. */
  declare readonly batches?: boolean;
  /** @internal Of who observes, if its time is a number: they are no work, and nobody sees them. Else the platform's timers do. */
  declare readonly alarms?: TimerHeap;
  /** @internal */
  readonly queue = new RunQueue();
  /** @internal */
  protected readonly timers = new TimerHeap();
  /**
   * Whether flows that are executed from now on, and callbacks that are scheduled, run in the asynchronous context (`AsyncLocalStorage`,
   * OpenTelemetry's too) of the call that does so; else they see none at all. On at first. It costs nothing where no context is in use, and
   * else some hundred nanoseconds a turn.
   */
  keepContext = true;
  /** Null: the platform's. */
  readonly #words: Words | null;

  /** @internal Whether it is a tool, and no proxy of one. */
  static is(value: unknown): value is ToolCore {
    return isObject(value) && #words in (value as object);
  }

  /** For the runtime: of its heirs. */
  constructor(options: ToolOptions, usual?: number) {
    const { seed = usual } = options;
    this.#words = seed === undefined ? null : wordsOf(seed);
  }

  #kept(fn: () => void): () => void {
    return inNode && this.keepContext ? inContextOfNow(fn) : fn;
  }

  /** Calls `fn` from the tool, after everything that stands in its queue now. */
  immediate(fn: () => void): Handle {
    checkFunction('immediate', fn);
    const immediate = new Callback(this, this.#kept(fn));
    this.enqueue(immediate);
    return immediate;
  }

  /** Calls `fn` from the tool after `ms` milliseconds, rounded up. Any length; `Infinity` never comes; negative or NaN: `InternalError`. */
  deferred(ms: number, fn: () => void): Handle {
    const delay = checkDelay('deferred', ms);
    checkFunction('deferred', fn);
    const timer = new Callback(this, this.#kept(fn));
    this.arm(timer, delay);
    return timer;
  }

  /** The next number of the tool's own sequence: 0 or more and below 1, in steps of 2^-32. */
  random(): number {
    const word = this.#words === null ? Math.floor(Math.random() * 2 ** 32) : this.#words.next();
    return word / 2 ** 32;
  }

  /** How many timers have yet to fire: those of steps, of guards that somebody waits for, and of `deferred`. */
  armedTimers(): number {
    return this.timers.size;
  }

  /** The tool's time in whole milliseconds: since a moment of the platform's, of a `VirtualTool` since it was made. */
  abstract now(): number;
  /** @internal Rounded as due times are. */
  abstract now(round: (time: number) => number): number;

  /** @internal A flow begins. */
  remember(flow: LiveFlow): void {
    const { last } = this;
    if (last !== null) {
      last.after = flow;
      flow.before = last;
    }
    this.last = flow;
  }

  /** @internal It has ended. */
  forget(flow: LiveFlow): void {
    const { before, after } = flow;
    if (before !== null) {
      before.after = after;
      flow.before = null;
    }
    if (after === null) {
      this.last = before;
    } else {
      after.before = before;
      flow.after = null;
    }
  }

  /** @internal */
  enqueue(node: QueueNode): void {
    if (node.slot < 0) this.queue.push(node);
  }

  /** @internal Enqueues from a microtask, where nothing of anybody's is on the native stack. */
  resume(node: QueueNode): void {
    this.enqueue(node);
  }

  /** @internal */
  remove(node: QueueNode): void {
    if (node.slot >= 0) this.queue.remove(node);
  }

  /** @internal */
  abstract arm(timer: Timer, ms: number): void;

  /** @internal */
  disarm(timer: Timer): void {
    if (timer.place >= 0) this.timers.remove(timer);
  }

  /** @internal The fuel has run out: says whether turn and batch are to end, and fuels again. */
  abstract spent(): boolean;

  /** @internal Looks at the clock: whether a timer is due, so that turn and batch end. [tool-56] */
  abstract isLate(): boolean;

  /** @internal What a callback throws is not the loop's business. Short, so that it is inlined. */
  call<T>(fn: (what?: T) => void, what?: T): void {
    try {
      fn(what);
    } catch (thrown) {
      this.failed(thrown);
    }
  }

  /** @internal */
  failed(thrown: unknown): void {
    try {
      if (this.onError === null) throw thrown;
      this.onError(thrown);
    } catch (uncaught) {
      throwFresh(uncaught);
    }
  }
}
