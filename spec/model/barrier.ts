/** A barrier: lines that wait for each other. */
import { addStep, adderOf } from './adding.js';
import { completionValid } from './external.js';
import type { Guard, Shown, Step } from './shape.js';
import { misuse } from './thrown.js';
import { atGuard, grant, wait, type Waiter } from './waiters.js';

export interface Barrier {
  shown: Shown;
  parties: number;
  queue: Waiter[];
}

/** [sync-149] */
export function makeBarrier({ parties, name = '' }: { parties?: number; name?: string }): Guard {
  if (parties === undefined) throw misuse('a barrier needs its parties');
  const says = () => ({ waiting: barrier.queue.length });
  const shown = { kind: 'barrier', name, says, lines: () => [] };
  const barrier: Barrier = { shown, parties, queue: [] };
  const none = (): never => {
    throw misuse('a barrier is no guard');
  };
  return {
    lock: none,
    unlock: none,
    waitAt: (step) => addStep(adderOf(step), (inner) => arrive(barrier, inner)),
    says,
  };
}

/** [sync-145] [sync-146] [sync-147] [sync-148] */
function arrive(barrier: Barrier, step: Step): void {
  const { queue, parties, shown } = barrier;
  const left = queue.filter(({ completion }) => !completionValid(completion));
  if (queue.length + 1 >= parties) for (const gone of left) queue.splice(queue.indexOf(gone), 1);
  if (queue.length + 1 < parties) wait(queue, step, atGuard(shown), {}, () => {});
  else for (const waiter of [...queue]) grant(queue, waiter);
}
