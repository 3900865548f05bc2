// The tool on the platform's own loop.
//
// - One microtask starts a batch, which runs the queue till it is empty. When the slice of 1 ms is over, the batch ends and a
//   macrotask goes on with it, so timers and input get their turn.
// - A slice ends with the macrotask that was asked for when it began, so what microtasks resume belongs to it, and what an
//   event starts has one of its own. It begins when the clock is first read: small things need neither clock nor macrotask.
// - Reading the clock costs as much as a step, so it is read every `interval` bodies: 64, fewer after bodies that proved slow. Once half a
//   millisecond has passed between two readings it is read after each body, till 64 of them were short: then what is due is noticed
//   before what the body has left is done, the batch ends, and the next one begins with timers. What runs no body counts as one, as
//   even a flow without steps takes time.
// - One platform timer serves all. It is armed for the earliest due time or earlier, and holds the process only while a timer
//   is armed.
// - Whatever the platform calls it calls outside of any context: who has armed it is no matter of what runs then. A settlement brings the
//   context in which it was asked for, which is left first while somebody uses contexts. Whether somebody does is asked when the
//   tool wakes and once a slice: asked for each settlement it's 3 % of `await`.

import { clock, macrotask, microtask, type PlatformTimer, startTimer, stopTimer } from './clock.js';
import { contextsInUse, inNode, outside } from './context.js';
import { checkOptions } from './error.js';
import type { QueueNode } from './runqueue.js';
import type { Timer } from './timers.js';
import { ToolCore, type ToolOptions } from './toolcore.js';

const SLICE = 1;
const SLOW = 0.5;
const MOST = 64;
/** For so many readings after a slow one it is read after each body. */
const WARY = 64;
const LONGEST = 0x7fffffff;
/** A slice in which the clock has been read so often is over: it may be one that a test has stopped. */
const MOST_READS = 8192;

/**
 * The event loop of real time, on the platform's own. Guide: docs/waiting.md#event-loops
 *
 *     const tool = new AsyncTool({ seed: 7 });
 *     tool.start(converse.with(socket));
 */
