/** A limiter: a mutex, and a throttle inside of it; each of them may be absent. */
import { addStep, adderOf } from './adding.js';
import {
  checkDeadlock,
  giveBack,
  linesIn,
  locksOf,
  makeMutex,
  type Mutex,
  tryLock,
} from './mutex.js';
import type { Guard, Shown, Step } from './shape.js';
import { refuseFull } from './refusal.js';
import { makeThrottle, timeUntilFree, tryEnter } from './throttle.js';
import { misuse } from './thrown.js';

export interface LimiterLimits {
  concurrent?: number;
  maxQueue?: number;
  rate?: number;
  period?: number;
  burst?: number;
  abandoned?: 'keep' | 'release';
  name?: string;
}

const unlimited = Number.POSITIVE_INFINITY;

/** [sync-49] [sync-70] [sync-75] [sync-78] [sync-191] [sync-192] */
export function makeLimiter(limits: LimiterLimits): Guard {
  const { concurrent = unlimited, rate = unlimited, maxQueue = unlimited } = limits;
  const { period, burst, abandoned, name = '' } = limits;
  const title = { kind: 'limiter', name };
  if (rate === unlimited && period !== undefined) throw misuse('a period goes with a rate');
  if (rate === unlimited && burst !== undefined) throw misuse('a burst goes with a rate');
  if (concurrent === unlimited && rate === unlimited && maxQueue !== unlimited)
    throw misuse('a queue of nothing');
  const says = () => ({ waiting, active: 0, available: unlimited, ...placesOf(mutex) });
  const shown: Shown = {
    ...title,
    says,
    lines: () => (mutex === null ? [] : linesIn(mutex)),
  };
  const mutex =
    concurrent === unlimited ? null : makeMutex(concurrent, unlimited, abandoned, title, shown);
  const throttle = rate === unlimited ? null : makeThrottle({ max: rate, period, burst }, shown);
  let waiting = 0;

  /** [sync-71] [sync-74] [sync-122]: at once if it can be, else by a step for each of the two that has to wait. */
  function lock(step: Step): void {
    const line = step.line!;
    const placed = mutex === null || tryLock(mutex, line);
    if (placed && (throttle === null || tryEnter(throttle, step))) return;
    waiting++;
    step.lost.push((ok) => {
      waiting--;
      // [sync-72] [sync-73]
      if (!ok && mutex !== null && (placed || locksOf(mutex, line) > 0)) giveBack(mutex, line);
    });
    if (!placed) checkDeadlock(mutex!, step);
    if (waiting > maxQueue)
      refuseFull(step, title, placed ? { retryAfter: timeUntilFree(throttle!, step) } : {});
    const steps = adderOf(step);
    if (!placed) addStep(steps, (first) => mutex!.lock(first));
    if (throttle !== null) addStep(steps, (second) => throttle.lock(second));
  }

  function placesOf(of: Mutex | null): object {
    if (of === null) return {};
    const { active, available } = of.says!();
    return { active, available };
  }

  return {
    lock,
    unlock: (step) => (mutex === null ? undefined : mutex.unlock(step)),
    says,
    isNew: (tool) =>
      waiting === 0 && (mutex?.isNew?.() ?? true) && (throttle?.isNew?.(tool) ?? true),
  };
}
