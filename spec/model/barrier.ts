/** A barrier: lines that wait for each other. */
import { addStep, adderOf } from './adding.js';
import { completionValid } from './external.js';
import type { Guard, Step } from './shape.js';
import { misuse } from './thrown.js';
import { grant, wait, type Waiter } from './waiters.js';

export interface Barrier {
  parties: number;
  queue: Waiter[];
}

/** [sync-149] */
export function makeBarrier({ parties }: { parties?: number }): Guard {
  if (parties === undefined) throw misuse('a barrier needs its parties');
  const barrier: Barrier = { parties, queue: [] };
  const none = (): never => {
    throw misuse('a barrier is no guard');
  };
  return {
    lock: none,
    unlock: none,
    waitAt: (step) => addStep(adderOf(step), (inner) => arrive(barrier, inner)),
    says: () => ({ waiting: barrier.queue.length }),
  };
}

/** [sync-145] [sync-146] [sync-147] [sync-148] */
function arrive(barrier: Barrier, step: Step): void {
  const { queue, parties } = barrier;
  const left = queue.filter(({ completion }) => !completionValid(completion));
  if (queue.length + 1 >= parties) for (const gone of left) queue.splice(queue.indexOf(gone), 1);
  if (queue.length + 1 < parties) wait(queue, step, {}, () => {});
  else for (const waiter of [...queue]) grant(queue, waiter);
}
