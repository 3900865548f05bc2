import { setImmediate as turn } from 'node:timers/promises';
import { AsyncSteps, type IAsyncSteps } from 'steptree';

const batch = 1_000;
let waiting = 0;
let cancelled = 0;
const onCancel = () => {
  cancelled++;
};
const body = (asi: IAsyncSteps) => {
  asi.setCancel(onCancel);
  asi.waitExternal();
  waiting++;
};

/** Flows that wait, 1,000 at a time, and are cancelled. */
export async function cancel(size: number): Promise<number> {
  cancelled = 0;
  for (let left = size; left > 0; left -= batch) {
    const flows: AsyncSteps[] = [];
    waiting = 0;
    for (let i = Math.min(left, batch); i > 0; i--) {
      const flow = new AsyncSteps();
      flow.add(body).execute();
      flows.push(flow);
    }
    while (waiting < flows.length) await turn();
    for (const flow of flows) flow.cancel();
  }
  return cancelled;
}
