import { type AsyncSteps, Limiter, Mutex, type IAsyncSteps, type Guard } from 'steptree';
import { sequence } from './sequence.js';
import type { Program } from './subject.js';

let done = 0;
const body = () => {
  done++;
};

/** A flow whose iterations are sections of a guard that nobody else wants. */
function alone(guard: Guard): Program {
  const section = (asi: IAsyncSteps) => asi.sync(guard, body);
  return async (size) => {
    done = 0;
    await sequence(1, (flow: AsyncSteps) => flow.repeat(size, section));
    return done;
  };
}

export const lock = alone(new Mutex());
export const limiter = alone(new Limiter({ concurrent: 1000, rate: 1e9 }));
