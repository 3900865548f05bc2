/** The timers of the platform, and which of them are live. */
import type { Timers } from '../src/redisconnection.js';

export function countedTimers(): { live: ReadonlySet<object>; timers: Timers } {
  const live = new Set<object>();
  const timers = {
    clock: () => performance.now(),
    start(fn: () => void, ms: number) {
      const timer = setTimeout(() => live.delete(timer) && fn(), ms);
      live.add(timer);
      return timer;
    },
    stop(timer: any) {
      live.delete(timer);
      clearTimeout(timer);
    },
  };
  return { live, timers };
}
