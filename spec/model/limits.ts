/** Limits of guards are judged when they are made. */
import { misuse } from './thrown.js';

/** [sync-45] [sync-47] [sync-48] [sync-77] [channel-24]: `queues` may be 0, and unlimited. */
export function checkLimits(limits: { [name: string]: unknown }, queues: readonly string[]): void {
  for (const [name, limit] of Object.entries(limits)) {
    if (typeof limit !== 'number') continue;
    const isQueue = queues.includes(name);
    if (isQueue && limit === Number.POSITIVE_INFINITY) continue;
    if (!Number.isSafeInteger(limit) || limit < (isQueue ? 0 : 1)) {
      throw misuse(`${name} can't be ${limit}`);
    }
  }
  const { algorithm, max = 1, period = 1000, capacity = max } = limits;
  if (algorithm === 'bucket' && (capacity as number) * (period as number) > 2 ** 53 - 1) {
    throw misuse('the bucket is too large');
  }
}
