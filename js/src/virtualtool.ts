// A tool whose time is a number: nothing sleeps, and every order is the same each time.
//
// pass (what stands in the queue now) -> the clock moves on by 1 ms if the instant was busy -> due timers (as armed before this
// round) -> pass ... Nothing ready: the clock jumps to the next timer. Microtasks run to their end after every callback.
//
// A callback may let time pass; if a timer is due then, the pass ends behind it.
//
// Alarms of who observes come behind all else of their instant. They are no work: nobody waits for them, unless time goes there anyway.
//
// With an order a pass takes one thing only, which the order chooses, or a due timer in its place.

import { badArgument, checkOptions, misuse } from './error.js';
import { macrotask } from './clock.js';
import { outside } from './context.js';
import { type Order, orderOf } from './order.js';
import type { QueueNode } from './runqueue.js';
import { checkDelay, type Timer, TimerHeap } from './timers.js';
import { ToolCore, type ToolOptions } from './toolcore.js';

/** Bodies and immediates at one instant that make it a busy one. */
const BUSY_INSTANT = 256;

/** Of a `VirtualTool`. */
export interface VirtualToolOptions extends ToolOptions {
  /**
   * What comes next where several things are ready: lines, the first immediate, the first due timer. 0: first come, first served. Another
   * whole number below 2^32: what the numbers of that seed choose, the same in both languages. A list of such numbers: these choices, then 0
   * for ever; `alternatives()` tells how many each had.
   */
  order?: number | readonly number[] | undefined;
}

/**
 * For tests: also in the place of fake timers, which a flow on `AsyncTool` only sees if they stand in for `performance.now` too (those of
 * `node:test` don't). Its time is exact up to 2^53 ms; beyond that, timers of a millisecond don't move it. Guide: docs/testing.md
 *
 *     const tool = new VirtualTool();
 *     const done = run(poll, { tool });
 *     await tool.run();
 */
export class VirtualTool extends ToolCore {
  readonly #order: Order | null;
  #time = 0;
  #driven = false;
  /** Where a pass that had to end before ends. */
  #rest: number | null = null;
  /** When timers were looked at last. */
  #looked = 0;
  /** Bodies and immediates so far, and since when. */
  #ran = 0;
  #instant = 0;
  /** @internal */
  override attentive = true;
  /** @internal */
  override readonly alarms = new TimerHeap();

  /** An event loop for tests. `InternalError` for a bad option; seed and order are 0 if none is given. */
  constructor(options: VirtualToolOptions = {}) {
    super(checkOptions('VirtualTool', options, 'seed order'), 0);
    const { order = 0 } = options;
    this.#order = orderOf(order);
  }

  /** How many things there were to choose from at each choice so far, if the order is a list; else none. */
  alternatives(): readonly number[] {
    return this.#order?.alternatives ?? [];
  }

  now(): number {
    return this.#time;
  }

  /** @internal */
  arm(timer: Timer, ms: number): void {
    if (ms !== Infinity) this.timers.push(timer, this.#time + ms);
  }

  /**
   * The clock moves on by so many milliseconds, rounded up, as if the callback that calls this had worked so long. Nothing is called; timers
   * that are due then fire before the next body or callback.
   */
  elapse(ms: number): void {
    const time = checkDelay('elapse', ms);
    if (time === Infinity) badArgument('elapse', 'a finite time', ms);
    this.#time += time;
  }

  /** @internal */
  spent(): boolean {
    this.#count();
    return this.isLate();
  }

  /** @internal */
  isLate(): boolean {
    return this.#time > this.#looked && this.#isDue();
  }

  #isDue(): boolean {
    return (this.timers.first()?.due ?? Infinity) <= this.#time;
  }

  #count(): void {
    this.#ran += 1 - this.fuel;
    this.fuel = 1;
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
    return outside(() => this.#loop(until)).finally(() => {
      this.#driven = false;
    });
  }

  async #loop(until: number): Promise<void> {
    await microtasks();
    for (;;) {
      if (this.#order !== null) await this.#takeChosen(this.#order);
      else {
        if (!this.queue.isEmpty() && this.isLate()) await this.#fireDue();
        await this.#pass(this.#end());
      }
      const busy = this.#isBusy();
      const over = busy && this.#time >= until;
      if (busy && !over) this.#setTime(this.#time + 1);
      if (this.#order === null || over) await this.#fireDue();
      if (over) return;
      const isReady = !this.queue.isEmpty();
      const next = isReady ? this.#time : (this.timers.first()?.due ?? Infinity);
      if (await this.#ring(next, until)) continue;
      if (isReady) continue;
      if (next === Infinity || next > until) break;
      if (next > this.#time) this.#setTime(next);
    }
    if (until !== Infinity && until > this.#time) this.#setTime(until);
  }

  /** At the end of a pass; one in which time has passed doesn't count. */
  #isBusy(): boolean {
    this.#count();
    if (this.#time !== this.#instant) this.#setTime(this.#time);
    return this.#ran >= BUSY_INSTANT;
  }

  /** The first alarm before what is due next, if it's reached. */
  async #ring(next: number, until: number): Promise<boolean> {
    const last = Math.min(next - 1, until);
    const alarm = this.alarms.takeDue(last === Infinity ? this.#time : last, Infinity);
    if (alarm === null) return false;
    if (alarm.due > this.#time) this.#setTime(alarm.due);
    await this.#fire(alarm);
    return true;
  }

  #end(): number {
    const { queue } = this;
    const rest = this.#rest;
    return rest !== null && queue.hasBefore(rest) ? rest : queue.tail;
  }

  async #pass(end: number): Promise<void> {
    this.#rest = null;
    for (let node = this.queue.shift(end); node !== null; node = this.queue.shift(end)) {
      this.#count();
      node.turn();
      await microtasks();
      if (this.isLate()) {
        this.#rest = end;
        return;
      }
    }
  }

  /** What is chosen goes to the head of the queue, and the pass ends behind it; or it is a timer. */
  async #takeChosen(order: Order): Promise<void> {
    const { queue, timers } = this;
    const ready: QueueNode[] = [];
    for (let node = queue.shift(); node !== null; node = queue.shift()) ready.push(node);
    const alternatives = ready.filter(isAlternative);
    const due = this.#isDue() ? 1 : 0;
    this.#looked = this.#time;
    const choice = order.choose(due + alternatives.length) - due;
    const chosen = alternatives[choice];
    if (chosen !== undefined) queue.push(chosen);
    const end = queue.tail;
    for (const node of ready) if (node !== chosen) queue.push(node);
    if (chosen !== undefined) await this.#pass(end);
    else if (due !== 0) await this.#fire(timers.takeDue(this.#time, timers.armed)!);
  }

  async #fireDue(): Promise<void> {
    const { timers } = this;
    const end = timers.armed;
    const now = (this.#looked = this.#time);
    for (;;) {
      const timer = timers.takeDue(now, end);
      if (timer === null) return;
      await this.#fire(timer);
    }
  }

  async #fire(timer: Timer): Promise<void> {
    timer.fire();
    await microtasks();
  }

  #setTime(time: number): void {
    this.#time = this.#instant = this.#looked = time;
    this.#ran = 0;
    this.fuel = 1;
  }
}

/** A line, or the first callback. */
function isAlternative(node: QueueNode, place: number, ready: readonly QueueNode[]): boolean {
  return !node.isCallback || ready.findIndex((other) => other.isCallback) === place;
}

function microtasks(): Promise<void> {
  return new Promise((done) => void macrotask(done));
}
