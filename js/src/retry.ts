// Steps that run their body again when it has failed. Each attempt is a step of its own in the level of the retry, and between two
// of them stands a delay:
//
//     opened -> attempt #0 -> its error arrives here -> delay -> attempt #1 -> ... -> ok, or the error goes on
//
// Whether there is another attempt is asked when everything inside is closed, before the step's own handler.

import { errors, finals } from './codes.js';
import type { Code } from './declared.js';
import { appendDelay } from './delay.js';
import { CANCELLED, type Cancellable, enter, THREW } from './enter.js';
import {
  badArgument,
  checkOptions,
  exceptionOf,
  isCode,
  placed,
  raiseAt,
  StepError,
} from './error.js';
import { isAgain, replace } from './errorchain.js';
import { betweenRounds } from './frame.js';
import type { RetryBudget } from './retrybudget.js';
import { FAILS, FREE, HIDDEN, NUMBERED, OPENS, ROUNDS } from './phase.js';
import { AGAIN, ENDED, type Kind } from './kind.js';
import type {
  Attempted,
  FoundBy,
  Part,
  ResultOf,
  Step as IStep,
  Unnumbered,
  Values,
} from './istep.js';
import { takeError } from './latch.js';
import { type Runnable, Definition } from './definition.js';
import { checkPart, partName } from './steps.js';
import type { Step } from './step.js';
import { refusePromise } from './thenable.js';
import { remainingOf } from './timer.js';
import { copyResults, type Slot, listOf, setResults } from './results.js';
import { openInside, type Line, openInner } from './tree.js';
import { checkLimit } from './waiters.js';

/** How long `retry` waits before the k-th further attempt: min(cap, base * factor^(k-1)), of which chance takes a part. */
export interface Backoff {
  /** How long to wait before the second attempt, in milliseconds. Default: 100. */
  base?: number | undefined;
  /** By how much each wait is longer than the one before, 1 or more. Default: 2. */
  factor?: number | undefined;
  /** The longest wait, in milliseconds; `Infinity`: there is none. Default: 20,000. */
  cap?: number | undefined;
  /** Which part of a wait is left to chance, 0 to 1. Default: 1, anything from 0 up to the whole wait. */
  jitter?: number | undefined;
}

/** Of `retry`. */
export interface RetryOptions {
  /** How many attempts there may be in all, 1 or more; `Infinity`: as many as it takes. */
  max: number;
  /** How long to wait between them. Default: 100 ms, then twice as long each time, up to 20 s, of which chance takes a part. */
  backoff?: Backoff | undefined;
  /**
   * After which errors to try again: their codes, or a function of the code and of what was thrown (`last_exception`). That says `true`:
   * after the wait of `backoff`; `false`: not; or in how many milliseconds, 0 or more, such as a server's `Retry-After`, without cap or
   * jitter. A wait for which there is no time left before a deadline isn't begun. Unless it says a time, the wait is at least the
   * `retry_after` of the error. Default: after all but what another attempt can't mend: `InternalError`, `Canceled`, `Deadlock`, `Closed`,
   * `OutOfSteps`, `NotImplemented`.
   *
   *     on: (code, error) => code === 'Later' ? Number((error as StepError).info) : code === 'ECONNREFUSED'
   */
  on?: readonly Code[] | ((code: Code, error: unknown) => boolean | number | undefined) | undefined;
  /** What bounds the retries of all flows that share it. Default: none. */
  budget?: RetryBudget | undefined;
}

/**
 * So many errors make a chain of causes; of more those between the first and the last ones are left out, or an endless retry would
 * fill the memory.
 */
const MOST_FAILURES = 8;

export const RETRY = OPENS | FREE | ROUNDS | FAILS;

/** All budgets that there are: a retry doesn't load what makes them. */
export const budgets = /* @__PURE__ */ new WeakSet<object>();

interface Settings {
  readonly max: number;
  readonly base: number;
  readonly factor: number;
  readonly cap: number;
  readonly jitter: number;
  readonly on: RetryOptions['on'];
  readonly budget: RetryBudget | undefined;
}

const RETRIES = 'max backoff on budget';
const WAITS = 'base factor cap jitter';

/** What says which errors another attempt is worth. */
interface Asking {
  readonly settings: { readonly on: RetryOptions['on'] };
}

