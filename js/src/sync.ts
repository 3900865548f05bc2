// Guarded sections: a step that is locked before its body runs, and unlocked when it closes.
//
//     queued -> open, its lock runs in an inner step -> locked: unlock is owed -> its body runs, it is a step like others -> closed
//
// - A guard of the runtime that is free lets it in at once, without an inner step.
// - The inner step ends with ok, or is completed so from outside: that is the lock. Every other end of it goes outwards.
// - What is owed is paid in `close`, which every outcome of a step goes through.

import { close } from './frame.js';
import type { ErrorHandler, ISync } from './iasyncsteps.js';
import { Guard } from './guard.js';
import { latchThrown } from './latch.js';
import { BODY, FOREVER, INNER, LEFT, LOCK, OWED, SECTION } from './phase.js';
import { settle, watchCancelled } from './settle.js';
import { isCancelled } from './shelter.js';
import { type Guarded, Options, Step } from './step.js';
import { clearResults, type Line, open } from './tree.js';

/** The options of a section: what they are of every step, and what it's guarded with. */
export class Section extends Options implements Guarded {
  declare readonly guard: ISync | Guard;
  /** `onerror`, as long as the section isn't locked. */
  declare readonly guarded: ErrorHandler | null;
  /** For its body, while the lock runs. */
  declare results: number;
  declare value: unknown;

  constructor(guard: ISync | Guard, onerror: ErrorHandler | null) {
    super();
    this.guard = guard;
    this.guarded = onerror;
    this.results = 0;
    this.value = undefined;
  }
}

export function isGuard(guard: any): guard is ISync | Guard {
  if (guard instanceof Guard) return true;
  return (
    Object(guard) === guard &&
    typeof guard.lock === 'function' &&
    typeof guard.unlock === 'function'
  );
}

/** Opens a section: a guard of the runtime may let it in at once. Returns whether the line goes on in this turn. */
export function openSection(line: Line, step: Step): boolean {
  const section = step.options as Section;
  const { guard } = section;
  section.results = line.results;
  section.value = line.value;
  clearResults(line);
  open(line, step, INNER);
  if (!(guard instanceof Guard && guard.admit(line))) return callLock(line, openLock(line), guard);
  step.bits |= OWED;
  return true;
}

/** Opens the step in which a lock runs. */
function openLock(line: Line): Step {
  const lock = new Step(LOCK, null, 0);
  open(line, lock, BODY);
  return lock;
}

/** Locks a section, in a step of its own. Returns whether the line goes on in this turn. */
function callLock(line: Line, step: Step, guard: ISync | Guard): boolean {
  let returned: unknown;
  try {
    if (guard instanceof Guard) guard.wait(step);
    else returned = guard.lock(step);
  } catch (thrown) {
    latchThrown(step, thrown);
  }
  if (isCancelled(line)) {
    watchCancelled(step, returned);
    return false;
  }
  if (returned !== undefined || (step.bits & (LEFT | OWED)) !== 0 || step.tail !== null) {
    return settle(line, step, returned);
  }
  close(line, step);
  return true;
}

/** The section is locked: from now on it is a step with a body. */
export function enterSection(line: Line, step: Step): Step {
  const section = step.options as Section;
  step.bits = (step.bits & FOREVER & ~SECTION) | BODY;
  section.onerror = section.guarded;
  line.results = section.results;
  line.value = section.value;
  return step;
}
