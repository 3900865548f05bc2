// Steps that begin a further attempt when those before it are slow. Attempts are branches, which are made one at a time:
//
//     opened -> attempt |0 -> `after` is over, or all have failed -> attempt |1 -> ... -> the first ok, or the error of the last
//
// - The step is the timer that says when the next one begins. It's no deadline: what runs inside has more time than that.
// - Where none runs, and `on` has said a time, the next attempt has its token before it begins: so it can't be refused by then.

import { Branch, BRANCHES, Branches, toStart, win } from './branches.js';
import { type Runnable, Definition } from './definition.js';
import { CANCELLED, enter, THREW } from './enter.js';
import { checkCount, checkOptions, placed, type StepError } from './error.js';
import { isAgain, join, replace } from './errorchain.js';
import type {
  Attempted,
  FoundBy,
  Part,
  ResultOf,
  Step as IStep,
  Unnumbered,
  Values,
} from './istep.js';
import { type HostedLine, PENDING, type Waits } from './kind.js';
import { takeError } from './latch.js';
import { BRANCH } from './phase.js';
import { copyResults, listOf, setResults } from './results.js';
import { ask, checkBudget, checkOn, refusalIn, type RetryOptions } from './retry.js';
import type { RetryBudget } from './retrybudget.js';
import type { Step } from './step.js';
import { checkPart, partName } from './steps.js';
import { remainingOf } from './timer.js';
import { checkDelay, type Timer } from './timers.js';
import { Closing, type Line, openInner, openInside } from './tree.js';

/** Of `hedge`. */
export interface HedgeOptions {
  /**
   * How long after an attempt has begun the next one begins, in milliseconds: what most answers take, such as the 95th percentile.
   * 0: right behind it; `Infinity`: only when all before it have failed.
   */
  after: number;
  /** How many attempts there may be in all, 1 or more. Default: 2. */
  max?: number | undefined;
  /**
   * As that of `retry`: after which errors another attempt may help. Any other one ends the hedge at once. A time says when the next attempt
   * begins, in the place of `after`; so does `retry_after` of an error that may help. Default: as that of `retry`.
   */
  on?: RetryOptions['on'];
  /** What pays for all attempts but the first, and bounds those of all flows that share it, with their retries. Default: none. */
  budget?: RetryBudget | undefined;
}

interface Settings {
  readonly after: number;
  readonly max: number;
  readonly on: RetryOptions['on'];
  readonly budget: RetryBudget | undefined;
}

function settingsFrom(options: HedgeOptions): Settings {
  const { after, max = 2, on, budget } = checkOptions('hedge', options, 'after max on budget');
  return {
    after: checkDelay('hedge: after', after),
    max: checkCount('hedge: max', max, 1),
    on: checkOn(on),
    budget: checkBudget(budget),
  };
}

class Hedge extends Branches implements Timer {
  due = 0;
  order = 0;
  place = -1;
  declare readonly settings: Settings;
  declare readonly body: Runnable;
  /** Set when it opens. */
  declare host: Step;
  /** How many attempts have begun. */
  attempts = 0;
  /** How many there may be. */
  declare most: number;
  /** So many of the next ones need no token any more. */
  paid = 0;
  /** Of attempts. */
  readonly failures: StepError[] = [];

  constructor(settings: Settings, body: Runnable) {
    super();
    this.settings = settings;
    this.body = body;
    this.most = settings.max;
  }

  override open(line: Line, step: Step): number {
    copyResults(this, line);
    this.host = step;
    openInner(line, step);
    this.begin();
    return PENDING;
  }

  /** The wait for the next attempt is over. */
  fire(): void {
    if (this.mayBegin()) this.begin();
  }

  override get kind(): string {
    return 'hedge';
  }

  waits(): Waits | null {
    return this.active === 0 && this.place >= 0 ? { for: 'timer', due: this.due } : null;
  }

  override branchEnded(branch: Branch): void {
    this.settings.budget?.putBack();
    win(this, branch);
  }