function settingsFrom(options: RetryOptions): Settings {
  const { max, backoff = {}, on, budget } = checkOptions('retry', options, RETRIES);
  const {
    base = 100,
    factor = 2,
    cap = 20_000,
    jitter = 1,
  } = checkOptions('backoff', backoff, WAITS);
  return {
    max: checkLimit('retry: max', max, 1, ', or Infinity'),
    base: number('base', base, 0, Number.MAX_VALUE),
    factor: number('factor', factor, 1, Number.MAX_VALUE),
    cap: number('cap', cap, 0, Infinity),
    jitter: number('jitter', jitter, 0, 1),
    on: checkOn(on),
    budget: checkBudget(budget),
  };
}

export function checkBudget(budget: RetryBudget | undefined): RetryBudget | undefined {
  if (budget !== undefined && !budgets.has(budget)) badArgument('budget', 'a RetryBudget', budget);
  return budget;
}

/** A list of codes is the program's, and may become another one. */
export function checkOn(on: RetryOptions['on']): RetryOptions['on'] {
  if (on === undefined || typeof on === 'function') return on;
  const codes = Array.isArray(on) ? [...on] : null;
  return codes?.every(isCode) ? codes : badArgument('on', 'codes or a function', on);
}

/** The work of a retry step. */
export class Retry implements Kind, Slot {
  declare readonly settings: Settings;
  declare readonly body: Runnable;
  /** What the step has found, for each attempt. */
  results = 0;
  value: unknown = undefined;
  /** The next wait, before `cap` and `jitter`. */
  declare wait: number;
  /** How many attempts have begun. */
  attempts = 0;
  /** Errors of attempts: the first one, and the last ones. */
  failures: StepError[] | null = null;
  /** How many there were in between. */
  omitted = 0;
  /** An attempt is to be queued. */
  due = true;
  /** There is no further attempt. */
  over = false;

  constructor(settings: Settings, body: Runnable) {
    this.settings = settings;
    this.body = body;
    this.wait = settings.base;
  }

  get kind(): string {
    return 'retry';
  }

  open(line: Line, step: Step): number {
    copyResults(this, line);
    openInner(line, step);
    return AGAIN;
  }

  /** It begins, has waited, or an attempt has ended with ok; or steps of the handler have. */
  next(line: Line, step: Step): number {
    if (this.due) {
      this.due = false;
      step.count = 0; // what a handler adds: a wait isn't counted
      openInside(step, this.body, NUMBERED, this.attempts++);
      const values = listOf(this);
      if (typeof this.body === 'function' && values.length < 4) values.push(this.attempts);
      setResults(line, values);
      return AGAIN;
    }
    if (!this.over) this.settings.budget?.putBack();
    return ENDED;
  }

  failed(step: Step, error: StepError): Cancellable<StepError | null> {
    if (this.over) return error;
    this.over = true;
    recordFailure(this, error);
    const left = goOn(step, this, error);
    if (left !== null) chainFailures(step, this);
    return left;
  }
}

/**
 * Runs its body, and again, after a wait, when that has failed: at most `max` times. Each attempt is a step of its own, which is closed
 * before the next; it gets the values that the step finds, and a function then its number, from 1. The values of the one that ends with ok are the
 * result, the error of the last one is the step's. Waits grow from 100 ms by a factor of 2 up to 20 s, each shortened by chance, unless
 * `backoff` says otherwise, and is at least as long as a guard's `retry_after`; after which errors says `on`. A wait for which there is no time before a
 * deadline around isn't begun: the retry fails at once, with the error of the attempt, not with `Timeout`, so a handler of the deadline has
 * to know both. A timeout, a cancel or a failed sibling outside cancels the attempt or ends the wait; after that, a `break` or a `continue`
 * nothing is tried again. Where the body says the types of its values, it has to say that of the attempt: `(asi, id: string, attempt: number)`.
 * Such a step is refused where it would find more than that. An optional parameter, `(asi, id?: string)`, would get the number when no value
 * is found: give `step(body)`, which gets none.
 *
 * The error of an attempt has that of the attempt before as its `cause`; one that has a cause of its own, or isn't a `StepError`, as the
 * first of its `also`: so the first error and the last seven are found. Bad options: `InternalError` at the call.
 * Guide: docs/loops.md#again-after-a-failure
 *
 *     const stubborn = retry({ max: 3, on: [errors.Timeout] }, ask.timeout(500));
 *     const answer = await run(stubborn);
 */
