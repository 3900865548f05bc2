/** A throttle: so many entries in a period. */
import { error } from './accessor.js';
import { type Algorithm, algorithms } from './algorithms.js';
import type { Guard, Step } from './shape.js';
import { cancelEntry, deferred, type Timer } from './tool.js';
import { firstOf, grant, wait, type Waiter } from './waiters.js';

export interface Throttle extends Guard {
  algorithm: Algorithm;
  maxQueue: number;
  queue: Waiter[];
  timer: Timer | undefined;
}

export interface ThrottleLimits {
  max?: number;
  period?: number;
  maxQueue?: number;
  algorithm?: 'fixed' | 'sliding' | 'bucket';
  capacity?: number;
}

/** [sync-50] [sync-61] [sync-69] */
export function makeThrottle(limits: ThrottleLimits): Throttle {
  const { max = 1, period = 1000, maxQueue = 0, algorithm = 'fixed', capacity = max } = limits;
  const throttle: Throttle = {
    algorithm: algorithms[algorithm](max, period, capacity),
    maxQueue,
    queue: [],
    timer: undefined,
    lock: (step) => enter(throttle, step),
    unlock: () => {}, // [sync-55]
  };
  return throttle;
}

/** [sync-51] [sync-53] [sync-54] */
function enter(throttle: Throttle, step: Step): void {
  if (tryEnter(throttle, step)) return;
  mayQueue(throttle, step);
  wait(throttle.queue, step, {}, () => arm(throttle, step));
  arm(throttle, step);
}

/** At once: nobody waits, and the algorithm lets one in. */
export function tryEnter({ algorithm, queue }: Throttle, { flow }: Step): boolean {
  const { now } = flow.tool;
  if (queue.length > 0 || !algorithm.isFree(now)) return false;
  algorithm.take(now);
  return true;
}

/** [sync-56] [sync-67]: fails the step if it may not wait. */
export function mayQueue({ algorithm, queue, maxQueue }: Throttle, step: Step): void {
  const { now } = step.flow.tool;
  if (queue.length < maxQueue) return;
  error(step, 'DefenseRejected', undefined, Math.max(0, algorithm.nextAt(now) - now));
}

/** [sync-60]: a timer for the next admission, while somebody waits. */
function arm(throttle: Throttle, step: Step): void {
  const { algorithm, queue, timer } = throttle;
  const { tool } = step.flow;
  if (queue.length === 0) {
    if (timer !== undefined) cancelEntry(tool, timer);
    throttle.timer = undefined;
  } else if (timer === undefined) {
    const delay = Math.max(0, algorithm.nextAt(tool.now) - tool.now);
    throttle.timer = deferred(tool, delay, () => tick(throttle, step));
  }
}

/** [sync-52] [sync-55] [sync-58] [sync-64] [sync-66]: those who wait enter in their order, as far as the algorithm lets them. */
function tick(throttle: Throttle, step: Step): void {
  const { algorithm, queue } = throttle;
  const { now } = step.flow.tool;
  throttle.timer = undefined;
  algorithm.tick?.(now);
  for (let first = firstOf(queue); first !== undefined; first = firstOf(queue)) {
    if (!algorithm.isFree(now)) break;
    algorithm.take(now);
    grant(queue, first);
  }
  arm(throttle, step);
}
