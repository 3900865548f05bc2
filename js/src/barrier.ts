// Lines that wait for each other.

import { checkOptions } from './error.js';
import type { IAsyncSteps } from './iasyncsteps.js';
import type { Step } from './step.js';
import { checkLimit, stepOf, waitAmong, Waiters, wakeAll } from './waiters.js';

/** Of a `Barrier`. */
export interface BarrierOptions {
  /** How many lines wait for each other, 1 or more. */
  parties: number;
}

/**
 * Where lines wait for each other: when as many wait as there are parties all go on, and the next round begins. A line whose step closes
 * meanwhile doesn't count any more. Guide: docs/limits.md#which-guard
 *
 *     const phase = new Barrier({ parties: 3 });
 *     asi.add(compute).add((step) => phase.wait(step)).add(exchange);
 */
export class Barrier {
  readonly #parties: number;
  readonly #waiters = new Waiters();

  /** `InternalError` for a bad option. */
  constructor(options: BarrierOptions) {
    const { parties } = checkOptions('Barrier', options, 'parties');
    this.#parties = checkLimit('Barrier: parties', parties, 1);
  }

  /**
   * Adds a step, without a result, that ends when as many wait as there are parties. A step that closes leaves the queue: to wait no longer
   * than so, put a `setTimeout` around it. `InternalError` where `asi` takes no steps. Guide: docs/limits.md#which-guard
   *
   *     phase.wait(asi);
   */
  wait(asi: IAsyncSteps): void {
    stepOf('wait', asi).add((step) => this.#arrive(step as Step));
  }

  /** @internal */
  get kind(): string {
    return 'barrier';
  }

  /** @internal */
  get name(): string {
    return '';
  }

  /** How many lines wait. */
  get waiting(): number {
    return this.#waiters.length;
  }

  #arrive(step: Step): void {
    const waiters = this.#waiters;
    if (this.#isComplete()) this.#forgetCancelled();
    if (!this.#isComplete()) return waitAmong(waiters, step, this);
    wakeAll(waiters);
  }

  #isComplete(): boolean {
    return this.#waiters.length + 1 >= this.#parties;
  }

  /** Those whose flows are being cancelled are still in the queue. */
  #forgetCancelled(): void {
    for (let waiter = this.#waiters.first(); waiter !== null;) {
      const { next } = waiter;
      if (!waiter.valid()) this.#waiters.remove(waiter);
      waiter = next;
    }
  }
}
