/** Limits of guards are judged when they are made. */
import type { ThrottleLimits } from './throttle.js';
import { misuse } from './thrown.js';

/** What may be unlimited, and what may be 0. */
const unlimited = ['maxQueue', 'concurrent', 'rate'];
const none = ['maxQueue', 'capacity'];

/** [sync-45] [sync-49] [sync-77] [sync-78] [channel-24]; a capacity is that of a channel. */
export function checkLimits(limits: { [name: string]: unknown }): void {
  for (const [name, limit] of Object.entries(limits)) {
    if (typeof limit !== 'number') continue;
    const endless = unlimited.includes(name) || name === 'capacity';
    if (endless && limit === Number.POSITIVE_INFINITY) continue;
    if (!Number.isSafeInteger(limit) || limit < (none.includes(name) ? 0 : 1)) {
      throw misuse(`${name} can't be ${limit}`);
    }
  }
}

/** Of a throttle, its own or that of a limiter. */
export function checkRate({ max, period = 1000, algorithm, burst }: ThrottleLimits): void {
  if (max === undefined) throw misuse('a throttle needs its max');
  if (burst !== undefined && (algorithm ?? 'bucket') !== 'bucket')
    throw misuse(`a burst goes with a bucket, not with ${algorithm}`);
  if (burst === undefined && algorithm !== 'bucket') return;
  if ((burst ?? max) * period > 2 ** 53 - 1) throw misuse('the bucket is too large');
}
