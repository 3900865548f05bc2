import type { AsyncSteps, IAsyncSteps } from 'steptree';
import { sequence } from './sequence.js';

let sum = 0;
const body = (asi: IAsyncSteps) => {
  const done = asi.waitExternal();
  queueMicrotask(() => done.success(7));
};
const take = (_: IAsyncSteps, value: number) => {
  sum += value;
};
const fill = (flow: AsyncSteps) => flow.add(body).add(take);

/** A step that is completed from outside, by a microtask. */
export async function external(size: number): Promise<number> {
  sum = 0;
  await sequence(size, fill);
  return sum / 7;
}
