/** The guards of a case: ours, and a user's own, which does the actions of the case. */
import { perform } from './actions.js';
import { makeChannel } from './channel.js';
import { makeLimiter } from './limiter.js';
import { checkLimits } from './limits.js';
import { makeMutex } from './mutex.js';
import { makeRwLock } from './rwlock.js';
import type { Guard, Step } from './shape.js';
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
  world.channels.set(name, makeChannel(limitsOf({ capacity: form.capacity }, true)['capacity']));
}

function makeGuard(world: World, name: string, form: { [kind: string]: Limits }): Guard {
  const { mutex, throttle, limiter, custom } = form;
  if (mutex !== undefined) return makeMutex(...mutexLimits(limitsOf(mutex)));
  if (throttle !== undefined) return makeThrottle(limitsOf(throttle));
  if (limiter !== undefined) return makeLimiter(limitsOf(limiter));
  const act =
    (sign: string, actions: readonly Action[] = []) =>
    (step: Step) => {
      log(world, `${name}${sign}`);
      return perform(world, { step, id: name }, actions);
    };
  return { lock: act('+', custom!['lock']), unlock: act('-', custom!['unlock']) };
}

function mutexLimits({ max, maxQueue, abandoned }: Limits): [number, number, 'keep' | 'release'] {
  return [max, maxQueue, abandoned];
}

function limitsOf(form: Limits, ofChannel = false): Limits {
  const numbers = Object.entries(form).map(([name, limit]) => [
    name,
    ['algorithm', 'abandoned'].includes(name) ? limit : Number(limit),
  ]);
  const limits: Limits = Object.fromEntries(numbers);
  checkLimits(limits, ofChannel ? ['capacity'] : ['maxQueue', 'burst']);
  return limits;
}
