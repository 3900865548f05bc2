// The order of a virtual tool: which of several things comes next, by the words of a seed or by a list of choices.

import { badArgument } from './error.js';
import { isWord, Random } from './random.js';

export class Order {
  /** Of a list: how many there were to choose from, each time. */
  readonly alternatives: number[] = [];
  readonly #random: Random | null;
  readonly #choices: readonly number[];

  constructor(order: number | readonly number[]) {
    this.#random = typeof order === 'number' ? new Random(order) : null;
    this.#choices = typeof order === 'number' ? [] : [...order];
  }

  /** One of so many, from 0. A single one is no choice. */
  choose(count: number): number {
    if (count < 2) return 0;
    if (this.#random !== null) return this.#random.next() % count;
    const place = this.alternatives.push(count) - 1;
    return (this.#choices[place] ?? 0) % count;
  }
}

/** Null: first come, first served. */
export function orderOf(order: unknown): Order | null {
  if (order === 0) return null;
  const words: unknown[] = Array.isArray(order) ? order : [order];
  for (const word of words) {
    if (!isWord(word)) badArgument('order', 'whole numbers from 0 to 2^32 - 1', word);
  }
  return new Order(order as number | number[]);
}
