import type { AsyncSteps, IAsyncSteps } from 'steptree';
import { sequence } from './sequence.js';

let done = 0;
const work = () => {
  done++;
};
const body = (asi: IAsyncSteps) => {
  asi.setTimeout(1_000);
  asi.add(work);
};
const fill = (flow: AsyncSteps) => flow.add(body);

/** A step with a deadline whose work succeeds at once. */
export async function timeout(size: number): Promise<number> {
  done = 0;
  await sequence(size, fill);
  return done;
}
