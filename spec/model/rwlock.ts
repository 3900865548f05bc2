/** A read-write lock: two guards that share one queue. */
import { holds, holdsNot } from './holds.js';
import { linesAround } from './mutex.js';
import { refuse, refuseFull, type Title } from './refusal.js';
import type { Guard, Line, Shown, Step } from './shape.js';
import { atGuard, firstOf, grant, wait, type Waiter } from './waiters.js';

type How = 'read' | 'write';

/** A line that is in, and how often it has locked each of the two; and how much of what was abandoned keeps that. */
interface Holder {
  line: Line | undefined;
  read: number;
  write: number;
  kept: { read: number; write: number };
}

interface Lock {
  title: Title;
  shown: Shown;
  maxQueue: number;
  abandoned: 'keep' | 'release';
  holders: Holder[];
  queue: (Waiter & { how: How })[];
}

/** [sync-49] */
export function makeRwLock(
  maxQueue = Number.POSITIVE_INFINITY,
  abandoned: 'keep' | 'release' = 'keep',
  name = '',
): { [how in How]: Guard } {
  const title = { kind: 'rwlock', name };
  const lock: Lock = {
    title,
    shown: {
      ...title,
      says: () => ({ waiting: lock.queue.length, active: lock.holders.length }),
      lines: () => lock.holders.flatMap(({ line }) => line ?? []),
    },
    maxQueue,
    abandoned,
    holders: [],
    queue: [],
  };
  const guard = (how: How): Guard => ({
    lock: (step) => lockIt(lock, how, step),
    unlock: (step) => giveBack(lock, how, step.line!),
    says: () => says(how),
  });
  const says = (how: How) => ({
    waiting: lock.queue.filter((waiter) => waiter.how === how).length,
    active: lock.holders.filter((holder) => holder[how] + holder.kept[how] > 0).length,
  });
  return { read: guard('read'), write: guard('write') };
}

/** The tables of the sync chapter, row by row. [sync-93] [sync-95] [sync-99] to [sync-101] [sync-39] */
function lockIt(lock: Lock, how: How, step: Step): void {
  const line = step.line!;
  const { holders, queue, title } = lock;
  const deadlock = () => refuse(step, 'Deadlock', title, 'the line, or one around it, is in');
  const own = holders.find((holder) => holder.line === line);
  const around = holders.filter(
    (holder) => holder.line !== undefined && linesAround(line).includes(holder.line),
  );
  const nobody = queue.length === 0;
  if (how === 'read') {
    if (own !== undefined) return enter(lock, how, line);
    if (around.some(({ write }) => write > 0)) deadlock();
    if (around.length > 0) return enter(lock, how, line);
    if (nobody && mayEnter(lock, how)) return enter(lock, how, line);
  } else {
    if (own !== undefined && own.write > 0) return enter(lock, how, line);
    if (own !== undefined || around.length > 0) deadlock();
    if (mayEnter(lock, how)) return enter(lock, how, line);
  }
  if (queue.length >= lock.maxQueue) refuseFull(step, title);
  wait(queue, step, atGuard(lock.shown, `rwlock.${how}`), { how }, ({ ok, granted, claimed }) => {
    if (!granted)
      letIn(lock); // [sync-105]
    else if (!ok && !claimed) giveBack(lock, how, line);
  });
}

/** [sync-90] [sync-91] */
function mayEnter({ holders }: Lock, how: How): boolean {
  if (how === 'write') return holders.length === 0;
  return holders.every(({ write, kept }) => write + kept.write === 0);
}

function enter(lock: Lock, how: How, line: Line): void {
  const known = lock.holders.find((holder) => holder.line === line);
  const own = known ?? { line, read: 0, write: 0, kept: { read: 0, write: 0 } };
  if (known === undefined) lock.holders.push(own);
  if (own[how]++ > 0) return;
  const keep = () => {
    own.kept[how]++;
    return () => {
      own.kept[how]--;
      letGo(lock, own);
    };
  };
  holds(line, {
    shown: lock.shown,
    what: lock,
    how,
    keep: lock.abandoned === 'keep' ? keep : undefined, // [sync-117]
  });
}

function giveBack(lock: Lock, how: How, line: Line): void {
  const own = lock.holders.find((holder) => holder.line === line)!;
  if (--own[how] === 0) holdsNot(line, lock, how);
  letGo(lock, own);
}

/** [sync-113] [sync-114]: it belongs to no line once that has left, and is gone when nothing keeps it. */
function letGo(lock: Lock, own: Holder): void {
  if (own.read + own.write === 0) own.line = undefined;
  lock.holders = lock.holders.filter(
    ({ read, write, kept }) => read + write + kept.read + kept.write > 0,
  );
  letIn(lock);
}

/** [sync-32] [sync-94] */
function letIn(lock: Lock): void {
  const { queue } = lock;
  for (let first = firstOf(queue); first !== undefined; first = firstOf(queue)) {
    if (!mayEnter(lock, first.how)) return;
    enter(lock, first.how, first.step.line!);
    grant(queue, first);
  }
}
