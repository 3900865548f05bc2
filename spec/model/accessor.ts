/** The calls on an accessor: what a body, a handler, or the outside may say to its step. */
import { arm, remaining as timeLeft } from './timeout.js';
import { register } from './cleanup.js';
import { claim } from './claim.js';
import { type Completion, sayError, sayOk, waitExternal as waits } from './external.js';
import { findLoop } from './control.js';
import { latchControl } from './latch.js';
import { makeFlow } from './flow.js';
import type { Body, Flow, Step, Values } from './shape.js';
import { makeSignal, type Signal } from './signal.js';
import { LoopControl, misuse, type Refusal, StepError } from './thrown.js';

/** [model-38] to [model-41], [model-41]: in its body, in its handler, while it waits. */
export function valid(step: Step): boolean {
  return ['body', 'awaiting', 'handler', 'waiting'].includes(step.phase);
}

/** [model-44] */
function check(step: Step): void {
  if (!valid(step)) throw misuse('the step is not open');
}

/** Is nothing of the step on the native stack ([external-25])? Then nothing is thrown. */
function outside(step: Step): boolean {
  return step.phase === 'waiting';
}

export function success(step: Step, values: Values): void {
  check(step);
  sayOk(step, values);
}

/** [model-21] [error-3] */
export function error(step: Step, code: string, info?: string, refusal?: Refusal): void {
  check(step);
  const fromOutside = outside(step);
  const signal = new StepError(code === '' ? 'InternalError' : code, info, refusal);
  sayError(step, code, info, signal, refusal);
  if (!fromOutside) throw signal;
}

/** [model-23] */
export function errorNoThrow(step: Step, code: string, info?: string): void {
  check(step);
  sayError(step, code, info);
}

/** [model-21] [loop-27] [loop-30] */
export function control(step: Step, action: 'break' | 'continue', label = '', throws = true): void {
  check(step);
  const iteration = findLoop(step, label);
  if (iteration === undefined) {
    (throws ? error : errorNoThrow)(step, 'InternalError', 'there is no such loop');
    return;
  }
  if (outside(step)) return claim(step, { what: 'control', control: { action, iteration } });
  const signal = new LoopControl(action);
  latchControl(step, { action, iteration }, signal);
  if (throws) throw signal;
}

/** [model-33] [model-49] */
export function setTimeout(step: Step, delay: number, code?: string): void {
  check(step);
  arm(step, delay, code);
  step.guarded = true;
}

/** [cancel-9] [cancel-10] */
export function setCancel(step: Step, undo: (step: Step) => unknown): void {
  check(step);
  step.undo = undo;
  step.guarded = true;
}

/** [signal-10] [signal-13] [signal-16] [signal-22] */
export function signalOf(step: Step): Signal {
  if (!valid(step) && step.lastSignal !== undefined) return step.lastSignal;
  const isLeft = step.phase === 'closing' || step.phase === 'closed';
  if (isLeft) return (step.lastSignal = { ...makeSignal(), aborted: true });
  check(step);
  step.signal ??= makeSignal();
  step.lastSignal = step.signal;
  return step.signal;
}

/** [model-49] */
export function waitExternal(step: Step): Completion {
  check(step);
  return waits(step);
}

/** [cleanup-1] [cleanup-3] */
export function defer(step: Step, body: Body): void {
  check(step);
  register(step, body);
}

/** [cleanup-80] */
export function remaining(step: Step): number {
  check(step);
  return timeLeft(step);
}

/** [model-14] [model-49] [cleanup-68] [observe-13]: the same tool, settings and hooks, a state of its own. */
export function newInstance(step: Step): Flow {
  check(step);
  const { tool, hooks, burst, grace, name } = step.flow;
  return makeFlow(tool, hooks, burst, grace, name);
}

/** [results-40] [results-43] */
export function setLocal(step: Step, key: string, value: unknown): void {
  check(step);
  step.locals.set(key, value);
}

/** [results-41] [results-42] */
export function localOf(step: Step, key: string): unknown {
  for (let frame: Step | undefined = step; frame !== undefined; frame = frame.parent) {
    if (frame.locals.has(key)) return frame.locals.get(key);
  }
  return undefined;
}

/** [model-48]: adding is for bodies and handlers. */
export function mayAdd(step: Step): void {
  check(step);
  if (outside(step)) throw misuse('a waiting step takes no steps');
}
