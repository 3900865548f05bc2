/** What a guard of the program's own may take back. */
import type { Step, StepTimer } from './shape.js';
import { fire, timerOf } from './timeout.js';
import { misuse } from './thrown.js';
import { cancelEntry } from './tool.js';

export interface Lease {
  section: Step;
  timer: StepTimer | undefined;
  /** It has closed, or a closing that is wider waits for something inside. */
  over: boolean;
}

/** [sync-203]: the step is that of `lock()`. */
export function makeLease({ kind, parent }: Step): Lease {
  if (kind !== 'lock') throw misuse('only a lock has a lease');
  if (parent!.lease !== undefined) throw misuse('the lock has one already');
  return (parent!.lease = { section: parent!, timer: undefined, over: false });
}

/** [sync-194] [sync-195] */
export function loseIn(lease: Lease, ms: number): void {
  if (!(ms >= 0)) throw misuse('a delay is a number from 0 up');
  if (lease.over) return;
  disarm(lease);
  lease.timer = timerOf(lease.section, ms, () => lost(lease));
}

/** [sync-198] */
function lost({ section }: Lease): void {
  if (['cleaning', 'stopping', 'stopped'].includes(section.phase)) return;
  fire(section, 'LeaseLost');
}

function disarm({ section, timer }: Lease): void {
  if (timer?.entry !== undefined) cancelEntry(section.flow.tool, timer.entry);
}

/** [sync-198] [sync-199] */
export function endLease({ lease }: Step): void {
  if (lease === undefined) return;
  disarm(lease);
  lease.over = true;
}
