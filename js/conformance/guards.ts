// The guards of a case: ours, and a user's own, which does the actions of the case.

import type { AbandonedOptions, Guard, IAsyncSteps, IOutcome, ISync } from 'steptree';
import { Barrier, Breaker, Gate, Keyed, Lease, Limiter, Mutex, RwLock, Throttle } from 'steptree';
import { answer, perform } from './actions.js';
import type { Action, World } from './world.js';

/** One key says which guard it is; its value has the limits. */
export interface GuardForm {
  mutex?: Limits;
  throttle?: Limits;
  limiter?: Limits;
  rwlock?: Limits;
  gate?: Limits;
  barrier?: Limits;
  breaker?: Limits & { on?: { [code: string]: boolean | 'throw' } };
  keyed?: GuardForm;
  custom?: { lock?: Action[]; unlock?: Action[]; lease?: boolean };
}

type Limits = { [name: string]: number | string | boolean };

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
  const { mutex, throttle, limiter, gate, barrier, breaker, keyed, custom } = form;
  if (mutex !== undefined) {
    return new Mutex({ ...numbers(mutex), ...abandoned(mutex) });
  }
  if (throttle !== undefined) {
    const { algorithm, ...limits } = throttle;
    return new Throttle({ algorithm: algorithm as never, ...(numbers(limits) as { max: number }) });
  }
  if (limiter !== undefined) return new Limiter({ ...numbers(limiter), ...abandoned(limiter) });
  if (gate !== undefined) {
    const { open, ...limits } = gate;
    return new Gate({
      ...(open === undefined ? {} : { open: open as boolean }),
      ...numbers(limits),
    });
  }
  if (barrier !== undefined) return new Barrier(numbers(barrier) as never) as never;
  if (breaker !== undefined) {
    const { on, ...limits } = breaker;
    return new Breaker({ ...numbers(limits as Limits), ...(on && { on: answers(on) }) });
  }
  if (keyed !== undefined) {
    const make = (key: string): Mutex => {
      world.log(`${name} makes ${key}`);
      return makeGuard(world, name, keyed) as Mutex;
    };
    return new Keyed(make) as never;
  }
  const { lock = [], unlock = [], lease = false } = custom ?? {};
  return {
    lock: (asi: IAsyncSteps) => {
      world.log(`${name}+`);
      if (lease) world.leases.set(name, new Lease(asi));
      return answer(world, { asi, id: name }, lock);
    },
    unlock: (asi: IAsyncSteps, outcome: IOutcome) => {
      world.log(`${name}-`);
      return perform(world, { asi, id: name, outcome }, unlock);
    },
  };
}

/** What is no code of `on` is no failure. */
function answers(on: { [code: string]: boolean | 'throw' }) {
  return (code: string): boolean => {
    const answer = on[code] ?? false;
    if (answer === 'throw') throw new Error('on');
    return answer;
  };
}

function abandoned({ abandoned: how }: Limits): AbandonedOptions {
  return how === undefined ? {} : { abandoned: how as 'keep' | 'release' };
}

/** And the name, if it has one. */
function numbers(limits: Limits): { [name: string]: number } {
  const { abandoned: _, name: called, ...given } = limits;
  const entries = Object.entries(given).map(([name, limit]) => [name, Number(limit)]);
  return { ...Object.fromEntries(entries), ...(called === undefined ? {} : { name: called }) };
}
