import type { AsyncSteps, IAsyncSteps } from 'steptree';
import { sequence } from './sequence.js';

const length = 10_000;
let left = 0;
let turns = 0;
const inner = (asi: IAsyncSteps) => {
  turns++;
  if (--left === 0) asi.breakNoThrow();
};
const body = (asi: IAsyncSteps) => asi.add(inner);

/** The same loops, whose iterations have one inner step each. */
export async function loop_step(size: number): Promise<number> {
  turns = 0;
  const fill = (flow: AsyncSteps) => {
    left = Math.min(length, size - turns);
    flow.loop(body);
  };
  await sequence(Math.ceil(size / length), fill);
  return turns;
}
