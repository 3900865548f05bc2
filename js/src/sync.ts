// Guarded sections: a step that is locked before its body runs, and unlocked when it closes.
//
//     queued -> open, its lock runs in an inner step -> locked: unlock is owed -> its body runs, it is a step like others -> closed
//
// - A guard of the runtime that is free lets it in at once, without an inner step.
// - The inner step ends with ok, or is completed so from outside: that is the lock. Every other end of it goes outwards.
// - What is owed is paid in `close`, which every outcome of a step goes through.

import { CANCELLED, enter, THREW } from './enter.js';
import { Guard } from './guard.js';
import type { ErrorHandler, ISync } from './iasyncsteps.js';
import { AGAIN, type Kind, PENDING, READY } from './kind.js';
import { BODY, FOREVER, HIDDEN, OBLIGES, OPENS, OWED, ROUNDS } from './phase.js';
import { settle } from './settle.js';
import { giveBody, Step } from './step.js';
import { type Line, open, openInner } from './tree.js';

export const SECTION = OPENS | ROUNDS;

export class Section implements Kind {
  declare readonly guard: ISync | Guard;
  declare readonly body: unknown;
  /** It hears of no error of the lock's. */
  declare readonly onerror: ErrorHandler | null;
  /** For its body, while the lock runs. */
  results = 0;
  value: unknown = undefined;

  constructor(guard: ISync | Guard, body: unknown, onerror: ErrorHandler | null) {
    this.guard = guard;
    this.body = body;
    this.onerror = onerror;
  }

  /** A guard of the runtime may let it in at once. */
  open(line: Line, step: Step): number {
    const { guard } = this;
    this.results = line.results;
    this.value = line.value;
    openInner(line, step);
    if (!(guard instanceof Guard && guard.admit(line))) return lock(line, guard);
    step.bits |= OWED;
    return AGAIN;
  }

  /** The section is locked. */
  next(): number {
    return READY;
  }

  /** From now on it is a step with a body. */
  round(line: Line, step: Step): Step {
    step.bits = (step.bits & FOREVER & ~ROUNDS) | BODY;
    giveBody(step, this.body).onerror = this.onerror;
    line.results = this.results;
    line.value = this.value;
    return step;
  }

  closed(step: Step): unknown {
    const { guard } = this;
    return guard instanceof Guard ? guard.leave(step.line) : guard.unlock(step);
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

/** Locks a section, in a step of its own. */
function lock(line: Line, guard: ISync | Guard): number {
  const step = new Step(HIDDEN | OBLIGES, null, 0);
  open(line, step, BODY);
  const returned = enter(step, callLock, step, guard);
  if (returned === CANCELLED) return PENDING;
  return settle(line, step, returned === THREW ? undefined : returned) ? AGAIN : PENDING;
}

function callLock(step: Step, guard: ISync | Guard): unknown {
  return guard instanceof Guard ? guard.wait(step) : guard.lock(step);
}