  override branchFailed(branch: HostedLine, error: StepError): Closing | null {
    const { host } = this;
    const active = this.branchLeft(branch);
    this.forget(error);
    const answer = enter(host, ask, host, error);
    if (answer === CANCELLED) return null;
    if (answer === THREW) {
      const raised = takeError(host);
      replace(error, raised);
      return this.fail(raised);
    }
    if (answer === false) return this.fail(error);
    const refusal = refusalIn(error);
    if (refusal.isFree) this.paid++;
    const time = answer === true ? refusal.wait : answer;
    if (answer !== true || time > 0) {
      const wait = Math.ceil(time);
      this.disarm();
      if (wait <= remainingOf(host) && (active > 0 || (this.mayBegin() && ++this.paid > 0)))
        this.arm(wait);
      else if (active === 0) return this.fail(error);
    } else if (active === 0) {
      if (!this.mayBegin()) return this.fail(error);
      this.begin();
    }
    this.failures.push(placed(error));
    return null;
  }

  override stop(): StepError | null {
    this.disarm();
    return super.stop();
  }

  /** The next attempt, at the tail of the queue. */
  private begin(): void {
    const { host, body } = this;
    openInside(host, body, BRANCH, this.attempts++);
    this.tail = host.tail;
    host.tail = null;
    const attempt = toStart(this, new Branch(host));
    if (typeof body === 'function' && this.results < 4)
      setResults(attempt, [...listOf(this), this.attempts]);
    this.active++;
    this.arm(this.settings.after);
    host.line.flow.settings.tool.enqueue(attempt);
  }

  /** Whether there may be another attempt, which it pays for. Without a token there is none any more. */
  private mayBegin(): boolean {
    if (this.attempts >= this.most) return false;
    if (this.paid > 0) {
      this.paid--;
      return true;
    }
    const { budget } = this.settings;
    if (budget === undefined || budget.take()) return true;
    this.most = 0;
    return false;
  }

  private arm(ms: number): void {
    this.disarm();
    if (this.attempts < this.most) this.host.line.flow.settings.tool.arm(this, ms);
  }

  private disarm(): void {
    this.host.line.flow.settings.tool.disarm(this);
  }

  /** One that has been thrown again takes its own place. */
  private forget(error: StepError): void {
    const { failures } = this;
    const at = failures.findIndex((failure) => isAgain(error, failure));
    if (at >= 0) replace(failures.splice(at, 1)[0]!, error);
  }

  /** The step fails with it, and with what has failed before. */
  private fail(error: StepError): Closing {
    for (const failure of this.failures) join(error, failure);
    return new Closing(this.host, error);
  }
}

/**
 * Runs its body, and once more when that is slow: the next attempt begins `after` milliseconds after the one before, or at once when all
 * that have begun have failed, at most `max` of them. Each is a branch of its own, and gets the values that the step finds, and a function
 * then its number, from 1. The first that ends with ok wins: its values are the result, and the others are cancelled and closed before.
 * So what is asked must bear to be asked twice. An error that isn't worth another attempt ends all at once, see `on`; when all have failed
 * the error of the last one is the step's. Errors of the other attempts are in its `also`.
 *
 * With a `budget` an attempt takes a token, but for the first one and those in the place of what a guard has refused; without one none begins
 * any more: when everything is slow, hedges would double the load. A timeout, a cancel or a failed sibling outside cancels all attempts, in
 * order, and none begins after that. Bad options: `InternalError` at the call.
 * Guide: docs/many-at-once.md#a-second-try-when-the-first-is-slow
 *
 *     const quick = hedge({ after: 50, budget }, ask.timeout(500));
 *     const answer = await run(quick.with(question));
 */
export function hedge<In extends Values, Out extends Values>(
  options: HedgeOptions,
  step: IStep<In, Out>,
): IStep<In, Out>;
export function hedge<R, In extends Values = []>(
  options: HedgeOptions,
  body: Part<Attempted<In>, R>,
): IStep<Unnumbered<In>, ResultOf<R>>;
export function hedge<R, A extends Values>(
  options: HedgeOptions,
  body: Part<A, R>,
): IStep<FoundBy<A>, ResultOf<R>>;
export function hedge(options: HedgeOptions, body: unknown): any {
  const settings = settingsFrom(options);
  const part = checkPart('hedge', body);
  return new Definition(BRANCHES, () => new Hedge(settings, part), true, partName(part));
}
