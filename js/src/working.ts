// A worker: takes jobs as long as it has room, runs a flow for each, and tells Redis what has come of it.
//
// `#looks` is the only one that takes, so there is never more than one question on its way. Whoever frees room, hears of jobs or whose timer
// is due calls `#look`.

import { onSignal } from './drainsignal.js';
import type { HeldJob } from './heldjob.js';
import { type IOutcome, Scope, type Step } from './index.js';
import { failure, failuresOf, together } from './jobfailure.js';
import type { JobQueue } from './jobqueue.js';
import { waitAfter } from './jobretry.js';
import { JobSource } from './jobsource.js';
import { payloadIn } from './jobtext.js';
import { numberIn } from './redisoptions.js';
import type { Worker, WorkerOptions } from './worker.js';

export type WorkerSettings = Required<{
  [K in keyof WorkerOptions]: NonNullable<WorkerOptions[K]> | undefined;
}>;

// biome-ignore lint/suspicious/noShadowRestrictedNames: it has no type without a platform's
declare const globalThis: { readonly crypto: { randomUUID(): string } };

const longestPause = 2000;

export class Working implements Worker {
  readonly #sources: readonly JobSource[];
  readonly #handler: Step;
  readonly #settings: WorkerSettings;
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

  constructor(queues: readonly JobQueue<any>[], handler: any, settings: WorkerSettings) {
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
    // From now on others are told in its place.
    for (const source of this.#sources) source.leave(true).catch((error) => this.#report(error));
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
    try {
      this.#settings.report!(error);
    } catch {
      // Jobs go on, whatever it does.
    }
  }
}
