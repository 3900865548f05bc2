/** Sections: steps that a guard is locked for. */
import type { Why } from './closing.js';
import { runBody } from './body.js';
import { endOf } from './outcome.js';
import { makeStep, type Step, type Values } from './shape.js';
import { waitsFor } from './shelter.js';
import { callUser } from './usercode.js';

/** [sync-3] [sync-4] [sync-6] [sync-7] [sync-13]: lock() is the body of a step inside the section, which keeps its values meanwhile. */
export function lockSection(section: Step, values: Values): void {
  section.kept = values;
  const lock = makeStep('lock', section.flow, section);
  lock.body = (step) => section.guard!.lock(step);
  lock.line = section.line;
  section.line!.top = lock;
  runBody(lock, [], false);
}

/** [sync-10]: from now on it has a handler. */
export function beginSection(section: Step): void {
  section.begun = 1;
  runBody(section, section.kept, true);
}

/** [sync-16] [sync-18]: whether the lock has ended with ok is known when its cleanup is over; a grant ([sync-17]) counts if it's closed before. */
export function endLock({ parent: section, cleaned }: Step, verdict: Why): void {
  const { how } = verdict;
  if (cleaned?.failed) section!.locked = false;
  else if (how !== 'silent' && how !== 'cancelled') section!.locked = how === 'ok';
}

/** [sync-16] [sync-18] to [sync-25]: if the lock has ended with ok. Returns whether it was. */
export function unlockSection(section: Step, verdict: Why): boolean {
  const { flow, guard, locked } = section;
  if (!locked) return false;
  section.locked = false;
  const why = waitsFor(section) ?? verdict; // [cleanup-18]
  const { thrown, value } = callUser(section, undefined, true, () =>
    guard!.unlock(section, endOf(section, why), why),
  );
  if (thrown) flow.hooks.report(value); // [sync-23]
  return true;
}
