// Entries for lines, so many in a time. When the next may enter is the algorithm's business; here stand those who wait for it.
//
// - While somebody waits nobody else enters: who comes goes to the end of the queue.
// - Each tool of whose lines one waits has a timer of its own armed, for when the next may enter. Whichever comes first lets in.

import { badArgument, checkOptions } from './error.js';
import { Guard } from './guard.js';
import type { IAsyncSteps } from './iasyncsteps.js';
import { type Admission, Bucket, FixedWindow, SlidingWindow } from './admission.js';
import type { Step } from './step.js';
import type { Timer } from './timers.js';
import type { ToolCore } from './toolcore.js';
import type { Line } from './tree.js';
import {
  checkLimit,
  checkName,
  checkQueue,
  type GuardOptions,
  reject,
  Waiter,
  Waiters,
} from './waiters.js';

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

/** Of a `Throttle`. */
export interface ThrottleOptions extends GuardOptions {
  /** How many lines may enter in a period, 1 or more. */
  max: number;
  /** In milliseconds, 1 or more. Default: 1000. */
  period?: number | undefined;
  /**
   * `fixed`: windows of a period, so that around the end of one twice `max` may enter within a period. `sliding`: never more than `max` in
   * any period. `bucket`: at a steady rate, and `burst` at once after a rest. Default: `bucket` if there is a `burst`, else `fixed`.
   */
  algorithm?: 'fixed' | 'sliding' | 'bucket' | undefined;
  /** How many tokens a full bucket holds, so how many may enter at once after a rest, 1 or more. Default: `max`. */
  burst?: number | undefined;
}

const KNOWN = 'max period maxQueue algorithm burst name';

/**
 * Lets at most `max` lines in during `period` milliseconds, nested entries too; the others wait in the order of coming, at most `maxQueue` of
 * them. `DefenseRejected` if the queue is full, with `retry_after`. Guide: docs/limits.md#which-guard
 *
 *     const rate = new Throttle({ max: 100, period: 60_000, burst: 10 });
 */
export class Throttle extends Guard {
  readonly #admission: Admission;
  readonly #maxQueue: number;
  readonly #waiters = new Waiters();
  readonly #ticks: Tick[] = [];
  readonly #left = (asi: IAsyncSteps): void => this.#remove((asi as Step).work);
  readonly #ticked = (tick: Tick): void => this.#admitWaiting(tick);

  /** `InternalError` for a bad option. */
  constructor(options: ThrottleOptions) {
    const { maxQueue = Infinity, name } = checkOptions('Throttle', options, KNOWN);
    super(checkName('Throttle', name));
    this.#admission = admissionOf('Throttle', options);
    this.#maxQueue = checkQueue('Throttle', maxQueue);
  }

  /** @internal */
  get kind(): string {
    return 'throttle';
  }

  /** How many lines wait. */
  get waiting(): number {
    return this.#waiters.length;
  }

  /** @internal */
  override isNew(now?: number): boolean {
    return now !== undefined && this.#waiters.length === 0 && this.#admission.isNew(now);
  }

  /** @internal */
  admit(line: Line): boolean {
    return this.#waiters.length === 0 && this.#admission.admit(toolOf(line).now());
  }

  /** @internal */
  queue(lock: Step): void {
    if (this.#waiters.length >= this.#maxQueue) reject(lock, this, this.delay(lock.line));
    this.#waiters.push(new Waiter(lock, this.#left, toolOf(lock.line)));
    const tick = this.#tickOf(toolOf(lock.line));
    if (tick.waiting++ === 0) this.#arm(tick);
  }

  /** @internal How long till it lets in the next one. */
  delay(line: Line): number {
    return this.#delay(toolOf(line).now());
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

/** @internal `call`: whose options these are. */
export function admissionOf(call: string, options: ThrottleOptions): Admission {
  const { max, period = 1000, burst } = options;
  const { algorithm = burst === undefined ? 'fixed' : 'bucket' } = options;
  checkLimit(`${call}: max`, max, 1);
  checkLimit(`${call}: period`, period, 1);
  if (burst !== undefined) checkLimit(`${call}: burst`, burst, 1);
  if (algorithm === 'bucket') return new Bucket(max, period, burst ?? max);
  if (burst !== undefined) badArgument(`${call}: algorithm`, "'bucket' beside a burst", algorithm);
  if (algorithm === 'fixed') return new FixedWindow(max, period);
  if (algorithm === 'sliding') return new SlidingWindow(max, period);
  return badArgument(`${call}: algorithm`, "'fixed', 'sliding' or 'bucket'", algorithm);
}

function toolOf(line: Line): ToolCore {
  return line.flow.settings.tool;
}