export function retry<In extends Values, Out extends Values>(
  options: RetryOptions,
  step: IStep<In, Out>,
): IStep<In, Out>;
export function retry<R, In extends Values = []>(
  options: RetryOptions,
  body: Part<Attempted<In>, R>,
): IStep<Unnumbered<In>, ResultOf<R>>;
export function retry<R, A extends Values>(
  options: RetryOptions,
  body: Part<A, R>,
): IStep<FoundBy<A>, ResultOf<R>>;
export function retry(options: RetryOptions, body: unknown): any {
  const settings = settingsFrom(options);
  const part = checkPart('retry', body);
  return new Definition(RETRY, () => new Retry(settings, part), true, partName(part));
}

export function number(name: string, given: unknown, least: number, most: number): number {
  if (typeof given !== 'number' || !(given >= least && given <= most))
    badArgument(
      name,
      most < Number.MAX_VALUE
        ? `a number from ${least} to ${most}`
        : `a ${most === Infinity ? '' : 'finite '}number, ${least} or more`,
      given,
    );
  return given;
}

/** Null: it tries again; else what goes on outwards. */
function goOn(step: Step, retry: Retry, error: StepError): Cancellable<StepError | null> {
  const { max, budget, cap, factor, jitter } = retry.settings;
  if (retry.attempts >= max) return error;
  const { flow } = step.line;
  const answer = enter(step, ask, step, error);
  if (answer === CANCELLED) return CANCELLED;
  if (answer === THREW) {
    const raised = takeError(step);
    replace(error, raised);
    return raised;
  }
  if (answer === false) return error;
  let wait = answer as number;
  const refusal = refusalIn(error);
  if (answer === true) {
    wait = Math.min(cap, retry.wait);
    if (jitter > 0) wait *= 1 - jitter * flow.settings.tool.random();
    wait = Math.max(wait, refusal.wait);
  }
  retry.wait *= factor;
  if (wait > remainingOf(step)) return error;
  if (!refusal.isFree && budget !== undefined && !budget.take()) return error;
  retry.over = false;
  retry.due = true;
  betweenRounds(step);
  appendDelay(step, Math.ceil(wait), HIDDEN);
  return null;
}

/** How long nobody is let in by who has refused; and whether that was a guard, so that the attempt has burdened nobody. */
export function refusalIn(error: StepError): { wait: number; isFree: boolean } {
  try {
    const { code, guard, retry_after: after = 0 } = error;
    const wait = Number.isFinite(after) && after > 0 ? after : 0;
    return { wait, isFree: code === errors.DefenseRejected && guard !== undefined };
  } catch {
    return { wait: 0, isFree: false }; // The program has made it unreadable.
  }
}

/** One that has been thrown again takes its own place. */
function recordFailure(retry: Retry, error: StepError): void {
  const failures = (retry.failures ??= []);
  const last = failures.at(-1);
  placed(error);
  if (last !== undefined && isAgain(error, last)) {
    replace(last, error);
    failures[failures.length - 1] = error;
  } else if (failures.push(error) > MOST_FAILURES) {
    failures.splice(1, 1);
    retry.omitted++;
  }
}

/** Nothing is tried again: each error becomes the cause of the one after it, or stands in its `also`. */
function chainFailures(step: Step, retry: Retry): void {
  const { failures, omitted } = retry;
  retry.failures = null;
  if (omitted > 0) {
    const omission = new StepError(errors.Omitted, `errors left out: ${omitted}`);
    failures!.splice(1, 0, raiseAt(omission, step, 0));
  }
  failures!.reduce((earlier, later) => {
    replace(earlier, later);
    return later;
  });
}

/** Whether to try again, or in how many milliseconds. */
export function ask(step: Step, error: StepError): boolean | number {
  const { on } = (step.work as Asking).settings;
  if (on === undefined) return !finals.includes(error.code);
  if (typeof on !== 'function') return on.includes(error.code);
  const answer: unknown = on(error.code, exceptionOf(error));
  if (answer === undefined || typeof answer === 'boolean') return answer === true;
  refusePromise(step, 'on', answer);
  return number('on', answer, 0, Number.MAX_VALUE);
}
