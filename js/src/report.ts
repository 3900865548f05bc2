// What is not an error of the flow is told to its `report` hook; a hook that throws has nobody left to be told to.

import { toRecord } from './foreign.js';
import { macrotask, print } from './clock.js';
import type { Hook } from './iasyncsteps.js';
import type { Step } from './step.js';
import { pathOf } from './path.js';
import { errorPath, exceptionOf, type StepError } from './error.js';

/** Where something may go wrong later, without the flow. */
export interface Place {
  readonly hook: Hook;
  readonly path: string;
}

export function placeOf(step: Step): Place {
  return { hook: step.line.flow.settings.report, path: pathOf(step) };
}

export function report(step: Step, thrown: unknown): void {
  reportAt(placeOf(step), thrown);
}

export function reportAt({ hook, path }: Place, thrown: unknown): void {
  callHook(hook, toRecord(thrown, path));
}

export function callHook(hook: Hook, error: StepError): void {
  try {
    hook(error.code, error.info, exceptionOf(error), errorPath(error));
  } catch (thrown) {
    throwFresh(thrown);
  }
}

/** Uncaught, from a stack that has nothing of ours on it; not from a timer, which a test may have replaced by one that never fires. */
export function throwFresh(thrown: unknown): void {
  macrotask(() => {
    throw thrown;
  });
}

export function printReport(code: string, info: string, exception: unknown, path: string): void {
  const where = `steptree: at ${path}:`;
  try {
    print(where, exception);
  } catch {
    print(where, code, info);
  }
}

export function throwUnhandled(
  _code: string,
  _info: string,
  exception: unknown,
  path: string,
): void {
  throwFresh(withPath(exception, path));
}

/** One that isn't ours says where in the program it was, too, below its frames. */
export function withPath(exception: unknown, path: string): unknown {
  return withBehind(exception, `\n    at step ${path}`);
}

export function withBehind(exception: unknown, text: string): unknown {
  try {
    const { stack } = exception as Error;
    if (typeof stack === 'string' && !stack.includes(text))
      (exception as Error).stack = stack + text;
  } catch {
    // Frozen, or hostile.
  }
  return exception;
}
