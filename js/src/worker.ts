// What `worker` takes and gives; what it does stands in `working`.

import type { Job } from './heldjob.js';
import { signalIn } from './drainsignal.js';
import { defaultTool, type Part } from './index.js';
import { checkJobQueue, type JobQueue } from './jobqueue.js';
import { jobRetryOf, type JobRetry } from './jobretry.js';
import { checkNames, checkOpen, handlerIn, mistake, numberIn, wholeIn } from './redisoptions.js';
import type { ToolCore } from './toolcore.js';
import { warn } from './taker.js';
import { Working, type WorkerSettings } from './working.js';

/** Of a `worker`. */
export interface WorkerOptions {
  /** How many jobs run at a time, 1 or more. Default: 10. */
  concurrency?: number | undefined;
  /** Which failed attempts are followed by another one, and when, as of `retry`. Default: none. */
  retry?: JobRetry | undefined;
  /**
   * Within how many milliseconds a job of a process that was killed is taken over by another one, 1000 or more. A process that can't reach
   * Redis for three quarters of it leaves its jobs. Default: 30,000.
   */
  lease?: number | undefined;
  /** How often the worker of a job may be lost before the job is a dead letter: it may be what kills them. Default: 10. */
  losses?: number | undefined;
  /** The newest version of the payload's schema that the handler knows. Jobs of newer ones are dead letters. Default: any. */
  version?: number | undefined;
  /** Whether it's a payload for the handler. If not, or if it throws, the job is a dead letter. Default: each is. */
  accepts?: ((payload: unknown, version: number) => boolean) | undefined;
  /** A signal of the process at which it drains, `'SIGTERM'`; then the process ends by it, unless something else listens to it. Default: none. */
  drainOn?: string | undefined;
  /** How long it drains at that signal, in milliseconds. Default: 5000. */
  grace?: number | undefined;
  /** The tool of its flows. Default: `defaultTool`. */
  tool?: ToolCore | undefined;
  /**
   * Gets what goes wrong beside the jobs: what Redis or its client says, which is tried again anyway; and what a handler fails with that has no code of its
   * own, such as a `TypeError`: its mistakes. Default: a warning of the process, in Node.
   */
  report?: ((error: unknown) => void) | undefined;
}

/** What `worker` gives. */
export interface Worker {
  /** How many jobs it has. */
  readonly size: number;
  /**
   * Takes no more jobs, lets those that run end by themselves for so many milliseconds, then cancels them and gives them back to the queue.
   * Settles with how many these were, once nothing of the worker is left. A second call gives the same. Guide: docs/jobs.md#shutdown
   *
   *     await letterWorker.drain(5000);
   */
  drain(ms: number): Promise<number>;
  /** For `await using`: drains without waiting. */
  [Symbol.asyncDispose](): Promise<void>;
}

const known = 'concurrency retry lease losses version accepts drainOn grace tool report';

/**
 * Works on the jobs of a queue, or of several: those of the first one first. Each job is a flow of its own, in which the handler, a step value or a body, finds the
 * payload and the `Job`. It ends with ok: the job is done. It fails: another attempt, or a dead letter. Its process is killed: another worker
 * takes the job over, within the lease. So every job is run at least once. A job whose lease was lost is cancelled here. A guard for all
 * jobs, a timeout for an attempt are the handler's: `sync(guard, send.timeout(500))`. Bad options: `InternalError` at the call; a connection that is closed: `Closed`.
 * Guide: docs/jobs.md#a-worker
 *
 *     const letterWorker = worker(letters, sync(connections, send), { retry: { max: 5 }, drainOn: 'SIGTERM' });
 */
export function worker<T>(
  queue: JobQueue<T> | readonly JobQueue<T>[],
  handler: Part<[payload: T, job: Job], unknown>,
  options: WorkerOptions = {},
): Worker {
  const given = checkNames('worker', options, known);
  const settings: WorkerSettings = {
    concurrency: wholeIn('worker: concurrency', given.concurrency ?? 10, 1, Infinity),
    retry: jobRetryOf(given.retry ?? { max: 1 }),
    lease: numberIn('worker: lease', given.lease ?? 30_000, 1000, 1e10),
    losses: wholeIn('worker: losses', given.losses ?? 10, 0, Number.MAX_SAFE_INTEGER),
    version: numberIn('worker: version', given.version ?? Infinity, 0, Infinity),
    accepts: given.accepts ?? (() => true),
    drainOn: signalIn('worker', given.drainOn),
    grace: numberIn('worker: grace', given.grace ?? 5000, 0, Infinity),
    tool: given.tool ?? defaultTool,
    report: given.report ?? warn('worker'),
  };
  for (const fn of ['accepts', 'report'] as const)
    if (typeof settings[fn] !== 'function') throw mistake(`worker: ${fn}: expected a function`);
  const queues = Array.isArray(queue) ? queue : [queue];
  if (queues.length === 0) throw mistake('worker: expected a JobQueue, or several, got none');
  for (const one of queues) checkJobQueue('worker', one);
  const step = handlerIn('worker: handler', handler);
  for (const { connection } of queues) checkOpen('worker', connection);
  return new Working(queues, step, settings);
}