export class AsyncTool extends ToolCore {
  /** @internal */
  override readonly batches = true;
  /** @internal */
  override attentive = true;
  #awake = false;
  /** Somebody may use contexts. */
  #contexts = inNode;
  #inside = false;
  #inSlice = false;
  #over = false;
  #late = false;
  #interval = 1;
  #wary = WARY;
  #sliceStart = 0;
  #lastRead = 0;
  #reads = 0;
  #platform: PlatformTimer | null = null;
  #platformDue = Infinity;
  #holding = false;
  readonly #start = (first?: QueueNode) => this.#batch(first);
  readonly #goOn = () => this.#nextSlice();
  readonly #tick = () => {
    this.#platform = null;
    this.#platformDue = Infinity;
    this.#fireDue();
  };

  /** The event loop of real time, on the platform's own. `InternalError` for a bad option; the seed is by chance if none is given. */
  constructor(options: ToolOptions = {}) {
    super(checkOptions('AsyncTool', options, 'seed'));
  }

  now(): number;
  /** @internal */
  now(round?: (time: number) => number): number;
  now(round = Math.floor): number {
    return round(clock());
  }

  /** @internal */
  override enqueue(node: QueueNode): void {
    if (node.slot >= 0) return;
    this.queue.push(node);
    if (this.#awake) return;
    this.#awake = true;
    if (inNode && (this.#contexts = contextsInUse())) outside(microtask, this.#start);
    else microtask(this.#start);
  }

  /** @internal A microtask can do what it would else schedule another one for. It may bring a context with it. */
  override resume(node: QueueNode): void {
    if (this.#awake) return this.enqueue(node);
    this.#awake = true;
    if (inNode && this.#contexts) outside(this.#start, node);
    else this.#batch(node);
  }

  /** @internal */
  spent(): boolean {
    if (this.#inSlice) this.#look();
    else this.#beginSlice();
    const now = this.#lastRead;
    this.#late = this.#isDue(now);
    this.#over = this.#late || now - this.#sliceStart >= SLICE || ++this.#reads > MOST_READS;
    return this.#over;
  }

  #look(): void {
    const now = clock();
    const took = now - this.#lastRead;
    const interval = this.#interval;
    this.#lastRead = now;
    if (took >= SLOW) this.#wary = WARY;
    if (this.#wary > 0) {
      this.#wary--;
      this.#interval = 1;
    } else {
      const fitting = (SLICE * interval) / took;
      this.#interval = Math.max(1, Math.min(fitting, 2 * interval, MOST) | 0);
    }
    this.fuel = this.#interval;
    this.attentive = this.fuel === 1;
  }

  /** @internal */
  isLate(): boolean {
    if (this.timers.size === 0) return false;
    const now = clock();
    return now - this.#lastRead >= SLOW && this.#isDue(now);
  }

  #isDue(now: number): boolean {
    const first = this.timers.first();
    return first !== undefined && first.due <= now;
  }

  /** What a batch begins with may have come late: from an event, or from work of the program between two of them. */
  #isLateNow(): boolean {
    return this.timers.size > 0 && this.#isDue(clock());
  }

  #beginSlice(): void {
    this.#inSlice = true;
    if (inNode) this.#contexts = contextsInUse();
    this.#sliceStart = this.#lastRead = clock();
    this.fuel = this.#interval;
    this.#reads = 0;
    outside(macrotask, this.#goOn);
  }

  /** @internal */
  arm(timer: Timer, ms: number): void {
    if (ms === Infinity) return;
    const due = this.now(Math.ceil) + ms;
    this.timers.push(timer, due);
    if (due < this.#platformDue) this.#rearm(due);
    this.#hold();
  }

  /** @internal */
  override disarm(timer: Timer): void {
    super.disarm(timer);
    if (!this.#inside) this.#hold();
  }

  /**
   * Runs the queue, and `first` if that is empty. An exception would be a mistake of ours: it costs one node its turn, not the tool
   * its life.
   */
  #batch(first: QueueNode | null = null): void {
    const { queue } = this;
    let next = first;
    try {
      if (this.#isLateNow()) {
        if (next !== null) queue.push(next);
        next = null;
        this.#fireDue();
      }
      this.#inside = true;
      while (!this.#over && (this.fuel > 0 || !this.spent())) {
        const node = next ?? queue.shift();
        if (node === null) break;
        next = null;
        const { fuel } = this;
        node.turn();
        if (this.fuel === fuel) this.fuel--;
      }
    } finally {
      if (next !== null) queue.push(next);
      this.#leave();
      if (queue.isEmpty()) this.#awake = false;
      else if (!this.#inSlice) this.#beginSlice();
    }
  }

  #nextSlice(): void {
    this.#inSlice = this.#over = false;
    if (this.#late) this.#fireDue();
    if (!this.#awake) return;
    this.#beginSlice();
    this.#batch();
  }

  /** Disarming inside a batch leaves the platform timer to this. */
  #leave(): void {
    this.#inside = false;
    this.#hold();
  }

  #rearm(due: number): void {
    if (this.#platform !== null) stopTimer(this.#platform);
    const delay = Math.min(Math.max(0, due - clock()), LONGEST);
    this.#platformDue = due;
    this.#platform = outside(startTimer, this.#tick, delay);
  }

  /** Only Node can let go of a timer. One that is new holds the process. */
  #hold(): void {
    const holding = this.timers.size > 0;
    if (!inNode || holding === this.#holding) return;
    this.#holding = holding;
    if (holding) this.#platform?.ref?.();
    else this.#platform?.unref?.();
  }

  #fireDue(): void {
    const { timers } = this;
    this.#late = false;
    this.#inside = true;
    const now = clock();
    const end = timers.armed;
    try {
      for (;;) {
        const timer = timers.takeDue(now, end);
        if (timer === null) break;
        timer.fire();
      }
    } finally {
      this.#leave();
      const next = timers.first();
      if (next !== undefined && next.due < this.#platformDue) this.#rearm(next.due);
    }
  }
}

/** The tool of flows that are given none. */
export const defaultTool = /* @__PURE__ */ new AsyncTool();
