import { AsyncSteps, type IAsyncSteps, map as mapOf } from 'steptree';
import { atATime, numbers } from './jobs.js';

const give = (asi: IAsyncSteps, item: number) => asi.success(item);

/** Jobs that are done at once, as the items of one map; their results go to a sink. */
export async function map(size: number): Promise<number> {
  let done = 0;
  const sink = (value: number) => {
    if (value === done) done++;
  };
  const flow = new AsyncSteps();
  flow.add(mapOf(numbers(size), { limit: atATime, sink }, give));
  await flow.promise();
  return done;
}
