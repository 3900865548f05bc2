// What bounds the retries of many flows.

import { checkCount, checkOptions } from './error.js';
import { budgets, number } from './retry.js';

/** Of a `RetryBudget`. */
export interface RetryBudgetOptions {
  /** How many retries it has at first and at most, 1 or more. */
  capacity: number;
  /** What each retry or hedge that succeeds puts back, from 0 to `capacity`, rounded to whole thousandths. */
  ratio: number;
}

/** One retry, in thousandths. */
const TOKEN = 1000;

/**
 * Bounds the retries and hedges of all flows that share it: each further attempt takes a token, but for one after a guard's refusal, which
 * has burdened nobody; each success puts a part of one back. Without a token nothing is tried again, so that what is overloaded isn't asked
 * more often for it. Guide: docs/loops.md#again-after-a-failure
 *
 *     const budget = new RetryBudget({ capacity: 10, ratio: 0.1 });
 *     const stubborn = retry({ max: 3, budget }, ask);
 */
export class RetryBudget {
  readonly #capacity: number;
  readonly #ratio: number;
  #left: number;

  /** `InternalError` for a bad option. */
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
