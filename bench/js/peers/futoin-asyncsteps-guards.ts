/** Guards of futoin-asyncsteps. */
import { setImmediate as turn } from 'node:timers/promises';
import type { Program } from '../subject.js';
import { $as, Mutex, type Steps } from './futoin-asyncsteps-api.js';

/** A flow whose iterations are sections of a guard that nobody else wants. */
export function alone(guard: object): Program {
  return (size) =>
    new Promise((resolve) => {
      let count = 0;
      const body = () => {
        count++;
      };
      $as()
        .loop((as) => {
          if (count === size) as.break();
          as.sync(guard, body);
        })
        .add(() => resolve(count))
        .execute();
    });
}

/** Flows that come, `crowd` at a time, while one has the lock; it gives it back, and each gets it in turn. */
export function lock_contended(crowd: number): Program {
  return async (size) => {
    let count = 0;
    const body = () => {
      count++;
    };
    const mutex = new Mutex();
    for (let rest = size; rest > 0; rest -= crowd) {
      let holder: Steps | null = null;
      $as()
        .sync(mutex, (as) => {
          as.waitExternal();
          holder = as;
        })
        .execute();
      while (holder === null) await turn();
      const target = count + Math.min(rest, crowd);
      for (let i = count; i < target; i++) $as().sync(mutex, body).execute();
      (holder as Steps).success();
      while (count < target) await turn();
    }
    return count;
  };
}
