/** A mutex: so many lines at a time. */
import { error } from './accessor.js';
import { holds, holdsNot } from './holds.js';
import type { Guard, Line, Step } from './shape.js';
import { firstOf, grant, wait, type Waiter } from './waiters.js';

/** A line with a place, and how often it has locked; and how much of what was abandoned keeps the place. */
interface Holder {
  line: Line | undefined;
  count: number;
  kept: number;
}

export interface Mutex extends Guard {
  max: number;
  maxQueue: number;
  abandoned: 'keep' | 'release';
  /** Who has a place. */
  holders: Holder[];
  queue: Waiter[];
}

/** [sync-30] [sync-49] */
export function makeMutex(
  max = 1,
  maxQueue = Number.POSITIVE_INFINITY,
  abandoned: 'keep' | 'release' = 'keep',
): Mutex {
  const mutex: Mutex = {
    max,
    maxQueue,
    abandoned,
    holders: [],
    queue: [],
    lock: (step) => lock(mutex, step),
    unlock: (step) => giveBack(mutex, step.line!),
  };
  return mutex;
}

/** The table of the sync chapter: a mutex, when a line locks it. [sync-31] [sync-35] [sync-37] [sync-38] [sync-39] */
function lock(mutex: Mutex, step: Step): void {
  if (tryLock(mutex, step.line!)) return;
  mayWait(mutex, step);
  wait(mutex.queue, step, {}, ({ ok, granted, claimed }) => {
    if (granted && !ok && !claimed) giveBack(mutex, step.line!); // [sync-18] [sync-33]
  });
}

/** At once: the line has a place already, or one is free. */
export function tryLock(mutex: Mutex, line: Line): boolean {
  const held = mutex.holders.find((holder) => holder.line === line);
  if (held !== undefined) held.count++;
  else if (mutex.holders.length < mutex.max) take(mutex, line);
  else return false;
  return true;
}

function take(mutex: Mutex, line: Line): void {
  const held = { line, count: 1, kept: 0 };
  mutex.holders.push(held);
  const keep = () => {
    held.kept++;
    return () => {
      held.kept--;
      letGo(mutex, held);
    };
  };
  holds(line, {
    what: mutex,
    how: 'place',
    keep: mutex.abandoned === 'keep' ? keep : undefined, // [sync-117]
  });
}

/** How often the line has locked it. */
export function placesOf(mutex: Mutex, line: Line): number {
  return mutex.holders.find((holder) => holder.line === line)?.count ?? 0;
}

/** [sync-37] [sync-38] [sync-39] [sync-68]: fails the step if it may not wait. */
export function mayWait(mutex: Mutex, step: Step): void {
  const around = linesAround(step.line!);
  if (mutex.holders.every(({ line }) => line !== undefined && around.includes(line)))
    error(step, 'Deadlock');
  if (mutex.queue.length >= mutex.maxQueue) error(step, 'DefenseRejected');
}

/** [sync-36] */
export function linesAround(line: Line): Line[] {
  const host = line.root.parent?.line;
  return host === undefined ? [] : [host, ...linesAround(host)];
}

/** [sync-33] */
export function giveBack(mutex: Mutex, line: Line): void {
  const held = mutex.holders.find((holder) => holder.line === line)!;
  if (--held.count > 0) return;
  held.line = undefined;
  holdsNot(line, mutex, 'place');
  letGo(mutex, held);
}

/** [sync-113] [sync-114]: the place is free if no line has it, and nothing keeps it. */
function letGo(mutex: Mutex, held: Holder): void {
  if (held.count > 0 || held.kept > 0) return;
  mutex.holders = mutex.holders.filter((holder) => holder !== held);
  const first = firstOf(mutex.queue);
  if (first === undefined) return;
  take(mutex, first.step.line!);
  grant(mutex.queue, first);
}
