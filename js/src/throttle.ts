// Entries for lines, so many in a time. When the next may enter is the algorithm's business; here stand those who wait for it.
//
// - While somebody waits nobody else enters: who comes goes to the end of the queue.
// - Each tool of whose lines one waits has a timer of its own armed, for when the next may enter. Whichever comes first lets in.

import type { IAsyncSteps, ISync } from './iasyncsteps.js';
import { FixedWindow } from './admission.js';
import type { Step } from './step.js';
import type { Timer } from './timers.js';
import type { ToolCore } from './toolcore.js';
import { checkLimit, lockingStep, reject, type Waiter, Waiters } from './waiters.js';

/** The timer of a tool that has waiting lines. */
class Tick implements Timer {
  declare due: number;
  declare order: number;
  declare place: number;
  declare readonly tool: ToolCore;
  declare waiting: number;
  declare private readonly ticked: (tick: Tick) => void;

  constructor(tool: ToolCore, ticked: (tick: Tick) => void) {
    this.due = 0;
    this.order = 0;
    this.place = -1;
    this.tool = tool;
    this.waiting = 0;
    this.ticked = ticked;
  }

  fire(): void {
    this.ticked(this);
  }
}

/**
 * Lets at most `max` lines in during a window of `period` milliseconds, nested entries too; the others wait in the order of coming,
 * at most `maxQueue` of them. Windows are fixed: around a window's end twice as many may enter within one period.
 */
export class Throttle implements ISync {
  readonly #admission: FixedWindow;
  readonly #waiters: Waiters;
  readonly #ticks: Tick[] = [];
  readonly #ticked = (tick: Tick): void => this.#admitWaiting(tick);

  constructor(max = 1, period = 1000, maxQueue = 0) {
    this.#admission = new FixedWindow(checkLimit('max', max, 1), checkLimit('period', period, 1));
    this.#waiters = new Waiters(checkLimit('maxQueue', maxQueue, 0));
  }

  /**
   * Enters for the step whose body runs: at once, or in a later window. Leaves the queue when the step is cancelled or timed out.
   * `DefenseRejected` if the queue is full.
   */
  lock(asi: IAsyncSteps): void {
    const step = lockingStep(asi);
    if (!this.enter(step)) this.#wait(step);
  }

  /** Does nothing: an entry is spent. */
  unlock(_asi: IAsyncSteps): void {}

  /** @internal Enters if that's possible at once. Whether it was; raises what forbids to wait. */
  enter(step: Step): boolean {
    const now = toolOf(step).now();
    if (this.#waiters.isEmpty() && this.#admission.admit(now)) return true;
    if (this.#waiters.isFull()) reject(step, 'throttle');
    return false;
  }

  #wait(step: Step): void {
    const waiter = this.#waiters.push(step);
    step.setCancel(() => this.#leave(waiter));
    const tick = this.#tickOf(toolOf(step));
    if (tick.waiting++ === 0) this.#arm(tick);
  }

  #leave(waiter: Waiter): void {
    if (!this.#waiters.remove(waiter)) return;
    const tick = this.#tickOf(toolOf(waiter.step));
    if (--tick.waiting > 0) return;
    tick.tool.disarm(tick);
    this.#ticks.splice(this.#ticks.indexOf(tick), 1);
  }

  #admitWaiting(tick: Tick): void {
    const now = tick.tool.now();
    this.#admission.tick(now);
    for (let waiter = this.#waiters.first(); waiter !== null; waiter = this.#waiters.first()) {
      if (waiter.completion.valid() && !this.#admission.admit(now)) break;
      this.#leave(waiter);
      waiter.completion.success();
    }
    if (tick.waiting > 0) this.#arm(tick);
  }

  #arm(tick: Tick): void {
    tick.tool.arm(tick, this.#admission.delay(tick.tool.now()));
  }

  #tickOf(tool: ToolCore): Tick {
    let tick = this.#ticks.find((known) => known.tool === tool);
    if (tick === undefined) this.#ticks.push((tick = new Tick(tool, this.#ticked)));
    return tick;
  }
}

function toolOf(step: Step): ToolCore {
  return step.line.flow.settings.tool;
}
