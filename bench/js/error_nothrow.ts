import type { AsyncSteps, IAsyncSteps } from 'steptree';
import { sequence } from './sequence.js';

let recovered = 0;
const third = (asi: IAsyncSteps) => asi.errorNoThrow('Refused');
const second = (asi: IAsyncSteps) => asi.add(third);
const first = (asi: IAsyncSteps) => asi.add(second);
const recover = (asi: IAsyncSteps, code: string) => {
  if (code === 'Refused') recovered++;
  asi.success();
};
const fill = (flow: AsyncSteps) => flow.add(first, recover);

/** The same way up for an error that is no exception. */
export async function error_nothrow(size: number): Promise<number> {
  recovered = 0;
  await sequence(size, fill);
  return recovered;
}
