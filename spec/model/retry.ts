/** Trying again: an attempt after the other, with waits between them. */
import { runBody } from './body.js';
import { type Failure, makeFailure, replacing } from './failure.js';
import { leave } from './leave.js';
import { wake } from './line.js';
import { makeStep, type Step, type Values } from './shape.js';
import { misuse } from './thrown.js';
import { remaining } from './timeout.js';

export interface Backoff {
  base: number;
  factor: number;
  cap: number;
  jitter: number;
}

/** Counted in thousandths of a token. [flow-57] */
export interface Budget {
  capacity: number;
  ratio: number;
  tokens: number;
}

/** Codes, or what a function answers. */
export type On = readonly string[] | ((failure: Failure) => boolean | number) | undefined;

export interface Retrying {
  max: number;
  backoff: Backoff;
  on: On;
  budget: Budget | undefined;
  attempts: number;
  /** base * factor^(k-1) */
  wait: number;
  /** Of all attempts. */
  failures: Failure[];
}

export function makeBudget({ capacity, ratio }: { capacity: number; ratio: number }): Budget {
  const thousandths = capacity * 1000;
  return { capacity: thousandths, ratio: Math.round(ratio * 1000), tokens: thousandths };
}

/** [flow-47] [values-16] */
export function makeRetrying(
  max: number,
  given: Partial<Backoff>,
  on: On,
  budget: Budget | undefined,
): Retrying {
  const backoff = { base: 100, factor: 2, cap: 20_000, jitter: 1, ...given };
  const { base, factor, cap, jitter } = backoff;
  const fits =
    (Number.isSafeInteger(max) || max === Number.POSITIVE_INFINITY) &&
    max >= 1 &&
    base >= 0 &&
    base < Number.POSITIVE_INFINITY &&
    factor >= 1 &&
    factor < Number.POSITIVE_INFINITY &&
    cap >= 0 &&
    jitter >= 0 &&
    jitter <= 1 &&
    !(Array.isArray(on) && on.includes(''));
  if (!fits) throw misuse('these are no options of a retry');
  return { max, backoff, on, budget, attempts: 0, wait: base, failures: [] };
}

/** [flow-41] */
export function keepFound(retry: Step, values: Values): void {
  retry.kept = values;
}

/** [flow-40] [flow-41] [flow-42] [values-17] */
export function nextAttempt(retry: Step): void {
  const attempt = makeStep('attempt', retry.flow, retry);
  attempt.element = `#${retry.retrying!.attempts++}`;
  attempt.body = retry.body;
  attempt.part = retry.part;
  attempt.line = retry.line;
  retry.line!.top = attempt;
  retry.line!.values = [];
  const own = retry.part === undefined ? [retry.retrying!.attempts] : [];
  runBody(attempt, [...retry.kept, ...own].slice(0, 4), true);
}

/** [flow-44] [flow-56] */
export function attemptEnded(retry: Step, values: Values): void {
  putBack(retry.retrying!.budget);
  leave(retry, { how: 'ok', values });
}

/** [flow-43] [flow-45] [flow-51] [flow-113] */
export function attemptFailed(retry: Step, failure: Failure): void {
  const { failures } = retry.retrying!;
  failures.push(failure);
  const { max, on, attempts } = retry.retrying!;
  const answer = attempts < max && asked(on, failure);
  const wait = answer === undefined ? undefined : waitBefore(retry, answer, failure);
  if (wait === undefined) {
    told(retry, failures).reduce((earlier, later) => replacing(later, earlier));
    if (answer !== undefined) return leave(retry, { how: 'error', failure });
    const raised = makeFailure(retry, 'InternalError'); // [flow-111]
    return leave(retry, { how: 'error', failure: replacing(raised, failure) });
  }
  const delay = makeStep('delay', retry.flow, retry);
  delay.delay = wait;
  delay.hidden = true;
  retry.level.push(delay);
  retry.phase = 'inner';
  wake(retry.line!); // What failed in another's turn goes on in its own.
}

/** [flow-104] */
function told(retry: Step, failures: Failure[]): Failure[] {
  if (failures.length <= 8) return failures;
  const omitted = makeFailure(retry, 'Omitted', `errors left out: ${failures.length - 8}`);
  return [failures[0]!, omitted, ...failures.slice(-7)];
}

/** Another attempt can't mend them. [flow-49] */
const finals = ['InternalError', 'Canceled', 'Deadlock', 'Closed', 'OutOfSteps', 'NotImplemented'];

/** By a guard of ours: the attempt has burdened nobody. [flow-115] [flow-139] */
export function isRefusal({ code, refusal }: Failure): boolean {
  return code === 'DefenseRejected' && refusal.guard !== undefined;
}

/** Whether `on` wants another attempt, or after which time; nothing if that is no time. [flow-49] [flow-110] [flow-111] */
export function asked(on: On, failure: Failure): boolean | number | undefined {
  if (on === undefined) return !finals.includes(failure.code);
  if (typeof on !== 'function') return on.includes(failure.code);
  const answer = on(failure);
  if (typeof answer === 'boolean') return answer;
  return answer >= 0 && answer < Number.POSITIVE_INFINITY ? answer : undefined;
}

/** How long it waits before it tries again, if it does: what is asked, in that order. [flow-46] [flow-48] [flow-54] [flow-55] [flow-116] [flow-115] */
function waitBefore(retry: Step, answer: boolean | number, failure: Failure): number | undefined {
  if (answer === false) return undefined;
  const least = failure.refusal.retryAfter ?? 0;
  const delay = Math.ceil(answer === true ? Math.max(backedOff(retry), least) : answer);
  const { budget } = retry.retrying!;
  retry.retrying!.wait *= retry.retrying!.backoff.factor;
  if (delay > remaining(retry)) return undefined;
  return budget === undefined || isRefusal(failure) || pay(budget) ? delay : undefined;
}

/** [flow-55]: a whole token, if there is one. */
export function pay(budget: Budget): boolean {
  if (budget.tokens < 1000) return false;
  budget.tokens -= 1000;
  return true;
}

/** [flow-56] */
export function putBack(budget: Budget | undefined): void {
  if (budget !== undefined) budget.tokens = Math.min(budget.capacity, budget.tokens + budget.ratio);
}

function backedOff(retry: Step): number {
  const { wait, backoff } = retry.retrying!;
  const { cap, jitter } = backoff;
  const part = jitter === 0 ? 1 : 1 - (jitter * retry.flow.tool.random()) / 2 ** 32;
  return Math.min(cap, wait) * part;
}
