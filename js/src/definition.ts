// Step values: a step that is described once, and run any number of times. A description never changes; what a run needs is made when
// it is queued.
//
// `steps` is the kind that most of them are made of. A sequence is laid out when it is made: a run has nothing but its step, which counts
// the parts that have begun, and each part opens from the description. Sequences inside that are no more than their parts have no step:
// those parts are its own, and what their paths lack is asked of it.
//
// A part in whose place another one stands, or that has a limit, a handler of its own or values that are bound, is the only one of a
// sequence, and has no element in paths.

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

type Queue = (owner: Owner, place: number) => Step;

/** What stands as a body. */
export type Runnable = Queueable | ((asi: Step, ...values: any[]) => unknown);

/** What a call of a value has put around it. */
interface Wrap {
  /** HIDDEN: the value is its part, which has no element in paths. 0: its parts are those of the value. */
  readonly place: number;
  readonly limit: { readonly ms: number; readonly code: string | undefined } | undefined;
  readonly values: readonly unknown[] | undefined;
}

/** A step value. */
export class Definition extends Queueable {
  declare protected readonly make: Queue;
  /** Whether its own handler hears of its errors as one around it would. */
  declare protected readonly handles: boolean;
  declare readonly name: string | undefined;
  declare readonly onerror: ErrorHandler | undefined;
  /** What it is, if it's a sequence. */
  declare readonly sequence: Sequence | undefined;
  /** In the place of the step of a flow that consists of it. */
  declare private readonly only: Step | undefined;

  constructor(
    make: Queue,
    handles: boolean,
    name?: string,
    onerror?: ErrorHandler,
    sequence?: Sequence,
  ) {
    super();
    this.make = make;
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
    const step = this.make(owner, place);
    if (this.name && (place & (BRANCH | NUMBERED)) === 0) optionsOf(step).name = this.name;
    if (this.onerror) optionsOf(step).onerror = this.onerror;
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
    return wrap(this, { limit: { ms: checkDelay('timeout', ms), code } });
  }

  with(...values: unknown[]): Definition {
    if (values.length > 4) badArgument('with', 'at most 4 values', values.length);
    return wrap(this, { values });
  }

  /** @internal */
  as(name: string | undefined, onerror: ErrorHandler | undefined): Definition {
    return new Definition(this.make, this.handles, name, onerror, this.sequence);
  }

  /** @internal The sequence that it is, if its parts may stand in the place of itself. */
  get bare(): Sequence | undefined {
    return this.onerror === undefined && this.sequence?.isBare ? this.sequence : undefined;
  }
}

function wrap(inner: Definition, { limit, values }: Partial<Wrap> = {}): Definition {
  const { bare, name } = inner;
  const around: Wrap = { place: bare ? 0 : HIDDEN, limit, values };
  return define(new Sequence(bare?.parts ?? [inner], around)).as(name, undefined);
}

/** A value that is this sequence. */
export function define(sequence: Sequence): Definition {
  const make: Queue = (owner, place) => append(owner, SEQUENCE | place, sequence, null);
  return new Definition(make, true, undefined, undefined, sequence);
}

export const SEQUENCE = OPENS | FREE | ROUNDS | FAILS;

/** A sequence of more, or with longer paths, has a step of its own also in another one: or each level of them would copy all below. */
const MOST = 64;

/** What opens one after the other: a part, or one of a sequence that stands as a part. */
interface Laid {
  readonly body: Runnable;
  readonly part: number;
  /** What paths show of it. */
  readonly element: string;
}

/** Shared by all runs; the step's `count` is what a run knows of it. */
export class Sequence implements Kind, Program {
  /** As they were given. */
  declare readonly parts: readonly Runnable[];
  declare private readonly laid: readonly Laid[];
  declare private readonly wrap: Wrap | null;
  declare private readonly place: number;
  /** It is no more than its parts, and not too much. */
  declare readonly isBare: boolean;
  /** The only step of a flow: its parts are the flow's then, which counts them. */
  declare readonly only: Step;

  constructor(parts: readonly Runnable[], wrap: Wrap | null = null) {
    this.parts = parts;
    this.wrap = wrap;
    this.place = wrap?.place ?? 0;
    this.laid = parts.flatMap((body, part): readonly Laid[] => {
      const bare = body instanceof Definition && !this.place ? body.bare : undefined;
      if (bare === undefined) return [{ body, part, element: `${part}` }];
      const level = (body as Definition).name || part;
      return bare.laid.map((laid) => ({ ...laid, part, element: `${level}/${laid.element}` }));
    });
    this.isBare =
      !wrap && this.laid.length <= MOST && this.laid.every(({ element }) => element.length <= MOST);
    this.only = append({ bits: 0, tail: null, count: 0 }, SEQUENCE | SHARED, this, null);
  }

  /** The first part gets what the step finds. */
  open(line: Line, step: Step): number {
    if (step === this.only) {
      line.flow.program = this;
      line.flow.count = 0;
      return AGAIN;
    }
    open(line, step, INNER);
    const { limit, values } = this.wrap ?? {};
    if (limit) armStep(step, limit.ms, limit.code);
    if (values) setResults(line, values);
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
    openInside(step, body, this.place, ~at);
    return AGAIN;
  }

  round(line: Line, step: Owner): Step {
    const at = step.count++;
    const part = new Step(this.place | BODY, this.laid[at]!.body, ~at);
    part.line = line;
    part.link = line.top;
    line.top = part;
    return part;
  }

  /** What a handler adds comes after it, and is counted as its parts are; that of a wrap from 0. */
  failed(step: Step, error: StepError): Cancellable<StepError | null> {
    if (step.bits & ROUNDS) {
      step.bits &= ~ROUNDS;
      const last = this.laid[step.count - 1];
      step.count = last && !this.wrap ? last.part + 1 : 0;
    }
    return error;
  }

  /** A name takes the place of the last index. */
  element(index: number, name: string | null | undefined): string {
    return this.laid[~index]!.element.replace(/\d+$/, (own) => name ?? own);
  }
}
