// A flow that a step awaits: the step's own work, executed when the step opens, and ended with it.

import { errors } from './codes.js';
import { StepError } from './error.js';
import type { IFlow, IOutcome } from './iasyncsteps.js';
import { isObject } from './portable.js';

/** What the flow has ended with. */
export class Ended {
  declare readonly values: readonly unknown[];

  constructor(values: readonly unknown[]) {
    this.values = values;
  }
}

export class Child implements PromiseLike<unknown> {
  declare private readonly flow: IFlow;
  /** Whether it runs, as it was executed here. */
  private runs = false;
  /** Who waits for its end. */
  private ended: (() => void) | null = null;

  constructor(flow: IFlow) {
    this.flow = flow;
  }

  /** Executes it; throws if it runs. */
  // biome-ignore lint/suspicious/noThenProperty: it is awaited as any other
  then(resolve: any, reject: any): any {
    this.flow.execute((outcome) => {
      this.runs = false;
      if (outcome.kind === 'ok') resolve(new Ended(outcome.values));
      else reject(reasonOf(outcome));
      this.ended?.();
    });
    this.runs = true;
  }

  /** Settles when nothing of it is open any more. */
  cancel(): Promise<void> | undefined {
    if (!this.runs) return undefined;
    this.flow.cancel();
    return new Promise((resolve) => {
      this.ended = resolve;
    });
  }
}

/** What a promise is rejected with. */
export function reasonOf({
  kind,
  error,
  reason,
  cause,
}: Exclude<IOutcome, { kind: 'ok' }> & { cause?: unknown }): unknown {
  return kind === 'error' ? error : new StepError(errors.Canceled, reason, cause);
}

/** A flow, but for one that is awaitable itself. What can't be looked at is none. */
export function isFlow(value: any): value is IFlow {
  try {
    return isObject(value) && typeof value.execute === 'function' && value.then === undefined;
  } catch {
    return false;
  }
}
