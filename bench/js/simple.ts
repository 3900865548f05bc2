import type { AsyncSteps, IAsyncSteps } from 'steptree';
import { sequence } from './sequence.js';

let done = 0;
const inner = () => {
  done++;
};
const outer = (asi: IAsyncSteps) => asi.add(inner);
export const fill = (flow: AsyncSteps) => flow.add(outer);

/** A flow of two steps, one inside the other: made, run, ended; then the next one. */
export async function simple(size: number): Promise<number> {
  done = 0;
  await sequence(size, fill);
  return done;
}
