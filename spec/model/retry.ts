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

export interface Retrying {
  max: number;
  backoff: Backoff;
  on: readonly string[] | undefined;
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

/** [flow-47] [flow-58] */
export function makeRetrying(
  max: number,
  given: Partial<Backoff>,
  on: readonly string[] | undefined,
  budget: Budget | undefined,
): Retrying {
  const backoff = { base: 100, factor: 2, cap: 20_000, jitter: 1, ...given };
  const { base, factor, cap, jitter } = backoff;
  const fits =
    Number.isSafeInteger(max) &&
    max >= 1 &&
    base >= 0 &&
    base < Number.POSITIVE_INFINITY &&
    factor >= 1 &&
    factor < Number.POSITIVE_INFINITY &&
    cap >= 0 &&
    jitter >= 0 &&
    jitter <= 1 &&
    !on?.includes('');
  if (!fits) throw misuse('these are no options of a retry');
  return { max, backoff, on, budget, attempts: 0, wait: base, failures: [] };
}

/** [flow-40] [flow-41] [flow-42] */
export function nextAttempt(retry: Step): void {
  const attempt = makeStep('attempt', retry.flow, retry);
  attempt.element = `#${retry.retrying!.attempts++}`;
  attempt.body = retry.body;
  attempt.line = retry.line;
  retry.line!.top = attempt;
  retry.line!.values = [];
  runBody(attempt, [retry.retrying!.attempts], true);
}

/** [flow-44] [flow-56] */
export function attemptEnded(retry: Step, values: Values): void {
  const { budget } = retry.retrying!;
  if (budget !== undefined) budget.tokens = Math.min(budget.capacity, budget.tokens + budget.ratio);
  leave(retry, { how: 'ok', values });
}

/** [flow-43] [flow-45] [flow-51] */
export function attemptFailed(retry: Step, failure: Failure): void {
  const { failures } = retry.retrying!;
  failures.push(failure);
  const wait = waitBefore(retry, failure);
  if (wait === undefined) {
    told(retry, failures).reduce((earlier, later) => replacing(later, earlier));
    return leave(retry, { how: 'error', failure });
  }
  const delay = makeStep('delay', retry.flow, retry);
  delay.delay = wait;
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

/** How long it waits before it tries again, if it does: what is asked, in that order. [flow-46] [flow-48] [flow-49] [flow-54] [flow-55] */
function waitBefore(retry: Step, { code }: Failure): number | undefined {
  const { max, backoff, on, budget, attempts, wait } = retry.retrying!;
  const named = on === undefined ? code !== 'InternalError' : on.includes(code);
  if (attempts >= max || !named) return undefined;
  const { factor, cap, jitter } = backoff;
  const part = jitter === 0 ? 1 : 1 - (jitter * retry.flow.tool.random()) / 2 ** 32;
  const delay = Math.ceil(Math.min(cap, wait) * part);
  retry.retrying!.wait = wait * factor;
  if (delay > remaining(retry)) return undefined;
  if (budget !== undefined && budget.tokens < 1000) return undefined;
  if (budget !== undefined) budget.tokens -= 1000;
  return delay;
}
