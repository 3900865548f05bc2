// Work for other threads, by a pool of `piscina`. An entry point of its own, `steptree/pool`: nothing else knows of it, and it knows
// no more of the pool than its `run`.
//
//     import { Piscina } from 'piscina';
//     import { offload } from 'steptree/pool';
//
//     const pool = new Piscina({ filename: new URL('./worker.js', import.meta.url).href });
//     flow.add((asi) => {
//       asi.setTimeout(200); // ends the task, too
//       asi.add(offload(pool, { width: 100 }, { name: 'resize' }));
//       asi.add((asi, image) => asi.success(image.length));
//     });
//
//     // worker.js
//     import { task } from 'steptree/pool';
//     export const resize = task(({ width }) => …);

import { type Body, errors, StepError } from './index.js';
import { portableCode } from './portable.js';

/** What is needed of a pool: a `Piscina` has it. */
export interface TaskPool {
  /** Runs the task on a thread; `options.signal` aborts it. */
  run(task: any, options?: any): PromiseLike<unknown>;
}

/** Options of the pool's for one task. Guide: docs/waiting.md#event-loops */
export interface TaskOptions {
  /** Which function of the worker's file; its default export if absent. */
  name?: string | undefined;
  /** Another file than the pool's. */
  filename?: string | undefined;
  /** What the worker gets for itself, not as a copy. */
  transferList?: readonly any[] | undefined;
}

/**
 * The body of a step whose work is done by a worker thread. The task is handed to the pool when the step opens, and what it returns
 * is the result of the step. A function in the place of the task makes it, from the values of the step before.
 *
 * An error of the worker's is the error of the step: with its code if that is a `StepError`, or if `task` has sent it; else as any error of
 * JavaScript that is thrown in a body. A step that is left before, by an error around it, a timeout or a cancel, aborts its task: one that
 * waits in the pool's queue never begins, of one that has begun the thread is ended. What has no `run`: `InternalError` at the call.
 * Guide: docs/waiting.md#event-loops
 *
 *     asi.add(offload(pool, { width: 100 }, { name: 'resize' }));
 */
export function offload(pool: TaskPool, task: unknown, options?: TaskOptions): Body {
  if (typeof pool?.run !== 'function')
    throw new StepError(errors.InternalError, 'offload: expected a pool, a Piscina for instance');
  return async (asi, ...values) => {
    const what = typeof task === 'function' ? task(...values) : task;
    try {
      return await pool.run(what, { ...options, signal: asi.signal });
    } catch (reason) {
      throw fromWorker(reason);
    }
  };
}

/**
 * For the worker's file: a function whose errors keep their codes. Without it a thread sends no more of an `Error` than what it says; a
 * `StepError` needs no help. `null` and `undefined` can't be thrown: a pool takes the task for one that is done.
 * Guide: docs/waiting.md#event-loops
 *
 *     export const resize = task(({ width }: { width: number }) => scale(width));
 */
export function task<A extends unknown[], R>(fn: (...args: A) => R) {
  return async (...args: A): Promise<Awaited<R>> => {
    try {
      return await fn(...args);
    } catch (thrown) {
      throw cloneable(toMainThread(thrown));
    }
  };
}

/** Between threads a StepError is a plain object with its fields; the fields of an Error that aren't the language's are lost. */
function toMainThread(thrown: unknown): unknown {
  if (!(thrown instanceof Error) || StepError.is(thrown)) return thrown;
  const code = portableCode(thrown);
  return code ? new StepError(code, thrown.message, thrown) : thrown;
}

/** A cause that can't be sent is left out: code and info are what counts. */
function cloneable(thrown: unknown): unknown {
  try {
    (globalThis as any).structuredClone(thrown);
  } catch {
    if (StepError.is(thrown)) return new StepError(thrown.code, thrown.info);
  }
  return thrown;
}

function fromWorker(reason: unknown): unknown {
  const { code, info, cause } = Object(reason);
  const isSent = !(reason instanceof Error) && typeof info === 'string' && typeof code === 'string';
  return isSent && code ? new StepError(code, info, cause) : reason;
}
