/** The order of a virtual tool: what comes next where more than one thing may. */
import { makeRandom } from './random.js';

export interface Order {
  /** One of so many, from 0. [tool-39] */
  choose: (alternatives: number) => number;
  /** [tool-43]: of a list, how many there were at each choice. */
  alternatives: number[] | undefined;
}

/** [tool-37] [tool-40] [tool-41]: a number has a sequence of its own, a list is followed by zeros. */
export function makeOrder(order: number | number[] = 0): Order | undefined {
  if (order === 0) return undefined;
  if (typeof order === 'number') {
    const next = makeRandom(order);
    return { choose: (count) => (count === 1 ? 0 : next() % count), alternatives: undefined };
  }
  const alternatives: number[] = [];
  const choose = (count: number) => {
    if (count === 1) return 0;
    alternatives.push(count);
    return (order[alternatives.length - 1] ?? 0) % count;
  };
  return { choose, alternatives };
}
