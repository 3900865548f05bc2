// Steps that run their body again when it has failed. Each attempt is a step of its own in the level of the retry, and between two
// of them stands a delay:
//
//     opened -> attempt #0 -> its error arrives here -> delay -> attempt #1 -> ... -> ok, or the error goes on
//
// Whether there is another attempt is asked when everything inside is closed, before the step's own handler.

import { errors } from './codes.js';
import { appendDelay } from './delay.js';
import { CANCELLED, type Cancellable, enter, THREW } from './enter.js';
import {
  badArgument,
  checkCount,
  checkOptions,
  exceptionOf,
  isCode,
  placed,
  raiseAt,
  StepError,
} from './error.js';
import { isAgain, join, replace } from './errorchain.js';
import { betweenRounds } from './frame.js';
import type { RetryBody } from './iasyncsteps.js';
import type { RetryBudget } from './retrybudget.js';
import { FAILS, FREE, NUMBERED, OPENS, ROUNDS } from './phase.js';
import { AGAIN, ENDED, type Kind } from './kind.js';
import { takeError } from './latch.js';
import type { Step } from './step.js';
import { refusePromise } from './thenable.js';
import { remainingOf } from './timer.js';
import { append, type Line, openInner } from './tree.js';

export interface Backoff {
  /** How long to wait before the second attempt, in milliseconds; 100 if absent. */
  base?: number | undefined;
  /** By how much each wait is longer than the one before, 1 or more; 2 if absent. */
  factor?: number | undefined;
  /** The longest wait; 20,000 if absent. */
  cap?: number | undefined;
  /** Which part of a wait is left to chance, 0 to 1; 1 if absent: anything from 0 up to the whole wait. */
  jitter?: number | undefined;
}

export interface RetryOptions {
  /** How many attempts there may be in all, 1 or more. */
  max: number;
  backoff?: Backoff | undefined;
  /**
   * After which errors to try again: their codes, or a function of the code and of what was thrown (`last_exception`). That says `true`:
   * after the wait of `backoff`; `false`: not; or in how many milliseconds, 0 or more, such as a server's `Retry-After`, without cap or
   * jitter. A wait for which there is no time left before a deadline isn't begun. If absent: after all but `InternalError`.
   * [flow-49, flow-54, flow-110, flow-112]
   *
   *     on: (code, error) => code === 'DefenseRejected' ? (error as StepError).retry_after : code === 'ECONNREFUSED'
   */
  on?:
    | readonly string[]
    | ((code: string, error: unknown) => boolean | number | undefined)
    | undefined;
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

/** The work of a retry step. */
export class Retry implements Kind {
  declare readonly body: RetryBody;
  declare readonly max: number;
  declare readonly factor: number;
  declare readonly cap: number;
  declare readonly jitter: number;
  declare readonly on: RetryOptions['on'];
  declare readonly budget: RetryBudget | undefined;
  /** The next wait, before `cap` and `jitter`. */
  declare wait: number;
  /** How many attempts have begun. */
  attempts = 0;
  /** Errors of attempts: the first one, and the last ones. */
  failures: StepError[] | null = null;
  /** How many there were in between. */
  omitted = 0;
  /** There is no further attempt. */
  over = false;

  constructor(options: RetryOptions, body: RetryBody) {
    const { max, backoff = {}, on, budget } = checkOptions('retry', options);
    const { base = 100, factor = 2, cap = 20_000, jitter = 1 } = checkOptions('backoff', backoff);
    if (on !== undefined && typeof on !== 'function' && !(Array.isArray(on) && on.every(isCode)))
      badArgument('on', 'codes or a function', on);
    if (budget !== undefined && !budgets.has(budget))
      badArgument('budget', 'a RetryBudget', budget);
    this.body = body;
    this.max = checkCount('max', max, 1);
    this.factor = number('factor', factor, 1, Number.MAX_VALUE);
    this.cap = number('cap', cap, 0, Infinity);
    this.jitter = number('jitter', jitter, 0, 1);
    this.on = on;
    this.budget = budget;
    this.wait = number('base', base, 0, Number.MAX_VALUE);
  }

  open(line: Line, step: Step): number {
    openInner(line, step);
    queueAttempt(step, this);
    return AGAIN;
  }

  /** An attempt has ended with ok, or steps of the handler have. */
  next(): number {
    if (!this.over) this.budget?.putBack();
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

export function number(name: string, given: unknown, least: number, most: number): number {
  if (typeof given !== 'number' || !(given >= least && given <= most))
    badArgument(name, `a number from ${least} to ${most}`, given);
  return given;
}

/** Queues the next attempt. What a handler adds later counts from 0. */
function queueAttempt(step: Step, retry: Retry): void {
  const attempt = ++retry.attempts;
  append(step, NUMBERED, (asi: Step) => retry.body(asi, attempt), null).index = attempt - 1;
  step.count = 0;
}

/** Null: it tries again; else what goes on outwards. */
function goOn(step: Step, retry: Retry, error: StepError): Cancellable<StepError | null> {
  if (retry.attempts >= retry.max) return error;
  const { flow } = step.line;
  const answer = enter(step, ask, step, error);
  if (answer === CANCELLED) return CANCELLED;
  if (answer === THREW) {
    const raised = takeError(step);
    replace(error, raised);
    return raised;
  }
  if (answer === false) return error;
  const { budget, jitter } = retry;
  let wait = answer as number;
  if (answer === true) {
    wait = Math.min(retry.cap, retry.wait);
    if (jitter > 0) wait *= 1 - jitter * flow.settings.tool.random();
  }
  retry.wait *= retry.factor;
  if (wait > remainingOf(step)) return error;
  if (budget !== undefined && !budget.take()) return error;
  retry.over = false;
  betweenRounds(step);
  appendDelay(step, Math.ceil(wait));
  queueAttempt(step, retry);
  return null;
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
    if (!replace(earlier, later)) join(later, earlier);
    return later;
  });
}

/** Whether to try again, or in how many milliseconds. */
function ask(step: Step, error: StepError): boolean | number {
  const { on }: Retry = step.work;
  if (on === undefined) return error.code !== errors.InternalError;
  if (typeof on !== 'function') return on.includes(error.code);
  const answer: unknown = on(error.code, exceptionOf(error));
  if (answer === undefined || typeof answer === 'boolean') return answer === true;
  refusePromise(step, 'on', answer);
  return number('on', answer, 0, Number.MAX_VALUE);
}
