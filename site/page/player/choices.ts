// What could have come next: where several things are ready, each of them may, and the rest of the run is another one.

import { nextOrder } from '../../../conformance/everyorder.js';
import { type Case, type Recording, record } from './record.js';

export interface Choice {
  /** Which of all choices it is. */
  readonly at: number;
  readonly taken: number;
  /** What comes next, for each thing that is ready. */
  readonly words: readonly string[];
}

/** The choices that were made between this moment and the next one. */
export function choicesAfter({ moments, alternatives }: Recording, moment: number): number[] {
  const from = moments[moment]?.chosen ?? 0;
  const to = moments[moment + 1]?.chosen ?? alternatives.length;
  return Array.from({ length: to - from }, (_, i) => from + i).filter(
    (at) => alternatives[at]! > 1,
  );
}

/** The same choices before it, and there another one. */
export const orderWith = (order: readonly number[], at: number, taken: number): number[] => [
  ...Array.from({ length: at }, (_, i) => order[i] ?? 0),
  taken,
];

/** Each alternative is tried, which shows what it leads to. */
export async function choiceAt(
  program: Case,
  order: readonly number[],
  at: number,
  count: number,
): Promise<Choice> {
  const words = [];
  for (let taken = 0; taken < count; taken++) {
    const { moments } = await record(program, orderWith(order, at, taken));
    words.push(moments.find(({ chosen }) => chosen > at)?.what ?? 'nothing');
  }
  return { at, taken: order[at] ?? 0, words };
}

export interface Way {
  readonly order: readonly number[];
  readonly trace: readonly string[];
  /** How many orders leave this trace. */
  count: number;
}

/** The different traces of all orders, each with the first order that leaves it. */
export async function allWays(
  program: Case,
  most: number,
): Promise<{ ways: Way[]; isAll: boolean }> {
  const ways = new Map<string, Way>();
  let order: readonly number[] | undefined = [];
  for (let i = 0; order !== undefined && i < most; i++) {
    const { trace, alternatives }: Recording = await record(program, order);
    const known = ways.get(trace.join('\n'));
    if (known) known.count++;
    else ways.set(trace.join('\n'), { order, trace, count: 1 });
    order = nextOrder(order, alternatives);
  }
  return { ways: [...ways.values()], isAll: order === undefined };
}
