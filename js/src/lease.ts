// What a guard of the program's own may take back: a timer of its section that is armed from outside, whatever is open inside.
//
// - It stands in no chain of timers, since only a line's top may change those: it is no deadline, and no closing disarms it.
// - So it looks itself, when it fires, whether a closing that is wider waits for something inside. That ends the section anyway.
// - A section that stops what it has begun, or cleans up, has ended but for that.
// - The section disarms it when it closes, or is left without its lock.

import { badArgument, raisedBy } from './error.js';
import { errors } from './codes.js';
import type { IAsyncSteps } from './iasyncsteps.js';
import type { Hosts, Kind } from './kind.js';
import { CLOSED, EXITS, HOSTS, OBLIGES, OWED, SHELTERED } from './phase.js';
import { shelterOf } from './shelter.js';
import { kindOf, Step } from './step.js';
import type { Section } from './sync.js';
import { StepTimer } from './timer.js';
import { checkDelay } from './timers.js';
import type { Closing } from './tree.js';
import { infoOf, type Named, refusal } from './waiters.js';

export class LeaseTimer extends StepTimer {
  /** Of a guard of the runtime: who has taken it back, and why. */
  by: Named | undefined;
  why = '';

  /** Nothing if its section has closed: what keeps its lock then has no step. */
  lose(ms: number): void {
    if ((this.step.bits & CLOSED) === 0) this.start(ms);
  }

  override fire(): void {
    const { step, by, why } = this;
    if (step.bits & SHELTERED) return;
    const waits = closingIn(step);
    if (waits !== null && !isInside(waits.stop, step)) return;
    if (by !== undefined)
      this.error = refusal(raisedBy(step, errors.LeaseLost, infoOf(by, why)), by);
    super.fire();
  }
}

/** What waits for something inside of the step to close. The outermost on its line is the widest. */
function closingIn(step: Step): Closing | null {
  const { top } = step.line;
  let closing = top!.bits & HOSTS ? (kindOf(top!) as Hosts).closing : null;
  for (let inside = top!; inside !== step; inside = inside.link!) {
    if (inside.bits & SHELTERED) ({ closing } = shelterOf(inside));
  }
  return closing;
}

/** Whether that is the step, or something inside. Null: all of the line. */
function isInside(stop: Step | null, step: Step): boolean {
  let frame = stop === null ? null : step.line.top;
  while (frame !== stop && frame !== step) frame = frame!.link;
  return stop !== null && frame === stop;
}

/**
 * The right to take a lock back, for a guard of the program's own: what it has let in is lost, and its section fails with `LeaseLost`, as by
 * a timeout. Made in `lock()`, with the accessor of that; else `InternalError`. It ends with its section. Guide: docs/limits.md#guards-of-your-own
 *
 *     const leases = new Set<Lease>();
 *     asi.sync({ lock: (asi) => void leases.add(new Lease(asi)), unlock() {} }, body);
 */
export class Lease {
  readonly #timer: LeaseTimer;

  /** `InternalError` if `asi` isn't the accessor of an open `lock()`, or if that has made one. */
  constructor(asi: IAsyncSteps) {
    this.#timer = leaseOf(isFree(asi) ? asi : badArgument('Lease', 'a lock without a lease', asi));
  }

  /**
   * The section loses its lock in `ms` milliseconds, by default in the next timer pass, unless this is called again: `Infinity` takes it
   * back. Nothing if the section has closed. `InternalError` if `ms` is negative or NaN.
   */
  lose(ms = 0): void {
    this.#timer.lose(checkDelay('lose', ms));
  }
}

/** Of an open lock that has none. */
function isFree(asi: unknown): asi is Step {
  const isLock = asi instanceof Step && (asi.bits & (OBLIGES | CLOSED)) === OBLIGES;
  return isLock && sectionOf(asi).exit === undefined;
}

function sectionOf({ link }: Step): Section & Kind {
  return kindOf(link!) as Section;
}

/** The timer of the section that is locked, which disarms it when it closes, or when it is left and has no lock. */
export function leaseOf(lock: Step): LeaseTimer {
  const section = sectionOf(lock);
  const timer = new LeaseTimer(lock.link!);
  const { closed } = section;
  timer.name(errors.LeaseLost);
  timer.step.bits |= EXITS;
  section.exit = ({ bits }) => {
    if ((bits & OWED) === 0) timer.disarm();
  };
  section.closed = (...closing) => {
    closed.apply(section, closing);
    timer.disarm();
  };
  return timer;
}
