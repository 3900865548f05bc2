// What bounds the retries of many flows.

import { checkCount, checkOptions } from './error.js';
import { budgets, number } from './retry.js';

export interface RetryBudgetOptions {
  /** How many retries it has at first and at most, 1 or more. */
  capacity: number;
  /** What each retry step that succeeds puts back, in whole thousandths, rounded. */
  ratio: number;
}

/** One retry, in thousandths. */
const TOKEN = 1000;

/**
 * Bounds the retries and hedges of all flows that share it: each further attempt takes a token, but for one after a guard's refusal, which
 * has burdened nobody; each success puts a part of one back. Without a token nothing is tried again, so that what is overloaded isn't asked
 * more often for it. Guide: docs/loops.md#again-after-a-failure
 */
export class RetryBudget {
  readonly #capacity: number;
  readonly #ratio: number;
  #left: number;

  constructor(options: RetryBudgetOptions) {
    const { capacity, ratio } = checkOptions('RetryBudget', options, 'capacity ratio');
    this.#left = this.#capacity = checkCount('RetryBudget: capacity', capacity, 1) * TOKEN;
    this.#ratio = Math.floor(number('RetryBudget: ratio', ratio, 0, capacity) * TOKEN + 0.5);
    budgets.add(this);
  }

  /** How many tokens there are, with parts of them. */
  tokens(): number {
    return this.#left / TOKEN;
  }

  /** @internal */
  take(): boolean {
    if (this.#left < TOKEN) return false;
    this.#left -= TOKEN;
    return true;
  }

  /** @internal */
  putBack(): void {
    this.#left = Math.min(this.#capacity, this.#left + this.#ratio);
  }
}
