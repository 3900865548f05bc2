// Open or closed, for everybody. While it's open nobody waits.

import { checkBoolean, checkOptions } from './error.js';
import { Guard } from './guard.js';
import type { IAsyncSteps } from './iasyncsteps.js';
import type { Step } from './step.js';
import {
  checkName,
  checkQueue,
  type GuardOptions,
  reject,
  stepOf,
  waitAmong,
  Waiters,
  wakeAll,
} from './waiters.js';

/** Of a `Gate`. */
export interface GateOptions extends GuardOptions {
  /** Whether it's open when it's made. Default: `true`. */
  open?: boolean | undefined;
}

/**
 * Lets everybody in while it's open, and nobody while it's closed: who comes then waits, at most `maxQueue` lines. Who is in stays in.
 * `DefenseRejected` if the queue is full. Guide: docs/limits.md#which-guard
 *
 *     const ready = new Gate({ open: false });
 *     asi.sync(ready, converse);
 *     ready.open();
 */
export class Gate extends Guard {
  #open: boolean;
  readonly #maxQueue: number;
  readonly #waiters = new Waiters();

  /** `InternalError` for a bad option. */
  constructor(options: GateOptions = {}) {
    const {
      open = true,
      maxQueue = Infinity,
      name,
    } = checkOptions('Gate', options, 'open maxQueue name');
    super(checkName('Gate', name));
    checkBoolean('Gate: open', open);
    this.#open = open;
    this.#maxQueue = checkQueue('Gate', maxQueue);
  }

  /** @internal */
  get kind(): string {
    return 'gate';
  }

  /** Lets in all that wait, and whoever comes. */
  open(): void {
    this.#open = true;
    wakeAll(this.#waiters);
  }

  /** Lets in nobody from now on. */
  close(): void {
    this.#open = false;
  }

  /** Whether who comes now is let in. */
  get isOpen(): boolean {
    return this.#open;
  }

  /**
   * Adds a step, without a result, that ends when the gate lets it pass: at once while that is open. A step that closes leaves the queue.
   * `DefenseRejected` in the step if the queue is full; `InternalError` where `asi` takes no steps. Guide: docs/limits.md#which-guard
   *
   *     ready.wait(asi);
   */
  wait(asi: IAsyncSteps): void {
    stepOf('wait', asi).add((step) => {
      if (!this.#open) this.queue(step as Step);
    });
  }

  /** How many lines wait. */
  get waiting(): number {
    return this.#waiters.length;
  }

  /** @internal */
  admit(): boolean {
    return this.#open;
  }

  /** @internal */
  queue(lock: Step): void {
    if (this.#waiters.length >= this.#maxQueue) reject(lock, this);
    waitAmong(this.#waiters, lock, this);
  }

  /** @internal */
  leave(): void {}
}
