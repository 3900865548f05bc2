// Step values: a step that is described once, and run any number of times. A description never changes; what a run needs is made when
// it is queued.
//
// `steps` is the kind that most of them are made of. A sequence is laid out when it is made: a run has nothing but its step, which counts
// the parts that have begun, and each part opens from the description. Sequences inside that are no more than their parts have no step:
// those parts are its own, and what their paths lack is asked of it.
//
// What a run has a value of its own for, since it binds the run's values or gives it a limit, isn't kept while that run waits: what is
// bound opens in the place of the binding, and a step around another one forgets what that was described by.

import type { Cancellable } from './enter.js';
import { badArgument, checkCode, checkFunction, type StepError } from './error.js';
import type { ErrorHandler } from './iasyncsteps.js';
import { AGAIN, ENDED, type Kind, type Program, READY } from './kind.js';
import {
  BODY,
  BRANCH,
  FAILS,
  FREE,
  HIDDEN,
  INNER,
  NUMBERED,
  OPENS,
  QUEUED,
  ROUNDS,
  SHARED,
  IDLE,
} from './phase.js';
import { optionsOf, Step } from './step.js';
import { armStep } from './timer.js';
import { checkDelay } from './timers.js';
import { setResults } from './results.js';
import { append, type Line, open, openInside, type Owner, Queueable } from './tree.js';

/** What stands as a body. */
export type Runnable = Queueable | ((asi: Step, ...values: any[]) => unknown);

/** In milliseconds, and what it raises. */
type Limit = readonly [number, string | undefined];

/** A step value. */
export class Definition extends Queueable {
  declare protected readonly bits: number;
  declare protected readonly work: (step: Step) => unknown;
  /** Whether its own handler hears of its errors as one around it would. */
  declare protected readonly handles: boolean;
  declare readonly name: string | undefined;
  declare readonly onerror: ErrorHandler | undefined;
  /** What it is, if it's a sequence. */
  declare readonly sequence: Sequence | undefined;
  /** In the place of the step of a flow that consists of it. */
  declare private readonly only: Step | undefined;

  constructor(
    bits: number,
    work: (step: Step) => unknown,
    handles: boolean,
    name?: string,
    onerror?: ErrorHandler,
    sequence?: Sequence,
  ) {
    super();
    this.bits = bits;
    this.work = work;
    this.handles = handles;
    this.name = name;
    this.onerror = onerror;
    this.sequence = sequence;
    this.only = name ? undefined : this.bare?.only;
  }

  queue(owner: Owner, place: number): Step {
    const { only } = this;
    if (only && owner.count === 0 && (owner.bits & (IDLE | QUEUED)) === IDLE) {
      owner.count++;
      return (owner.tail = only);
    }
    const name = place & (BRANCH | NUMBERED) ? undefined : this.name;
    const step = append(owner, this.bits | place, null, this.onerror ?? null, name);
    step.work = this.work(step);
    return step;
  }

  named(name: string): Definition {
    if (typeof name !== 'string') badArgument('named', 'a string', name);
    return this.as(name, this.onerror);
  }

  onError(handler: ErrorHandler): Definition {
    checkFunction('onError', handler, 'a function as error handler');
    const heard = this.handles && this.onerror === undefined ? this : wrap(this);
    return heard.as(heard.name, handler);
  }

  timeout(ms: number, code?: string): Definition {
    if (code !== undefined) checkCode('timeout', code);
    return wrap(this, [checkDelay('timeout', ms), code]);
  }

  with(...values: unknown[]): Definition {
    if (values.length > 4) badArgument('with', 'at most 4 values', values.length);
    const kind: Kind = { open: (line, step) => bind(line, step, this, values) };
    return new Definition(PASSING, () => kind, false, this.name);
  }

  /** @internal */
  as(name: string | undefined, onerror: ErrorHandler | undefined): Definition {
    return new Definition(this.bits, this.work, this.handles, name, onerror, this.sequence);
  }

  /** @internal The sequence that it is, if its parts may stand in the place of itself. */
  get bare(): Sequence | undefined {
    return !this.onerror && this.sequence?.isBare ? this.sequence : undefined;
  }
}

