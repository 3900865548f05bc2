import type { AsyncSteps, IAsyncSteps } from 'steptree';
import { sequence } from './sequence.js';
import type { Program } from './subject.js';

/** Flows of `levels` steps, each inside the one before; a level. */
export function grows_nesting(levels: number): Program {
  return async (size, watch) => {
    let depth = 0;
    let deep = 0;
    const body = (asi: IAsyncSteps) => {
      if (++depth < levels) asi.add(body);
      else deep++;
    };
    const fill = (flow: AsyncSteps) => {
      depth = 0;
      flow.add(body);
    };
    const flows = Math.ceil(size / levels);
    await sequence(flows, fill);
    watch.operations = flows * levels;
    return deep === flows ? size : -1;
  };
}
