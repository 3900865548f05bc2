// One queue of a worker: what it takes of it, renews, and gives back.

import { clock } from './clock.js';
import { HeldJob, type Taken } from './heldjob.js';
import type { ToolCore } from './toolcore.js';
import type { Handle } from './index.js';
import type { JobQueue } from './jobqueue.js';
import { lifeOf } from './leaselife.js';

export interface SourceSettings {
  readonly queue: JobQueue<any>;
  readonly tool: ToolCore;
  /** Of the worker. */
  readonly id: string;
  /** For how long jobs are held in Redis, in milliseconds. */
  readonly hold: number;
  /** How often a job may be lost. */
  readonly losses: number;
  /** There may be something to take. */
  look(): void;
  report(error: unknown): void;
}

export class JobSource {
  readonly settings: SourceSettings;
  readonly held = new Set<HeldJob>();
  /** It's told when there is something to take. */
  isIdle = false;
  #deaf: (() => void) | undefined;
  #timer: Handle | undefined;
  #renewal: Handle | undefined;
  #expiry: Handle | undefined;

  constructor(settings: SourceSettings) {
    this.settings = settings;
  }

  /** From then on nothing is missed. */
  async listen(): Promise<void> {
    const { queue, id, look } = this.settings;
    this.#deaf ??= await queue.connection.listen(`${queue.base}:wake:${id}`, {
      heard: look,
      again: look,
    });
  }

  async take(room: number): Promise<HeldJob[]> {
    const { queue, id, hold, losses } = this.settings;
    const { maxBytes, deadLetters } = queue.limits;
    const asked = clock();
    const args = [id, room, hold, maxBytes, deadLetters, losses];
    const [taken, next, isKeeper] = await this.#script('take', args);
    if (clock() >= this.#expiryOf(asked)) return this.#tooLate(taken);
    const jobs = (taken as Taken[]).map((one) => new HeldJob(queue, one, this.#expiryOf(asked)));
    for (const job of jobs) this.held.add(job);
    this.isIdle = jobs.length < room;
    this.#lookIn(next as number, isKeeper === 1);
    if (jobs.length > 0) this.#watch();
    return jobs;
  }

  /** The answer took longer than the lease: what was given is given back, as if it had not begun. */
  async #tooLate(taken: Taken[]): Promise<HeldJob[]> {
    for (const [id, token] of taken) await this.#script('putback', [id, token]);
    this.settings.look();
    return [];
  }

  /** There is no room: others are told. */
  async leave(always = false): Promise<void> {
    if (!this.isIdle && !always) return;
    this.isIdle = false;
    this.#timer?.cancel();
    await this.#script('leave', [this.settings.id, 0]);
  }

  /** Gives what the script says of a job; 0, if the lease was lost. It's tried till then. */
  async settle(job: HeldJob, script: string, ...more: (string | number)[]): Promise<number> {
    let answer = 0;
    for (let tries = 0; job.end !== 'lost'; tries++) {
      try {
        const said = this.#script(script, [job.id, job.token, ...more]);
        answer = await Promise.race([said, job.lost.then(() => 0)]);
        break;
      } catch (error) {
        if (this.settings.queue.connection.whyClosed) break;
        this.settings.report(error);
        await this.#pause(Math.min(1000, 50 * 2 ** Math.min(tries, 10)));
      }
    }
    this.held.delete(job);
    if (this.held.size === 0) this.#unwatch();
    return answer;
  }

  /** Nothing of it is held any more. */
  async end(): Promise<void> {
    this.#timer?.cancel();
    this.#unwatch();
    this.#deaf?.();
    await this.#script('leave', [this.settings.id, 1]);
  }

  #script(name: string, args: readonly (string | number)[]): Promise<any> {
    const { queue } = this.settings;
    return queue.connection.script(`jobs/${name}`, queue.base, args);
  }

  #pause(ms: number): Promise<void> {
    return new Promise((resolve) => this.settings.tool.deferred(ms, resolve));
  }

  /** When a job is due or a lease ends. One idle worker is there in time; the others look whether it was, and sometimes anyway. */
  #lookIn(next: number, isKeeper: boolean): void {
    const { tool, hold, look } = this.settings;
    this.#timer?.cancel();
    if (!this.isIdle) return;
    const late = isKeeper ? 0 : hold / 6;
    const wait = Math.min((hold * 2) / 3, next < 0 ? Infinity : next + late);
    this.#timer = tool.deferred(wait, look);
  }

  #expiryOf(asked: number): number {
    return asked + lifeOf(this.settings.hold);
  }

  /** While something is held. */
  #watch(): void {
    const { tool, hold } = this.settings;
    if (!this.#renewal?.valid()) this.#renewal = tool.deferred(hold / 3, () => void this.#renew());
    if (!this.#expiry?.valid()) this.#expire();
  }

  #unwatch(): void {
    this.#renewal?.cancel();
    this.#expiry?.cancel();
  }

  async #renew(): Promise<void> {
    const asked = clock();
    const jobs = [...this.held].filter(({ end }) => end !== 'lost');
    if (this.held.size > 0) this.#watch();
    if (jobs.length === 0) return;
    const pairs = jobs.flatMap(({ id, token }) => [id, token]);
    try {
      const lost: string[] = await this.#script('renew', [this.settings.hold, ...pairs]);
      for (const job of jobs) {
        if (lost.includes(job.id)) job.stop('lost');
        else job.expires = Math.max(job.expires, this.#expiryOf(asked));
      }
    } catch (error) {
      this.settings.report(error);
    }
  }

  /** Those whose time is over are left, and the next one is waited for. */
  #expire(): void {
    const time = clock();
    let first = Infinity;
    for (const job of this.held) {
      if (job.end === 'lost') continue;
      if (job.expires <= time) job.stop('lost');
      else first = Math.min(first, job.expires);
    }
    if (first < Infinity)
      this.#expiry = this.settings.tool.deferred(first - time, () => this.#expire());
  }
}
