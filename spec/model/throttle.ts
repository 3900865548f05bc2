/** A throttle: so many entries in a period. */
import { type Algorithm, algorithms } from './algorithms.js';
import { checkRate } from './limits.js';
import { refuseFull, type Title } from './refusal.js';
import type { Guard, Shown, Step } from './shape.js';
import { cancelEntry, deferred, type Timer } from './tool.js';
import { atGuard, firstOf, grant, wait, type Waiter } from './waiters.js';

export interface Throttle extends Guard {
  title: Title;
  shown: Shown;
  algorithm: Algorithm;
  maxQueue: number;
  queue: Waiter[];
  timer: Timer | undefined;
}

export interface ThrottleLimits {
  max?: number;
  period?: number | undefined;
  maxQueue?: number;
  algorithm?: 'fixed' | 'sliding' | 'bucket';
  burst?: number | undefined;
  name?: string;
}

/** [sync-49] [sync-50] [sync-61] */
export function makeThrottle(limits: ThrottleLimits, shown?: Shown): Throttle {
  checkRate(limits);
  const { period = 1000, maxQueue = Number.POSITIVE_INFINITY } = limits;
  const max = limits.max!;
  const algorithm = limits.algorithm ?? (limits.burst === undefined ? 'fixed' : 'bucket');
  const title = { kind: 'throttle', name: limits.name ?? '' };
  const throttle: Throttle = {
    title,
    shown: shown ?? { ...title, says: () => throttle.says!(), lines: () => [] },
    algorithm: algorithms[algorithm](max, period, limits.burst ?? max),
    maxQueue,
    queue: [],
    timer: undefined,
    lock: (step) => enter(throttle, step),
    unlock: () => {}, // [sync-55]
    says: () => ({ waiting: throttle.queue.length }),
    isNew: (tool) =>
      tool !== undefined && throttle.queue.length === 0 && throttle.algorithm.isNew(tool.now),
  };
  return throttle;
}

/** [sync-51] [sync-54] */
function enter(throttle: Throttle, step: Step): void {
  if (tryEnter(throttle, step)) return;
  mayQueue(throttle, step);
  wait(throttle.queue, step, atGuard(throttle.shown), {}, () => arm(throttle, step));
  arm(throttle, step);
}

/** At once: nobody waits, and the algorithm lets one in. */
export function tryEnter({ algorithm, queue }: Throttle, { flow }: Step): boolean {
  const { now } = flow.tool;
  if (queue.length > 0 || !algorithm.isFree(now)) return false;
  algorithm.take(now);
  return true;
}

/** [sync-39] */
function mayQueue(throttle: Throttle, step: Step): void {
  const { title, queue, maxQueue } = throttle;
  if (queue.length < maxQueue) return;
  refuseFull(step, title, { retryAfter: timeUntilFree(throttle, step) });
}

/** [sync-67] */
export function timeUntilFree({ algorithm }: Throttle, step: Step): number {
  const { now } = step.flow.tool;
  return Math.max(0, algorithm.nextAt(now) - now);
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
