// A tool whose time is a number: nothing sleeps, and every order is the same each time.
//
// pass (what stands in the queue now) -> the clock moves on by 1 ms if the instant was busy -> due timers (as armed before this
// round) -> pass ... Nothing ready: the clock jumps to the next timer. Microtasks run to their end after every callback.

import { misuse } from './error.js';
import { macrotask } from './clock.js';
import { checkDelay, type Timer } from './timers.js';
import { ToolCore, type ToolOptions } from './toolcore.js';

/** Bodies and immediates at one instant that make it a busy one. */
const BUSY_INSTANT = 256;

export class VirtualTool extends ToolCore {
  #time = 0;
  #driven = false;
  #busy = false;
  /** @internal */
  override fuel = BUSY_INSTANT;

  /** Its seed is 0 if none is given. */
  constructor(options: ToolOptions = {}) {
    super(options, 0);
  }

  now(): number {
    return this.#time;
  }

  /** @internal */
  arm(timer: Timer, ms: number): void {
    if (ms !== Infinity) this.timers.push(timer, this.#time + ms);
  }

  /** @internal */
  spent(): boolean {
    this.#busy = true;
    this.fuel = BUSY_INSTANT;
    return false;
  }

  /** Runs till neither a callback nor a timer is left. */
  run(): Promise<void> {
    return this.#drive(Infinity);
  }

  /** Runs everything that is due within that time, and leaves the clock exactly that much later. */
  advance(ms: number): Promise<void> {
    return this.#drive(this.#time + checkDelay('advance', ms));
  }

  #drive(until: number): Promise<void> {
    if (this.#driven) throw misuse('run: the tool is running');
    this.#driven = true;
    return this.#loop(until).finally(() => {
      this.#driven = false;
    });
  }

  async #loop(until: number): Promise<void> {
    await microtasks();
    for (;;) {
      await this.#pass();
      const busy = this.#busy || this.fuel <= 0;
      const over = busy && this.#time === until;
      if (busy && !over) this.#setTime(this.#time + 1);
      await this.#fireDue();
      if (over) return;
      if (!this.queue.isEmpty()) continue;
      const next = this.timers.first();
      if (next === undefined || next.due > until) break;
      if (next.due > this.#time) this.#setTime(next.due);
    }
    if (until !== Infinity) this.#setTime(until);
  }

  async #pass(): Promise<void> {
    const end = this.queue.tail;
    for (let node = this.queue.shift(end); node !== null;) {
      node.turn();
      await microtasks();
      node = this.queue.shift(end);
    }
  }

  async #fireDue(): Promise<void> {
    const { timers } = this;
    const end = timers.armed;
    for (;;) {
      const timer = timers.takeDue(this.#time, end);
      if (timer === null) return;
      timer.fire();
      await microtasks();
    }
  }

  #setTime(time: number): void {
    this.#time = time;
    this.#busy = false;
    this.fuel = BUSY_INSTANT;
  }
}

function microtasks(): Promise<void> {
  return new Promise((done) => void macrotask(done));
}
