// A worker: takes jobs as long as it has room, runs a flow for each, and tells Redis what has come of it.
//
// `#looks` is the only one that takes, so there is never more than one question on its way. Whoever frees room, hears of jobs or whose timer
// is due calls `#look`.

import { onSignal } from './drainsignal.js';
import type { HeldJob, Job } from './heldjob.js';
import { defaultTool, type IOutcome, type Part, Scope, type Step, step } from './index.js';
import { failure, failuresOf, together } from './jobfailure.js';
import type { JobQueue } from './jobqueue.js';
import { jobRetryOf, type JobRetry, waitAfter } from './jobretry.js';
import { JobSource } from './jobsource.js';
import { payloadIn } from './jobtext.js';
import { checkNames, mistake, numberIn, wholeIn } from './redisoptions.js';
import type { ToolCore } from './toolcore.js';

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
  /** Gets what goes wrong beside the jobs: what Redis or its client says. It's tried again anyway. Default: a warning of the process, in Node. */
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

type Settings = Required<{ [K in keyof WorkerOptions]: NonNullable<WorkerOptions[K]> | undefined }>;

// biome-ignore lint/suspicious/noShadowRestrictedNames: what a platform has has no type
declare const globalThis: {
  readonly crypto: { randomUUID(): string };
  readonly process: { emitWarning?(text: string, type: string): void } | undefined;
};

const known = 'concurrency retry lease losses version accepts drainOn grace tool report';
const longestPause = 2000;

