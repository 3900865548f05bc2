// What every tool is made of: one queue, one structure of timers, a clock. Who drives it is the subclass's business.

import { inContextOfNow, inNode } from './context.js';
import { checkFunction, checkOptions } from './error.js';
import { checkSeed, Random } from './random.js';
import { throwFresh } from './report.js';
import { type QueueNode, RunQueue } from './runqueue.js';
import { checkDelay, type Timer, TimerHeap } from './timers.js';

/** A pending callback. */
export interface Handle {
  /** The callback is not called any more. Harmless when it isn't pending. */
  cancel(): void;
  /** Whether the callback is pending. */
  valid(): boolean;
}

/** Of the queue or of the timers. */
class Callback implements QueueNode, Timer, Handle {
  declare slot: number;
  declare due: number;
  declare order: number;
  declare place: number;
  declare private readonly tool: ToolCore;
  declare private fn: (() => void) | null;

  constructor(tool: ToolCore, fn: () => void) {
    this.slot = this.place = -1;
    this.due = this.order = 0;
    this.tool = tool;
    this.fn = fn;
  }

  turn(): void {
    this.fire();
    this.tool.fuel--;
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

  get '@returned'(): string {
    return 'handle';
  }

  get isCallback(): boolean {
    return true;
  }
}

export interface ToolOptions {
  /** Of the numbers of `random()`: a whole number below 2^32. */
  seed?: number | undefined;
}

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
  /** @internal Whether turns may follow one another without the tool. */
  declare readonly batches?: boolean;
  /** @internal */
  readonly queue = new RunQueue();
  /** @internal */
  protected readonly timers = new TimerHeap();
  /**
   * Whether flows that are executed from now on, and callbacks that are scheduled, run in the asynchronous context
   * (`AsyncLocalStorage`, OpenTelemetry's too) of the call that does so; else they see none at all. On at first. It costs nothing where
   * no context is in use, and else some hundred nanoseconds a turn. [tool-45] [tool-48] [tool-62]
   */
  keepContext = true;
  readonly #seed: number | undefined;
  #random: Random | null = null;

  /** @internal Whether it is a tool, and no proxy of one. */
  static is(value: unknown): value is ToolCore {
    return Object(value) === value && #seed in (value as object);
  }

  constructor(options: ToolOptions, usual?: number) {
    const { seed = usual } = checkOptions('tool', options);
    this.#seed = seed === undefined ? seed : checkSeed(seed);
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

  /** Calls `fn` from the tool after `ms` milliseconds, rounded up. Any length; `Infinity` never comes. */
  deferred(ms: number, fn: () => void): Handle {
    const delay = checkDelay('deferred', ms);
    checkFunction('deferred', fn);
    const timer = new Callback(this, this.#kept(fn));
    this.arm(timer, delay);
    return timer;
  }

  /** The next number of the tool's own sequence: 0 or more and below 1, in steps of 2^-32. [tool-32] */
  random(): number {
    this.#random ??= new Random(this.#seed ?? Math.random() * 2 ** 32);
    return this.#random.next() / 2 ** 32;
  }

  /** How many timers have yet to fire: those of steps, of guards that somebody waits for, and of `deferred`. [tool-36] */
  armedTimers(): number {
    return this.timers.size;
  }

  /** The tool's time in whole milliseconds. */
  abstract now(): number;
  /** @internal Rounded as due times are. */
  abstract now(round: (time: number) => number): number;

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
