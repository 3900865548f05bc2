import type { AsyncSteps } from 'steptree';
import { sequence } from './sequence.js';

let steps = 0;
const step = () => {
  steps++;
};
const fill = (flow: AsyncSteps) => {
  for (let i = 0; i < 10; i++) flow.add(step);
};

/** A flow of ten steps side by side. */
export async function flat10(size: number): Promise<number> {
  steps = 0;
  await sequence(size, fill);
  return steps / 10;
}
