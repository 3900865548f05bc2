import type { AsyncSteps, IAsyncSteps } from 'steptree';
import { Crowd } from './crowd.js';
import { deadlines } from './deadlines.js';
import { sequence } from './sequence.js';
import type { Program } from './subject.js';
import { expires } from './timeout.js';

/** A step with a deadline whose work succeeds at once, while `count` other deadlines are set. */
export function grows_timers(count: number): Program {
  return async (size, watch) => {
    const deadline = deadlines();
    let done = 0;
    const work = () => {
      done++;
    };
    const body = (asi: IAsyncSteps) => {
      asi.setTimeout(deadline());
      asi.add(work);
    };
    const fill = (flow: AsyncSteps) => flow.add(body);
    const crowd = new Crowd(count, deadline);
    await crowd.gather();
    watch.start();
    await sequence(size, fill);
    watch.stop();
    return (await expires()) && (await crowd.dismiss()) === count ? done : -1;
  };
}
