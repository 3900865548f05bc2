/** The guards of a case: ours, and a user's own, which does the actions of the case. */
import { perform } from './actions.js';
import { makeChannel } from './channel.js';
import { makeBarrier } from './barrier.js';
import { makeGate } from './gate.js';
import { makeLimiter } from './limiter.js';
import { checkLimits } from './limits.js';
import { makeMutex } from './mutex.js';
import { makeRwLock } from './rwlock.js';
import type { Guard, Step, Outcome } from './shape.js';
import { makeThrottle } from './throttle.js';
import { type Action, log, type World } from './world.js';

type Limits = { [name: string]: any };

export function addGuard(world: World, name: string, form: { [kind: string]: Limits }): void {
  const { rwlock } = form;
  if (rwlock === undefined) {
    world.guards.set(name, makeGuard(world, name, form));
    return;
  }
  const { maxQueue, abandoned } = limitsOf(rwlock);
  const { read, write } = makeRwLock(maxQueue, abandoned);
  world.guards.set(`${name}.read`, read).set(`${name}.write`, write);
}

/** [channel-24] */
export function addChannel(world: World, name: string, form: { capacity: number | string }): void {
  world.channels.set(name, makeChannel(limitsOf({ capacity: form.capacity })['capacity']));
}

function makeGuard(world: World, name: string, form: { [kind: string]: Limits }): Guard {
  const { mutex, throttle, limiter, gate, barrier, custom } = form;
  if (mutex !== undefined) return makeMutex(...mutexLimits(limitsOf(mutex)));
  if (throttle !== undefined) return makeThrottle(limitsOf(throttle));
  if (limiter !== undefined) return makeLimiter(limitsOf(limiter));
  if (gate !== undefined) return makeGate(limitsOf(gate));
  if (barrier !== undefined) return makeBarrier(limitsOf(barrier));
  const act =
    (sign: string, actions: readonly Action[] = []) =>
    (step: Step, end?: Outcome) => {
      log(world, `${name}${sign}`);
      return perform(world, { step, id: name, end }, actions);
    };
  return { lock: act('+', custom!['lock']), unlock: act('-', custom!['unlock']) };
}

function mutexLimits({ max, maxQueue, abandoned }: Limits): [number, number, 'keep' | 'release'] {
  return [max, maxQueue, abandoned];
}

function limitsOf(form: Limits): Limits {
  const numbers = Object.entries(form).map(([name, limit]) => [
    name,
    ['algorithm', 'abandoned', 'open'].includes(name) ? limit : Number(limit),
  ]);
  const limits: Limits = Object.fromEntries(numbers);
  checkLimits(limits);
  return limits;
}
