import type { AsyncSteps, IAsyncSteps } from 'steptree';
import { sequence } from './sequence.js';

let recovered = 0;
const third = (asi: IAsyncSteps) => asi.error('Refused');
const second = (asi: IAsyncSteps) => asi.add(third);
const first = (asi: IAsyncSteps) => asi.add(second);
const recover = (asi: IAsyncSteps, code: string) => {
  if (code === 'Refused') recovered++;
  asi.success();
};
const fill = (flow: AsyncSteps) => flow.add(first, recover);

/** An error that is thrown three levels deep and recovered at the top. */
export async function error(size: number): Promise<number> {
  recovered = 0;
  await sequence(size, fill);
  return recovered;
}
