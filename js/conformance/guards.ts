// The guards of a case: ours, and a user's own, which does the actions of the case.

import type { AbandonedOptions, Guard, IAsyncSteps, ISync } from 'steptree';
import { Limiter, Mutex, RwLock, Throttle } from 'steptree';
import { perform } from './actions.js';
import type { Action, World } from './world.js';

/** One key says which guard it is; its value has the limits. */
export interface GuardForm {
  mutex?: Limits;
  throttle?: Limits;
  limiter?: Limits;
  rwlock?: Limits;
  custom?: { lock?: Action[]; unlock?: Action[] };
}

type Limits = { [name: string]: number | string };

export function addGuard(world: World, name: string, form: GuardForm): void {
  const { rwlock } = form;
  if (rwlock === undefined) {
    world.guards.set(name, makeGuard(world, name, form));
    return;
  }
  const { read, write } = new RwLock({ ...numbers(rwlock), ...abandoned(rwlock) });
  world.guards.set(`${name}.read`, read).set(`${name}.write`, write);
}

function makeGuard(world: World, name: string, form: GuardForm): ISync | Guard {
  const { mutex, throttle, limiter, custom } = form;
  if (mutex !== undefined) {
    const { max, maxQueue } = numbers(mutex);
    return new Mutex(max, maxQueue, abandoned(mutex));
  }
  if (throttle !== undefined) {
    const { algorithm, ...limits } = throttle;
    if (algorithm === undefined && limits['capacity'] === undefined) {
      const { max, period, maxQueue } = numbers(limits);
      return new Throttle(max, period, maxQueue);
    }
    return new Throttle({ algorithm: algorithm as never, ...numbers(limits) });
  }
  if (limiter !== undefined) return new Limiter({ ...numbers(limiter), ...abandoned(limiter) });
  const act =
    (sign: string, actions: Action[] = []) =>
    (asi: IAsyncSteps) => {
      world.log(`${name}${sign}`);
      return perform(world, { asi, id: name }, actions);
    };
  return { lock: act('+', custom?.lock), unlock: act('-', custom?.unlock) };
}

function abandoned({ abandoned: how }: Limits): AbandonedOptions {
  return how === undefined ? {} : { abandoned: how as 'keep' | 'release' };
}

function numbers(limits: Limits): { [name: string]: number } {
  return Object.fromEntries(Object.entries(limits).map(([name, limit]) => [name, Number(limit)]));
}
