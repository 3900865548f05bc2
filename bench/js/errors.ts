import type { AsyncSteps, IAsyncSteps } from 'steptree';
import { sequence } from './sequence.js';

/** Flows whose third level fails by `raise`, and whose first level recovers; gives how many did. */
export function errors(
  raise: (asi: IAsyncSteps) => void,
  expected = 'Refused',
): (size: number) => Promise<number> {
  let recovered = 0;
  const second = (asi: IAsyncSteps) => asi.add(raise);
  const first = (asi: IAsyncSteps) => asi.add(second);
  const recover = (asi: IAsyncSteps, code: string) => {
    if (code === expected) recovered++;
    asi.success();
  };
  const fill = (flow: AsyncSteps) => flow.add(first, recover);
  return async (size) => {
    recovered = 0;
    await sequence(size, fill);
    return recovered;
  };
}
