// A worker: takes jobs as long as it has room, runs a flow for each, and tells Redis what has come of it.

import type { HeldJob } from './heldjob.js';
import type { IOutcome, Step } from './index.js';
import { failure, failuresOf, together } from './jobfailure.js';
import type { JobQueue } from './jobqueue.js';
import { waitAfter } from './jobretry.js';
import { JobSource } from './jobsource.js';
import { payloadIn } from './jobtext.js';
import { Taker } from './taker.js';
import type { Worker, WorkerOptions } from './worker.js';

export type WorkerSettings = Required<{
  [K in keyof Omit<WorkerOptions, 'drainOn'>]: NonNullable<WorkerOptions[K]>;
}> & { readonly drainOn: string | undefined };

// biome-ignore lint/suspicious/noShadowRestrictedNames: it has no type without a platform's
declare const globalThis: { readonly crypto: { randomUUID(): string } };

export class Working extends Taker implements Worker {
  readonly #sources: readonly JobSource[];
  readonly #handler: Step;
  readonly #settings: WorkerSettings;

  constructor(queues: readonly JobQueue<any>[], handler: any, settings: WorkerSettings) {
    super(settings, new Set(queues.map(({ connection }) => connection)));
    this.#settings = settings;
    this.#handler = handler;
    const { tool, lease, losses } = settings;
    const id = globalThis.crypto.randomUUID();
    const report = (error: unknown) => this.report(error);
    const own = { tool, id, losses, report, look: () => this.look() };
    const hold = Math.floor(lease * 0.75); // others look up to a sixth of that later
    this.#sources = queues.map((queue) => new JobSource({ ...own, queue, hold }));
    this.look();
  }

  /** It begins with the first queue again each time. */
  protected override async take(): Promise<void> {
    for (const source of this.#sources) await source.listen();
    let { room } = this;
    for (const source of this.#sources) {
      if (this.draining || room <= 0) break;
      const jobs = await source.take(Math.min(room, 1000));
      room -= jobs.length;
      for (const job of jobs)
        this.run(this.#outcomeOf(source, job), (outcome) => this.#settled(source, job, outcome));
    }
    // Where it's idle and has no room, others are told in its place.
    if (room <= 0) for (const source of this.#sources) await source.leave();
  }

  protected override leave(): Promise<unknown>[] {
    return this.#sources.map((source) => source.leave(true));
  }

  protected override stop(): void {
    for (const { held } of this.#sources) for (const job of held) job.stop('drained');
  }

  protected override end(): (() => Promise<unknown>)[] {
    return this.#sources.map((source) => () => source.end());
  }

  /** An `Error`: it's no job for the handler. */
  async #outcomeOf(source: JobSource, job: HeldJob): Promise<IOutcome | Error> {
    if (this.draining) return { kind: 'cancelled' };
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
    else {
      this.reportMistake(`${job.job.queue}/${job.id}`, outcome);
      await this.#failed(source, job, outcome.code, outcome.error);
    }
  }

  #payloadOf(source: JobSource, { job, text }: HeldJob): unknown {
    const { version, accepts } = this.#settings;
    if (job.version > version)
      throw new Error(`its version is ${job.version}, the handler knows ${version}`);
    const payload = payloadIn(text, source.settings.queue.limits.maxDepth);
    if (!accepts(payload, job.version)) throw new Error('the handler does not accept its payload');
    return payload;
  }

  #run(payload: unknown, { job, left, signal }: HeldJob): Promise<IOutcome> {
    const bound = this.#handler.with(payload, job);
    const limited = left < 0 ? bound : bound.timeout(left);
    return new Promise((done) => this.scope.start(limited, { done, signal }));
  }

  async #failed(source: JobSource, job: HeldJob, code: string, error: unknown): Promise<void> {
    const { attempt } = job.job;
    const failures = failuresOf(error, code, attempt);
    const { retry, tool } = this.#settings;
    let wait = -1;
    try {
      wait = waitAfter(retry, attempt, code, error, tool.random());
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
    this.cut += await source.settle(job, 'putback');
  }
}
