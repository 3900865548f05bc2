import type { AsyncSteps, IAsyncSteps } from 'steptree';
import { sequence } from './sequence.js';

let ended = 0;
let joined = 0;
const branch = () => {
  ended++;
};
const join = () => {
  if (ended === 10) joined++;
  ended = 0;
};
const body = (asi: IAsyncSteps) => {
  const all = asi.parallel();
  for (let i = 0; i < 10; i++) all.add(branch);
};
const fill = (flow: AsyncSteps) => flow.add(body).add(join);

/** A flow that waits for ten branches. */
export async function parallel10(size: number): Promise<number> {
  joined = 0;
  await sequence(size, fill);
  return joined;
}
