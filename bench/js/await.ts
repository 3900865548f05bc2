import type { AsyncSteps, IAsyncSteps } from 'steptree';
import { sequence } from './sequence.js';

const settled = Promise.resolve(7);
let sum = 0;
const body = () => settled;
const take = (_: IAsyncSteps, value: number) => {
  sum += value;
};
const fill = (flow: AsyncSteps) => flow.add(body).add(take);

/** A flow that awaits a promise which is resolved already. */
export async function awaiting(size: number): Promise<number> {
  sum = 0;
  await sequence(size, fill);
  return sum / 7;
}
