import { setImmediate as turn } from 'node:timers/promises';
import { AsyncSteps, type IAsyncSteps, type ICompletion, Mutex } from 'steptree';
import type { Program } from './subject.js';

let done = 0;
const body = () => {
  done++;
};

/** Flows that come, `crowd` at a time, while somebody has the lock; he gives it back, and each gets it in turn. */
export function lock_contended(crowd: number): Program {
  const mutex = new Mutex();
  const section = (flow: AsyncSteps) => flow.sync(mutex, body);
  return async (size) => {
    done = 0;
    for (let left = size; left > 0; left -= crowd) {
      let holding: ICompletion | null = null;
      const hold = (asi: IAsyncSteps) => {
        holding = asi.waitExternal();
      };
      new AsyncSteps().sync(mutex, hold).execute();
      while (holding === null) await turn();
      const target = done + Math.min(left, crowd);
      for (let i = done; i < target; i++) section(new AsyncSteps()).execute();
      (holding as ICompletion).success();
      while (done < target) await turn();
    }
    return done;
  };
}
