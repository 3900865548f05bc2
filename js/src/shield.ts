// Shields, and deferred functions: steps that nothing outside can end. How a closing waits for them is in `closing` and `cleanup`.

import { badArgument, checkFunction } from './error.js';
import type { Deferred } from './iasyncsteps.js';
import { type Kind, READY } from './kind.js';
import { BODY, DEFERRED, DEFERS, OPENS, QUEUED, SHELTERED } from './phase.js';
import { Shelter, shelterOf } from './shelter.js';
import { giveBody, optionsOf, Step } from './step.js';
import { pushTimer, StepTimer } from './timer.js';
import { checkDelay } from './timers.js';
import { clearResults, type Line, open } from './tree.js';

export const SHIELD = OPENS;

export class Shield extends Shelter implements Kind {
  declare private readonly limit: number;
  declare private readonly body: unknown;
  /** When its limit has passed. */
  declare private until: number;
  /** What its step has set itself. */
  declare private own: StepTimer | null;

  constructor(step: Step, limit: number, body: unknown) {
    super(step);
    this.limit = limit;
    this.body = body;
    this.until = Infinity;
    this.own = null;
  }

  open(line: Line, step: Step): number {
    open(line, step, BODY);
    step.bits |= SHELTERED;
    giveBody(step, this.body);
    pushTimer(this);
    this.begin();
    return READY;
  }

  /** Nothing around it can end it. Within the limit a step may give itself less time. */
  override arm(ms: number): void {
    const due = (this.own ??= new StepTimer(this.step)).start(ms);
    this.nearest = due < this.until ? due : this.until;
  }

  override disarm(): void {
    super.disarm();
    this.own?.disarm();
  }

  /** The limit counts from now on: also what a handler adds has it anew. */
  override begin(): void {
    this.nearest = this.until = this.start(this.limit);
  }

  override stays(): boolean {
    return true;
  }
}

export function checkShield(limit: number): number {
  const ms = checkDelay('shield', limit);
  return ms === Infinity ? badArgument('shield', 'a finite limit', limit) : ms;
}

/** A step of a cleanup, which its line's top is in. */
class Deferral implements Kind {
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
  step.bits |= DEFERS;
}
