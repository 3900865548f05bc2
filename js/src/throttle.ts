// Entries for lines, so many in a time. When the next may enter is the algorithm's business; here stand those who wait for it.
//
// - While somebody waits nobody else enters: who comes goes to the end of the queue.
// - Each tool of whose lines one waits has a timer of its own armed, for when the next may enter. Whichever comes first lets in.

import { badArgument } from './error.js';
import { Guard } from './guard.js';
import type { IAsyncSteps } from './iasyncsteps.js';
import { type Admission, Bucket, FixedWindow, SlidingWindow } from './admission.js';
import type { Step } from './step.js';
import type { Timer } from './timers.js';
import type { ToolCore } from './toolcore.js';
import type { Line } from './tree.js';
import { checkLimit, reject, Waiter, Waiters } from './waiters.js';

/** The timer of a tool that has waiting lines. */
class Tick implements Timer {
  due = 0;
  order = 0;
  place = -1;
  declare readonly tool: ToolCore;
  waiting = 0;
  declare private readonly ticked: (tick: Tick) => void;

  constructor(tool: ToolCore, ticked: (tick: Tick) => void) {
    this.tool = tool;
    this.ticked = ticked;
  }

  fire(): void {
    this.ticked(this);
  }
}

export interface ThrottleOptions {
  /** How many may enter in a period; 1 if absent. */
  max?: number | undefined;
  /** In milliseconds; 1000 if absent. */
  period?: number | undefined;
  /** How many may wait; 0 if absent. */
  maxQueue?: number | undefined;
  /**
   * `fixed` if absent: windows of a period, so that around the end of one twice `max` may enter within a period. `sliding`: never
   * more than `max` in any period. `bucket`: at a steady rate, and `capacity` at once after a rest. [sync-62, sync-63, sync-65]
   */
  algorithm?: 'fixed' | 'sliding' | 'bucket' | undefined;
  /** What a bucket holds; `max` if absent. */
  capacity?: number | undefined;
}

/**
 * Lets at most `max` lines in during `period` milliseconds, nested entries too; the others wait in the order of coming, at most
 * `maxQueue` of them. `DefenseRejected` if the queue is full, with `retry_after`. [sync-50, sync-52, sync-55, sync-56, sync-59, sync-67]
 */
export class Throttle extends Guard {
  readonly #admission: Admission;
  readonly #waiters: Waiters;
  readonly #ticks: Tick[] = [];
  readonly #left = (asi: IAsyncSteps): void => this.#remove((asi as Step).work);
  readonly #ticked = (tick: Tick): void => this.#admitWaiting(tick);

  /** `InternalError` for a bad limit. [sync-45, sync-47, sync-48, sync-77] */
  constructor(options: ThrottleOptions);
  constructor(max?: number, period?: number, maxQueue?: number);
  constructor(first: ThrottleOptions | number = 1, period = 1000, maxQueue = 0) {
    super();
    const options =
      Object(first) === first
        ? (first as ThrottleOptions)
        : { max: first as number, period, maxQueue };
    const { maxQueue: most = 0 } = options;
    this.#admission = admissionOf(options);
    this.#waiters = new Waiters(checkLimit('maxQueue', most, 0));
  }

  /** @internal */
  admit(line: Line): boolean {
    return this.#waiters.isEmpty() && this.#admission.admit(toolOf(line).now());
  }

  /** @internal */
  wait(lock: Step): void {
    this.mayWait(lock);
    this.#waiters.push(new Waiter(lock, this.#left, toolOf(lock.line)));
    const tick = this.#tickOf(toolOf(lock.line));
    if (tick.waiting++ === 0) this.#arm(tick);
  }

  /** @internal Raises what forbids that. */
  mayWait(lock: Step): void {
    if (this.#waiters.isFull()) reject(lock, 'throttle', this.#delay(toolOf(lock.line).now()));
  }

  /** @internal An entry is spent. [sync-55] */
  leave(): void {}

  #remove(waiter: Waiter): void {
    if (!this.#waiters.remove(waiter)) return;
    const tick = this.#tickOf(waiter.what as ToolCore);
    if (--tick.waiting > 0) return;
    tick.tool.disarm(tick);
    this.#ticks.splice(this.#ticks.indexOf(tick), 1);
  }

  #admitWaiting(tick: Tick): void {
    const now = tick.tool.now();
    this.#admission.tick(now);
    let waiter: Waiter | null;
    while ((waiter = this.#waiters.first()) !== null) {
      if (waiter.valid() && !this.#admission.admit(now)) break;
      this.#remove(waiter);
      waiter.success();
    }
    if (tick.waiting > 0) this.#arm(tick);
  }

  #arm(tick: Tick): void {
    tick.tool.arm(tick, this.#delay(tick.tool.now()));
  }

  /** Another tool's clock may be ahead of the one whose timer is to let somebody in. */
  #delay(now: number): number {
    return Math.max(0, this.#admission.delay(now));
  }

  #tickOf(tool: ToolCore): Tick {
    let tick = this.#ticks.find((known) => known.tool === tool);
    if (!tick) this.#ticks.push((tick = new Tick(tool, this.#ticked)));
    return tick;
  }
}

function admissionOf(options: ThrottleOptions): Admission {
  const { max = 1, period = 1000, algorithm = 'fixed', capacity = max } = options;
  checkLimit('max', max, 1);
  checkLimit('period', period, 1);
  checkLimit('capacity', capacity, 1);
  if (algorithm === 'fixed') return new FixedWindow(max, period);
  if (algorithm === 'sliding') return new SlidingWindow(max, period);
  if (algorithm === 'bucket') return new Bucket(max, period, capacity);
  return badArgument('algorithm', "'fixed', 'sliding' or 'bucket'", algorithm);
}

function toolOf(line: Line): ToolCore {
  return line.flow.settings.tool;
}