/** A step around that of a value, which has no element in paths; but a sequence that may have a limit itself gets it. */
function wrap(inner: Definition, limit?: Limit): Definition {
  const { bare, name } = inner;
  if (bare) return define(new Sequence(bare.parts, limit), name);
  const kind: Kind = {
    open(line, step) {
      open(line, step, INNER);
      step.work = null;
      if (limit) armStep(step, ...limit);
      openInside(step, inner, HIDDEN, 0);
      return AGAIN;
    },
  };
  return new Definition(PASSING, () => kind, true, name);
}

/** A value that is this sequence. */
export function define(sequence: Sequence, name?: string): Definition {
  return new Definition(SEQUENCE, () => sequence, true, name, undefined, sequence);
}

/** What the values are bound to is queued in the place of the step: as the last one of a ring, whose tail stays. */
function bind(line: Line, step: Step, inner: Definition, values: readonly unknown[]): number {
  setResults(line, values);
  const owner = line.top ?? line;
  const { tail } = owner;
  const level = { bits: 0, tail, count: step.index };
  const first = inner.queue(level, step.bits & (HIDDEN | BRANCH | NUMBERED));
  if (first.options ?? step.options) optionsOf(first).name = step.options?.name ?? null;
  owner.tail = tail ?? first;
  return AGAIN;
}

const PASSING = OPENS | FREE;
export const SEQUENCE = OPENS | FREE | ROUNDS | FAILS;

/** A sequence of more, or with longer paths, has a step of its own also in another one: or each level of them would copy all below. */
const MOST = 64;

/** What opens one after the other: a part, or one of a sequence that stands as a part. */
interface Laid {
  readonly body: Runnable;
  readonly part: number;
  /** What paths show of it. */
  readonly elements: readonly string[];
}

/** Shared by all runs; the step's `count` is what a run knows of it. */
export class Sequence implements Kind, Program {
  /** As they were given. */
  declare readonly parts: readonly Runnable[];
  /** What opens, one after the other. */
  declare readonly laid: readonly Laid[];
  declare private readonly limit: Limit | undefined;
  /** It is no more than its parts, and not too much. */
  declare readonly isBare: boolean;
  /** The only step of a flow: its parts are the flow's then, which counts them. */
  declare readonly only: Step;

  constructor(parts: readonly Runnable[], limit?: Limit) {
    this.parts = parts;
    this.limit = limit;
    this.laid = parts.flatMap((body, part): readonly Laid[] => {
      const bare = body instanceof Definition ? body.bare : undefined;
      if (bare === undefined) return [{ body, part, elements: [`${part}`] }];
      const level = (body as Definition).name || `${part}`;
      return bare.laid.map((laid) => ({ ...laid, part, elements: [level, ...laid.elements] }));
    });
    this.isBare =
      !limit &&
      this.laid.length <= MOST &&
      this.laid.every(({ elements }) => elements.join('/').length <= MOST);
    this.only = append({ bits: 0, tail: null, count: 0 }, SEQUENCE | SHARED, this, null);
  }

  get kind(): string {
    return 'steps';
  }

  /** The first part gets what the step finds. */
  open(line: Line, step: Step): number {
    if (step === this.only) {
      line.flow.program = this;
      line.flow.count = 0;
      return AGAIN;
    }
    open(line, step, INNER);
    if (this.limit) armStep(step, ...this.limit);
    return AGAIN;
  }

  /** A part that is a body opens as a round, without a queue. */
  next(_line: Line, step: Owner): number {
    const { laid } = this;
    const at = step.count;
    if (at === laid.length) return ENDED;
    const { body } = laid[at]!;
    if (typeof body === 'function') return READY;
    step.count++;
    openInside(step, body, 0, ~at);
    return AGAIN;
  }

  round(line: Line, step: Owner): Step {
    const at = step.count++;
    const part = new Step(BODY, this.laid[at]!.body, ~at);
    part.line = line;
    part.link = line.top;
    line.top = part;
    return part;
  }

  /** What a handler adds comes after it, and is counted as its parts are; with a limit from 0. */
  failed(step: Step, error: StepError): Cancellable<StepError | null> {
    if (step.bits & ROUNDS) {
      step.bits &= ~ROUNDS;
      const last = this.laid[step.count - 1];
      step.count = last && !this.limit ? last.part + 1 : 0;
    }
    return error;
  }

  /** A name takes the place of the last index. */
  elements(index: number, name: string | null): string[] {
    const { elements } = this.laid[~index]!;
    return name === null ? [...elements] : [...elements.slice(0, -1), name];
  }
}
