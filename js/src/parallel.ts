// Parallel, all, race and any. The first end of a branch of a race, or the first ok of an any, ends them all. A failed branch of an any
// keeps its error, till one has won or all have failed.

import { type Branch, Branches, BRANCHES, win } from './branches.js';
import { type Runnable, Definition } from './definition.js';
import { errors } from './codes.js';
import { raiseAt, raisedBy, type StepError } from './error.js';
import { join } from './errorchain.js';
import type {
  FirstsOf,
  FirstsOfSteps,
  InOf,
  OneOf,
  OutOf,
  Part,
  Parts,
  Step as IStep,
  Values,
} from './istep.js';
import { AGAIN, type HostedLine, PENDING } from './kind.js';
import { raise } from './latch.js';
import { copyResults, setResults } from './results.js';
import type { Step } from './step.js';
import { checkParts } from './steps.js';
import { Closing, type Line, openInside } from './tree.js';
import { fail } from './unwind.js';

/** Of a step value: its branches are queued when it opens, and get what the step finds. */
class Described extends Branches {
  declare private readonly parts: readonly Runnable[];
  /** The first value of each. */
  declare private readonly values: unknown[] | null;
  declare private readonly gives: boolean;

  constructor(parts: readonly Runnable[], gives: boolean, lists: boolean) {
    super();
    this.gives = gives;
    this.parts = parts;
    this.values = lists ? parts.map(() => undefined) : null;
  }

  override get kind(): string {
    return this.values === null ? 'parallel' : 'all';
  }

  override open(line: Line, step: Step): number {
    if (this.gives) copyResults(this, line);
    for (const part of this.parts) openInside(step, part, 0, step.count++);
    const came = super.open(line, step);
    if (came === AGAIN && this.values !== null) setResults(line, [this.values]);
    return came;
  }

  override leftWith(branch: Branch, value: unknown): number {
    const { values } = this;
    if (values !== null) values[branch.index] = value;
    const active = super.leftWith(branch, value);
    if (values !== null && active === 0) setResults(branch.host.line, [values]);
    return active;
  }
}

/** Its first end ends it. */
class Race extends Described {
  override get kind(): string {
    return 'race';
  }

  override open(line: Line, step: Step): number {
    const came = super.open(line, step);
    if (came === PENDING) return came;
    line.latch = raise(step, 'there is no branch');
    return fail(line, step) ? AGAIN : PENDING;
  }

  override branchEnded(branch: Branch): void {
    win(this, branch);
  }
}

/** Its first ok does. */
class Any extends Race {
  override get kind(): string {
    return 'any';
  }

  override isFree(): boolean {
    return false;
  }

  override branchFailed(branch: HostedLine, error: StepError): Closing | null {
    const { host } = branch;
    const active = this.branchLeft(branch);
    branch.latch = error;
    if (active !== 0) return null;
    const all = raisedBy(host, errors.AllFailed);
    for (let { first } = this; first !== null; first = first.sibling) {
      join(all, raiseAt(first.latch as StepError, null, 0));
    }
    return new Closing(host, all);
  }
}

/**
 * Runs its branches side by side: each takes its turns, in this order. They get no values, and it has no result. It ends when all have ended.
 * The first error that leaves a branch cancels the others, in order, and is the step's. What closes it from outside, a timeout, a cancel or a
 * failed sibling, cancels all of them, in order. Without branches it ends at once. Guide: docs/many-at-once.md#all-of-them
 *
 *     const prepare = parallel(warmCache, openSocket);
 *     flow.add(prepare);
 */
export function parallel(...branches: Part<[]>[]): IStep<any, []>;
export function parallel(...branches: unknown[]): any {
  return describe('parallel', Described, branches, false);
}

/**
 * Runs its branches as `parallel` does, each with the values that the step finds. Its result is one value: the list of the first value of
 * each branch, in this order, `undefined` of one that has none. Guide: docs/many-at-once.md#all-of-them
 *
 *     const both = steps(all(carts, mails), (_asi, [cart, mail]) => show(cart, mail));
 *     const html = await run(both.with(user));
 *
 * What the step finds is gone behind it: a branch that returns it passes it through. Of functions alone the compiler doesn't know what they
 * find, of steps it does.
 *
 *     all(step((_asi, user: User) => user), carts, mails)
 */
export function all<P extends readonly IStep[]>(...steps: P): IStep<InOf<P>, [FirstsOfSteps<P>]>;
export function all<R extends Values, In extends Values = any>(
  ...branches: Parts<In, R>
): IStep<In, [FirstsOf<R>]>;
export function all(...branches: unknown[]): any {
  return describe('all', Described, branches, true, true);
}

/**
 * Runs its branches as `all` does, till the first of them has ended: with ok, its values are the step's, with an error, that is the step's.
 * The others are cancelled and closed before. What closes it from outside, a timeout, a cancel or a failed sibling, cancels all of them, in
 * order. Without a branch: `InternalError` of the step. Guide: docs/many-at-once.md#the-first-one
 *
 *     const fastest = race(near, far);
 *     const answer = await run(fastest.with(question));
 */
export function race<P extends readonly IStep[]>(...steps: P): IStep<InOf<P>, OutOf<P[number]>>;
export function race<R extends Values, In extends Values = any>(
  ...branches: Parts<In, R>
): IStep<In, OneOf<R>>;
export function race(...branches: unknown[]): any {
  return describe('race', Race, branches);
}

/**
 * Runs its branches as `all` does, till the first of them has ended with ok: its values are the step's. The others are cancelled and closed
 * before. If all fail: `AllFailed`, with their errors in `also`, in this order. What closes it from outside, a timeout, a cancel or a failed
 * sibling, cancels all of them, in order. Without a branch: `InternalError` of the step. Guide: docs/many-at-once.md#the-first-one
 *
 *     const mirror = any(first, second, third);
 *     const file = await run(mirror.with('a.txt'));
 */
export function any<P extends readonly IStep[]>(...steps: P): IStep<InOf<P>, OutOf<P[number]>>;
export function any<R extends Values, In extends Values = any>(
  ...branches: Parts<In, R>
): IStep<In, OneOf<R>>;
export function any(...branches: unknown[]): any {
  return describe('any', Any, branches);
}

function describe(
  call: string,
  Branching: typeof Described,
  branches: readonly unknown[],
  gives = true,
  lists = false,
): Definition {
  const parts = checkParts(call, branches);
  return new Definition(BRANCHES, () => new Branching(parts, gives, lists), true);
}
