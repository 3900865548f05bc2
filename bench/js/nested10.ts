import type { AsyncSteps, Body, IAsyncSteps } from 'steptree';
import { sequence } from './sequence.js';

let done = 0;
let body: Body = () => {
  done++;
};
for (let i = 1; i < 10; i++) {
  const inner = body;
  body = (asi: IAsyncSteps) => asi.add(inner);
}
const fill = (flow: AsyncSteps) => flow.add(body);

/** A flow of ten steps, one inside the other. */
export async function nested10(size: number): Promise<number> {
  done = 0;
  await sequence(size, fill);
  return done;
}
