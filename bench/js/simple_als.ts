import { AsyncLocalStorage } from 'node:async_hooks';
import type { AsyncSteps, IAsyncSteps } from 'steptree';
import { sequence } from './sequence.js';

const storage = new AsyncLocalStorage<object>();
const store = {};

let done = 0;
const inner = () => {
  if (storage.getStore() === store) done++;
};
const outer = (asi: IAsyncSteps) => asi.add(inner);
const fill = (flow: AsyncSteps) => flow.add(outer);

/** `simple` inside `AsyncLocalStorage.run`, whose store the inner step sees. */
export async function simple_als(size: number): Promise<number> {
  done = 0;
  await storage.run(store, () => sequence(size, fill));
  return done;
}
