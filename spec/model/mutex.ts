/** A mutex: so many lines at a time. */
import { holds, holdsNot } from './holds.js';
import type { Guard, Line, Shown, Step } from './shape.js';
import { refuse, refuseFull, type Title } from './refusal.js';
import { misuse } from './thrown.js';
import { atGuard, type Close, firstOf, grant, wait, type Waiter } from './waiters.js';

/** A line with places, and how often it has locked; and how much of what was abandoned keeps them. */
interface Holder {
  line: Line | undefined;
  places: number;
  count: number;
  kept: number;
}

export interface Mutex extends Guard {
  title: Title;
  shown: Shown;
  max: number;
  maxQueue: number;
  abandoned: 'keep' | 'release';
  /** Who has a place. */
  holders: Holder[];
  queue: (Waiter & { places: number })[];
}

/** [sync-30] [sync-49] */
export function makeMutex(
  max = 1,
  maxQueue = Number.POSITIVE_INFINITY,
  abandoned: 'keep' | 'release' = 'keep',
  title: Title = { kind: 'mutex', name: '' },
  shown?: Shown,
): Mutex {
  const mutex: Mutex = {
    title,
    shown: shown ?? {
      ...title,
      says: () => mutex.says!(),
      lines: () => linesIn(mutex),
    },
    max,
    maxQueue,
    abandoned,
    holders: [],
    queue: [],
    lock: (step) => lock(mutex, step, 1),
    unlock: (step) => giveBack(mutex, step.line!),
    places: (n) => placesOf(mutex, n),
    isNew: () => mutex.holders.length + mutex.queue.length === 0,
    says: () => {
      const active = taken(mutex);
      return { waiting: mutex.queue.length, active, available: max - active };
    },
  };
  return mutex;
}

/** The table of the sync chapter: a mutex, when a line locks it. [sync-31] [sync-35] [sync-37] [sync-38] [sync-39] */
function lock(mutex: Mutex, step: Step, places: number): void {
  if (tryLock(mutex, step.line!, places)) return;
  mayWait(mutex, step, places);
  const closes = ({ ok, granted, claimed }: Close) => {
    if (granted && !ok && !claimed) giveBack(mutex, step.line!); // [sync-18] [sync-33]
    letIn(mutex); // [sync-125]
  };
  wait(mutex.queue, step, atGuard(mutex.shown), { places }, closes, before(mutex, step.line!));
}

/** [sync-123] [sync-128] */
function placesOf(mutex: Mutex, places: number): Guard {
  if (!Number.isSafeInteger(places) || places < 1 || places > mutex.max)
    throw misuse(`there are ${mutex.max} places, not ${places}`);
  return { lock: (step) => lock(mutex, step, places), unlock: mutex.unlock };
}

/** [observe-11] */
export function linesIn({ holders }: Mutex): Line[] {
  return holders.flatMap(({ line }) => line ?? []);
}

function taken({ holders }: Mutex): number {
  return holders.reduce((sum, { places }) => sum + places, 0);
}

/** At once: the line has so many places already, or they are free, and nobody waits for them. [sync-124] [sync-126] */
export function tryLock(mutex: Mutex, line: Line, places = 1): boolean {
  const held = mutex.holders.find((holder) => holder.line === line);
  if (held !== undefined) {
    if (held.places < places) return false;
    held.count++;
    return true;
  }
  if (before(mutex, line) > 0 || taken(mutex) + places > mutex.max) return false;
  take(mutex, line, places);
  return true;
}

/** Where it would stand in the queue. [sync-124] [sync-171] */
function before({ holders, queue }: Mutex, line: Line): number {
  const around = linesAround(line);
  if (!holders.some((holder) => holder.line && around.includes(holder.line))) return queue.length;
  const several = queue.findIndex(({ places }) => places > 1);
  return several < 0 ? queue.length : several;
}

function take(mutex: Mutex, line: Line, places: number): void {
  const held = { line, places, count: 1, kept: 0 };
  mutex.holders.push(held);
  const keep = () => {
    held.kept++;
    return () => {
      held.kept--;
      letGo(mutex, held);
    };
  };
  holds(line, {
    shown: mutex.shown,
    what: mutex,
    how: 'place',
    keep: mutex.abandoned === 'keep' ? keep : undefined, // [sync-117]
  });
}

/** How often the line has locked it. */
export function locksOf(mutex: Mutex, line: Line): number {
  return mutex.holders.find((holder) => holder.line === line)?.count ?? 0;
}

/** [sync-37] [sync-38] [sync-39] [sync-68]: fails the step if it may not wait. */
function mayWait(mutex: Mutex, step: Step, places: number): void {
  checkDeadlock(mutex, step, places);
  if (mutex.queue.length >= mutex.maxQueue) refuseFull(step, mutex.title);
}

/** [sync-37] [sync-126] [sync-127]: fails the step if it would wait for lines around it, or for itself. */
export function checkDeadlock({ holders, max, title }: Mutex, step: Step, places = 1): void {
  const why = 'the places are those of enclosing lines, or of the line itself';
  if (holders.some(({ line }) => line === step.line)) refuse(step, 'Deadlock', title, why);
  const around = linesAround(step.line!);
  const theirs = holders.filter(({ line }) => line !== undefined && around.includes(line));
  if (taken({ holders: theirs } as Mutex) + places > max) refuse(step, 'Deadlock', title, why);
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
  letIn(mutex);
}

/** [sync-33] [sync-124] */
function letIn(mutex: Mutex): void {
  const { queue } = mutex;
  while (taken(mutex) < mutex.max) {
    const first = firstOf(queue);
    if (first === undefined || taken(mutex) + first.places > mutex.max) return;
    take(mutex, first.step.line!, first.places);
    grant(queue, first);
  }
}
