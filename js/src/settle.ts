// What user code has left in a step: a body, the lock of a section, what is awaited. It decides whether the line goes on.

import { watch } from './awaiting.js';
import { CANCELLED, enter, THREW } from './enter.js';
import { betweenRounds, close } from './frame.js';
import { AGAIN, PENDING } from './kind.js';
import { latchMistake, latchThrown, leaveReturned } from './latch.js';
import { DUE, FAIL, FOREVER, OK, ROUNDS, TOLD, WAIT, WAITING } from './phase.js';
import { isCancelled } from './shelter.js';
import type { Step } from './step.js';
import { thenOf } from './thenable.js';
import type { Line } from './tree.js';
import { closeOk, fail } from './unwind.js';

/** After a body. Returns whether the line goes on in this turn. */
export function settle(line: Line, step: Step, returned: unknown): boolean {
  return !lasts(step, returned) && !isCancelled(line) && conclude(line, step);
}

/** What is awaitable makes the step last. */
export function lasts(step: Step, returned: unknown): boolean {
  if (returned === undefined) return false;
  try {
    const then = thenOf(returned);
    if (then !== undefined) {
      watch(step, returned, then);
      return true;
    }
    if (returned !== step) leaveReturned(step, returned);
  } catch (thrown) {
    latchThrown(step, thrown);
  }
  return false;
}

/** Calls user code that says how the line goes on, as one of a kind's answers. What it throws goes outwards. */
export function ask<A, B>(step: Step, call: (a: A, b: B) => number, a: A, b: B): number {
  const answer = enter(step, call, a, b);
  if (answer === CANCELLED) return PENDING;
  return answer === THREW ? (fail(step.line, step) ? AGAIN : PENDING) : answer;
}

/** What a body left decides; the order of these questions is the law. Returns whether the line goes on in this turn. */
export function conclude(line: Line, step: Step): boolean {
  latchMistake(step);
  const { bits } = step;
  if (bits & FAIL) return fail(line, step);
  if (step.tail === null && (bits & (OK | WAIT)) === WAIT) {
    step.bits = (bits & FOREVER) | WAITING;
    return false;
  }
  if (step.tail !== null || bits & ROUNDS) {
    betweenRounds(step);
    return true;
  }
  return closeNow(line, step);
}

/** It has ended with ok. Returns whether the line goes on in this turn: who sees that may cancel the flow. */
export function closeNow(line: Line, step: Step): boolean {
  const { bits } = step;
  if (bits & DUE) return closeOk(line, step);
  close(line, step);
  return (bits & TOLD) === 0 || !isCancelled(line);
}
