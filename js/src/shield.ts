// Shields, and deferred functions: steps that nothing outside can end. How a closing waits for them is in `closing` and `cleanup`.

import { outcomeOf } from './outcome.js';
import { badArgument, checkFunction } from './error.js';
import type { Deferred } from './iasyncsteps.js';
import type { Part, ResultOf, Step as IStep, Values } from './istep.js';
import { AGAIN, type Kind, READY } from './kind.js';
import { BODY, DEFERRED, DEFERS, HIDDEN, INNER, OPENS, QUEUED, SHELTERED } from './phase.js';
import { Shelter, shelterOf } from './shelter.js';
import { Definition } from './definition.js';
import { checkPart, partName } from './steps.js';
import { giveBody, optionsOf, Step } from './step.js';
import { pushTimer, StepTimer } from './timer.js';
import { checkDelay } from './timers.js';
import { setResults } from './results.js';
import { openInside, type Line, open } from './tree.js';

export const SHIELD = OPENS;

export class Shield extends Shelter implements Kind {
  declare private readonly limit: number;
  declare readonly body: unknown;
  /** When its limit has passed. */
  declare private until: number;
  /** What its step has set itself. */
  declare own: StepTimer | null;

  constructor(step: Step, limit: number, body: unknown) {
    super(step);
    this.limit = limit;
    this.body = body;
    this.until = Infinity;
    this.own = null;
  }

  get kind(): string {
    return 'shield';
  }

  open(line: Line, step: Step): number {
    const { body } = this;
    const isBody = typeof body === 'function';
    open(line, step, isBody ? BODY : INNER);
    step.bits |= SHELTERED;
    pushTimer(this);
    this.begin();
    if (isBody) giveBody(step, body);
    else openInside(step, body, HIDDEN, 0);
    return isBody ? READY : AGAIN;
  }

  /** Nothing around it can end it. Within the limit a step may give itself less time. */
  override arm(ms: number, code?: string): void {
    const own = (this.own ??= new StepTimer(this.step));
    const due = own.start(ms);
    own.name(code);
    this.nearest = due < this.until ? due : this.until;
  }

  override ends(): number {
    return Math.min(super.ends(), this.own?.ends() ?? Infinity);
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

/**
 * A step in which a timeout, a cancel or a failed sibling outside of it isn't seen: it's performed when the step has closed. Its body gets
 * the values that the step finds; its result is the step's. After `limit`, milliseconds, `Timeout` is raised at the step; what a handler adds
 * has it anew. A limit that is negative, NaN or infinite: `InternalError` at the call. Guide: docs/cleanup.md#shield
 *
 *     const commit = shield(1000, (asi) => asi.add(write).add(flush));
 *     flow.add(commit);
 */
export function shield<R, In extends Values = readonly unknown[]>(
  limit: number,
  body: Part<In, R>,
): IStep<In, ResultOf<R>>;
export function shield(limit: number, body: unknown): any {
  const ms = checkDelay('shield', limit);
  if (ms === Infinity) badArgument('shield', 'a finite limit', limit);
  const part = checkPart('shield', body);
  return new Definition(SHIELD, (step) => new Shield(step, ms, part), true, partName(part));
}

/** A step of a cleanup, which its line's top is in. */
class Deferral implements Kind {
  declare private readonly fn: Deferred;

  constructor(fn: Deferred) {
    this.fn = fn;
  }

  open(line: Line, step: Step): number {
    const shelter = shelterOf(line.top!);
    const { failure, closing } = shelter;
    shelter.running = step;
    shelter.grant();
    setResults(line, [outcomeOf(line, failure, closing, shelter)]);
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
