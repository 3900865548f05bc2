/** A limiter: a mutex, and a throttle inside of it. */
import { addStep, adderOf } from './adding.js';
import { giveBack, makeMutex, mayWait, placesOf, tryLock } from './mutex.js';
import type { Guard, Step } from './shape.js';
import { makeThrottle, mayQueue, tryEnter } from './throttle.js';

export interface LimiterLimits {
  concurrent?: number;
  maxQueue?: number;
  rate?: number;
  period?: number;
  burst?: number;
  abandoned?: 'keep' | 'release';
}

/** [sync-70] [sync-75] [sync-76] */
export function makeLimiter(limits: LimiterLimits): Guard {
  const { concurrent = 1, maxQueue = 0, rate = 1, period = 1000, burst = 0 } = limits;
  const mutex = makeMutex(concurrent, maxQueue, limits.abandoned);
  const throttle = makeThrottle({ max: rate, period, maxQueue: burst });

  /** [sync-71] [sync-74]: at once if it can be, else by a step for each of the two that has to wait. */
  function lock(step: Step): void {
    const line = step.line!;
    const placed = tryLock(mutex, line);
    if (placed && tryEnter(throttle, step)) return;
    step.lost.push((ok) => {
      if (ok) return;
      // [sync-72] [sync-73]
      if (placed || placesOf(mutex, line) > 0) giveBack(mutex, line);
    });
    if (placed) mayQueue(throttle, step);
    else mayWait(mutex, step);
    const steps = adderOf(step);
    if (!placed) addStep(steps, (first) => mutex.lock(first));
    addStep(steps, (second) => throttle.lock(second));
  }

  return { lock, unlock: (step) => mutex.unlock(step) };
}