/**
 * Works on the jobs of a queue, or of several: those of the first one first. Each job is a flow of its own, in which the handler, a step value or a body, finds the
 * payload and the `Job`. It ends with ok: the job is done. It fails: another attempt, or a dead letter. Its process is killed: another worker
 * takes the job over, within the lease. So every job is run at least once. A job whose lease was lost is cancelled here. A guard for all
 * jobs, a timeout for an attempt are the handler's: `sync(guard, send.timeout(500))`. Bad options: `InternalError` at the call.
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
  const settings: Settings = {
    concurrency: wholeIn('worker: concurrency', given.concurrency ?? 10, 1, Infinity),
    retry: jobRetryOf(given.retry ?? { max: 1 }),
    lease: numberIn('worker: lease', given.lease ?? 30_000, 1000, 1e10),
    losses: wholeIn('worker: losses', given.losses ?? 10, 0, Number.MAX_SAFE_INTEGER),
    version: numberIn('worker: version', given.version ?? Infinity, 0, Infinity),
    accepts: given.accepts ?? (() => true),
    drainOn: given.drainOn,
    grace: numberIn('worker: grace', given.grace ?? 5000, 0, Infinity),
    tool: given.tool ?? defaultTool,
    report: given.report ?? warn,
  };
  for (const fn of ['accepts', 'report'] as const)
    if (typeof settings[fn] !== 'function') throw mistake(`worker: ${fn}: expected a function`);
  const queues = Array.isArray(queue) ? queue : [queue];
  if (queues.length === 0 || queues.some((one) => typeof one?.connection?.script !== 'function'))
    throw mistake('worker: expected a JobQueue, or several');
  const stepOrBody = handler as Partial<Step>;
  const value = typeof stepOrBody?.with === 'function' ? handler : step(handler);
  return new Working(queues, value, settings);
}

function warn(error: unknown): void {
  globalThis.process?.emitWarning?.(`worker: ${String(error)}`, 'SteptreeWarning');
}

class Working implements Worker {
  readonly #sources: readonly JobSource[];
  readonly #handler: Step;
  readonly #settings: Settings;
  readonly #scope: Scope;
  /** Of those that are looking, and of jobs: a drain waits for them. */
  readonly #going = new Set<Promise<void>>();
  #size = 0;
  #isLooking = false;
  #again = false;
  #endPause: (() => void) | undefined;
  #draining: Promise<number> | undefined;
  #putBack = 0;
  readonly #deaf: () => void = () => {};

  constructor(queues: readonly JobQueue<any>[], handler: any, settings: Settings) {
    this.#settings = settings;
    this.#handler = handler;
    const { tool, lease, losses, drainOn, grace } = settings;
    this.#scope = new Scope({ tool: tool! });
    const id = globalThis.crypto.randomUUID();
    const report = (error: unknown) => this.#report(error);
    const own = { tool: tool!, id, losses: losses!, report, look: () => this.#look() };
    const hold = Math.floor(lease! * 0.75); // others look up to a sixth of that later
    this.#sources = queues.map((queue) => new JobSource({ ...own, queue, hold }));
    if (drainOn !== undefined) this.#deaf = onSignal(drainOn, () => this.drain(grace!));
    this.#look();
  }

  get size(): number {
    return this.#size;
  }

  drain(ms: number): Promise<number> {
    const limit = numberIn('drain', ms, 0, Infinity);
    this.#draining ??= this.#drain(limit);
    return this.#draining;
  }

  async [Symbol.asyncDispose](): Promise<void> {
    await this.drain(0);
  }

  async #drain(ms: number): Promise<number> {
    await null; // what is begun after this is put back at once
    this.#endPause?.();
    const limit = this.#settings.tool!.deferred(ms, () => {
      for (const { held } of this.#sources) for (const job of held) job.stop('drained');
    });
    // While Redis doesn't answer, jobs are left when their leases end: longer than that nothing is waited for.
    const most = ms + this.#settings.lease!;
    await this.#within(most, async () => {
      while (this.#going.size > 0) await Promise.all(this.#going);
    });
    limit.cancel();
    for (const source of this.#sources) await this.#within(1000, () => source.end());
    await this.#scope.close();
    this.#deaf();
    return this.#putBack;
  }

  #look(): void {
    this.#again = true;
    if (!this.#isLooking && this.#draining === undefined) this.#keep(this.#looks());
  }

  async #looks(): Promise<void> {
    this.#isLooking = true;
    for (let failures = 0; this.#again && this.#draining === undefined;) {
      this.#again = false;
      try {
        await this.#take();
        failures = 0;
      } catch (error) {
        this.#again = true;
        this.#report(error);
        await this.#wait(Math.min(longestPause, 50 * 2 ** failures++));
      }
    }
    this.#isLooking = false;
  }

  /** What gets free meanwhile is for the next look: it begins with the first queue again. */
  async #take(): Promise<void> {
    for (const source of this.#sources) await source.listen();
    let room = this.#settings.concurrency! - this.#size;
    for (const source of this.#sources) {
      if (this.#draining !== undefined || room <= 0) break;
      const jobs = await source.take(Math.min(room, 1000));
      room -= jobs.length;
      this.#size += jobs.length;
      for (const job of jobs) this.#keep(this.#work(source, job));
    }
    // Where it's idle and has no room, others are told in its place.
    if (room <= 0) for (const source of this.#sources) await source.leave();
  }

  /** Till nothing of the job is left. There is room for another one once what has come of it is on its way: Redis keeps their order. */
  async #work(source: JobSource, job: HeldJob): Promise<void> {
    const settled = this.#settled(source, job, await this.#outcomeOf(source, job));
    this.#size--;
    this.#look();
    await settled;
  }

  /** An `Error`: it's no job for the handler. */
  async #outcomeOf(source: JobSource, job: HeldJob): Promise<IOutcome | Error> {
    if (this.#draining !== undefined) return { kind: 'cancelled' };
    let payload: unknown;
    try {
      payload = this.#payloadOf(source, job);
    } catch (error) {
      return error instanceof Error ? error : new Error(String(error));
    }
    return this.#run(payload, job);
  }

  async #settled(source: JobSource, job: HeldJob, outcome: IOutcome | Error): Promise<void> {
    if (outcome instanceof Error) {
      const why = failure(job.job.attempt, 'InvalidJob', outcome.message);
      await this.#fail(source, job, -1, why.code, [why]);
    } else if (outcome.kind === 'ok' || job.end === 'lost') await source.settle(job, 'done');
    else if (outcome.kind === 'cancelled') await this.#giveBack(source, job);
    else await this.#failed(source, job, outcome.code, outcome.error);
  }

  #payloadOf(source: JobSource, { job, text }: HeldJob): unknown {
    const { version, accepts } = this.#settings;
    if (job.version > version!)
      throw new Error(`its version is ${job.version}, the handler knows ${version}`);
    const payload = payloadIn(text, source.settings.queue.limits.maxDepth);
    if (!accepts!(payload, job.version)) throw new Error('the handler does not accept its payload');
    return payload;
  }

  #run(payload: unknown, { job, left, signal }: HeldJob): Promise<IOutcome> {
    const bound = this.#handler.with(payload, job);
    const limited = left < 0 ? bound : bound.timeout(left);
    return new Promise((done) => this.#scope.start(limited, { done, signal }));
  }

  async #failed(source: JobSource, job: HeldJob, code: string, error: unknown): Promise<void> {
    const { attempt } = job.job;
    const failures = failuresOf(error, code, attempt);
    const { retry, tool } = this.#settings;
    let wait = -1;
    try {
      wait = waitAfter(retry!, attempt, code, error, tool!.random());
    } catch (thrown) {
      failures.unshift(...failuresOf(thrown, 'InternalError', attempt));
    }
    await this.#fail(source, job, wait, failures[0]!.code, failures);
  }

  async #fail(
    source: JobSource,
    job: HeldJob,
    wait: number,
    code: string,
    failures: ReturnType<typeof failuresOf>,
  ): Promise<void> {
    const { info, path } = failures[0]!;
    const { maxBytes, deadLetters } = source.settings.queue.limits;
    const causes = JSON.stringify(together(job.job.causes, failures.reverse()));
    await source.settle(job, 'fail', wait, code, info, path, causes, maxBytes, deadLetters);
  }

  async #giveBack(source: JobSource, job: HeldJob): Promise<void> {
    this.#putBack += await source.settle(job, 'putback');
  }

  #keep(going: Promise<void>): void {
    const kept: Promise<void> = going
      .catch((error) => this.#report(error))
      .finally(() => this.#going.delete(kept));
    this.#going.add(kept);
  }

  #within(ms: number, work: () => Promise<unknown>): Promise<void> {
    return new Promise((resolve) => {
      const timer = this.#settings.tool!.deferred(ms, resolve);
      void work()
        .catch((error) => this.#report(error))
        .finally(() => {
          timer.cancel();
          resolve();
        });
    });
  }

  #wait(ms: number): Promise<void> {
    return new Promise((resolve) => {
      const timer = this.#settings.tool!.deferred(ms, resolve);
      this.#endPause = () => {
        timer.cancel();
        resolve();
      };
    });
  }

  #report(error: unknown): void {
    this.#settings.report!(error);
  }
}
