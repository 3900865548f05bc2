import { AsyncSteps } from 'steptree';
import { worstLateness } from './worstlateness.js';
import type { Watch } from './subject.js';

/** How late, at worst, a timer of 1 ms fires beside an endless loop of steps. */
export async function lateness(size: number, watch: Watch): Promise<number> {
  let turns = 0;
  const flow = new AsyncSteps();
  const step = () => {
    turns++;
  };
  flow.loop((asi) => asi.add(step)).execute();
  watch.ns = await worstLateness(size);
  flow.cancel();
  return turns > size ? size : -1;
}
