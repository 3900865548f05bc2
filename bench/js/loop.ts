import type { AsyncSteps, IAsyncSteps } from 'steptree';
import { sequence } from './sequence.js';

const length = 10_000;
let left = 0;
let turns = 0;
const body = (asi: IAsyncSteps) => {
  turns++;
  if (--left === 0) asi.breakNoThrow();
};

/** Loops of 10,000 iterations, each in a flow of its own; an iteration. */
export async function loop(size: number): Promise<number> {
  turns = 0;
  const fill = (flow: AsyncSteps) => {
    left = Math.min(length, size - turns);
    flow.loop(body);
  };
  await sequence(Math.ceil(size / length), fill);
  return turns;
}
