// Shields, and deferred functions: steps that nothing outside can end. How a closing waits for them is in `closing` and `cleanup`.

import { badArgument, checkFunction } from './error.js';
import type { Deferred } from './iasyncsteps.js';
import { type Opens, READY } from './kind.js';
import { BODY, DEFERRED, OPENS, OWED, QUEUED, SHELTERED } from './phase.js';
import { Shelter, shelterOf } from './shelter.js';
import { optionsOf, Step } from './step.js';
import { pushTimer } from './timer.js';
import { checkDelay } from './timers.js';
import { clearResults, type Line, open } from './tree.js';

export class Shield implements Opens {
  declare private readonly limit: number;
  declare private readonly body: unknown;

  constructor(limit: number, body: unknown) {
    this.limit = limit;
    this.body = body;
  }

  open(line: Line, step: Step): number {
    open(line, step, BODY);
    step.bits |= SHELTERED | OWED;
    step.work = this.body;
    const shelter = new Shelter(step, this.limit);
    optionsOf(step).timer = shelter;
    pushTimer(shelter);
    shelter.begin();
    return READY;
  }
}

export function checkShield(limit: number): number {
  const ms = checkDelay('shield', limit);
  return ms === Infinity ? badArgument('shield', 'a finite limit', limit) : ms;
}

/** A step of a cleanup, which its line's top is in. */
class Deferral implements Opens {
  declare private readonly fn: Deferred;

  constructor(fn: Deferred) {
    this.fn = fn;
  }

  open(line: Line, step: Step): number {
    const shelter = shelterOf(line.top!);
    shelter.running = step;
    shelter.grant();
    clearResults(line);
    open(line, step, BODY);
    step.work = this.fn;
    return READY;
  }
}

/** `defer(fn)` of the accessor. */
export function defer(step: Step, fn: Deferred): void {
  checkFunction('defer', fn);
  const options = optionsOf(step);
  const last = options.deferred;
  const index = last === null ? 0 : last.link!.index + 1;
  const newest = new Step(DEFERRED | OPENS | QUEUED, new Deferral(fn), index);
  if (last === null) {
    options.deferred = newest.link = newest;
  } else {
    newest.link = last.link;
    last.link = newest;
  }
  step.bits |= OWED;
}
