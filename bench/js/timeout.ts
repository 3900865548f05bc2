import { AsyncSteps, type IAsyncSteps } from 'steptree';
import { sequence } from './sequence.js';
import type { Watch } from './subject.js';

let done = 0;
const work = () => {
  done++;
};
const body = (asi: IAsyncSteps) => {
  asi.setTimeout(1_000);
  asi.add(work);
};
const fill = (flow: AsyncSteps) => flow.add(body);

/** Whether a deadline is kept: what succeeds before it doesn't show it. */
export function expires(): Promise<boolean> {
  return new Promise((resolve) => {
    new AsyncSteps()
      .add((asi) => {
        asi.setTimeout(1);
        asi.waitExternal();
      })
      .execute((outcome) => resolve(outcome.kind === 'error' && outcome.code === 'Timeout'));
  });
}

/** A step with a deadline whose work succeeds at once. */
export async function timeout(size: number, watch: Watch): Promise<number> {
  done = 0;
  await sequence(size, fill);
  watch.stop();
  return (await expires()) ? done : -1;
}
