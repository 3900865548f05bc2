/** The guards of a case: ours, and a user's own, which does the actions of the case. */
import { perform } from './actions.js';
import { makeChannel } from './channel.js';
import { makeBarrier } from './barrier.js';
import { makeBreaker } from './breaker.js';
import type { Failure } from './failure.js';
import { makeGate } from './gate.js';
import { makeKeyed } from './keyed.js';
import { makeLease } from './lease.js';
import { makeLimiter } from './limiter.js';
import { checkLimits } from './limits.js';
import { makeMutex } from './mutex.js';
import { makeRwLock } from './rwlock.js';
import type { Guard, Step, Outcome } from './shape.js';
import { makeThrottle } from './throttle.js';
import { Foreign } from './thrown.js';
import { type Action, log, type World } from './world.js';

type Limits = { [name: string]: any };

export function addGuard(world: World, name: string, form: { [kind: string]: Limits }): void {
  const { rwlock } = form;
  if (rwlock === undefined) {
    world.guards.set(name, makeGuard(world, name, form));
    return;
  }
  const { maxQueue, abandoned, name: called } = limitsOf(rwlock);
  const { read, write } = makeRwLock(maxQueue, abandoned, called);
  world.guards.set(`${name}.read`, read).set(`${name}.write`, write);
}

/** [channel-24] */
export function addChannel(
  world: World,
  name: string,
  form: { capacity: number | string; name?: string },
): void {
  const { capacity, name: called } = limitsOf(form);
  world.channels.set(name, makeChannel(capacity, called));
}

function makeGuard(world: World, name: string, form: { [kind: string]: Limits }): Guard {
  const { mutex, throttle, limiter, gate, barrier, breaker, keyed, custom } = form;
  if (mutex !== undefined) return mutexOf(limitsOf(mutex));
  if (throttle !== undefined) return makeThrottle(limitsOf(throttle));
  if (limiter !== undefined) return makeLimiter(limitsOf(limiter));
  if (gate !== undefined) return makeGate(limitsOf(gate));
  if (barrier !== undefined) return makeBarrier(limitsOf(barrier));
  if (breaker !== undefined) return makeBreaker(breakerOptions(breaker));
  if (keyed !== undefined) {
    return makeKeyed((key) => {
      log(world, `${name} makes ${key}`);
      return makeGuard(world, name, keyed);
    });
  }
  const act =
    (sign: string, actions: readonly Action[] = []) =>
    (step: Step, end?: Outcome) => {
      log(world, `${name}${sign}`);
      if (sign === '+' && custom!['lease']) world.leases.set(name, makeLease(step));
      return perform(world, { step, id: name, end }, actions);
    };
  return { custom: true, lock: act('+', custom!['lock']), unlock: act('-', custom!['unlock']) };
}

function mutexOf({ max, maxQueue, abandoned, name = '' }: Limits): Guard {
  return makeMutex(max, maxQueue, abandoned, { kind: 'mutex', name });
}

/** What is no code of `on` is no failure. */
function breakerOptions({ on, rate, ...limits }: Limits): Limits {
  const answer = ({ code }: Failure): boolean => {
    if (on[code] === 'throw') throw new Foreign('on');
    return on[code] ?? false;
  };
  return {
    ...limitsOf(limits),
    ...(rate !== undefined && { rate: Number(rate) }),
    ...(on !== undefined && { on: answer }),
  };
}

function limitsOf(form: Limits): Limits {
  const numbers = Object.entries(form).map(([name, limit]) => [
    name,
    ['algorithm', 'abandoned', 'open', 'name'].includes(name) ? limit : Number(limit),
  ]);
  const limits: Limits = Object.fromEntries(numbers);
  checkLimits(limits);
  return limits;
}
