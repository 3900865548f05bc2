// What takes work from Redis as long as it has room, runs a flow for each piece, and can be drained: a worker of jobs, a server of calls.
//
// `#looks` is the only one that takes, so there is never more than one question on its way. Whoever frees room, hears of work or whose timer
// is due calls `look`.

import { onSignal } from './drainsignal.js';
import { errors, type IOutcome, Scope, StepError } from './index.js';
import type { RedisConnection } from './redisconnection.js';
import { numberIn } from './redisoptions.js';
import { withPath } from './report.js';
import type { ToolCore } from './toolcore.js';

export interface TakerSettings {
  readonly tool: ToolCore;
  readonly concurrency: number;
  readonly lease: number;
  readonly drainOn: string | undefined;
  readonly grace: number;
  report(error: unknown): void;
}

const longestPause = 2000;

// biome-ignore lint/suspicious/noShadowRestrictedNames: what a platform has has no type
declare const globalThis: {
  readonly process: { emitWarning?(text: string, options: object): void } | undefined;
};

export abstract class Taker {
  protected readonly scope: Scope;
  /** How much of it ran when a drain was over, and was cancelled. */
  protected cut = 0;
  readonly #settings: TakerSettings;
  /** Of those that are looking, and of what runs: a drain waits for them. */
  readonly #going = new Set<Promise<void>>();
  #size = 0;
  #isLooking = false;
  #again = false;
  #endPause: (() => void) | undefined;
  #draining: Promise<number> | undefined;
  readonly #deaf: () => void = () => {};
  #isClosed = false;
  readonly #unbound: (() => void)[] = [];

  /** Who is made looks when it's ready to. */
  constructor(settings: TakerSettings, connections: Iterable<RedisConnection>) {
    const { tool, drainOn, grace } = settings;
    this.#settings = settings;
    this.scope = new Scope({ tool });
    if (drainOn !== undefined) this.#deaf = onSignal(drainOn, () => this.drain(grace));
    for (const one of connections) this.#unbound.push(one.onClose(() => this.#closed(one)));
  }

  get size(): number {
    return this.#size;
  }

  protected get draining(): boolean {
    return this.#draining !== undefined;
  }

  /** Nothing can be heard any more, and what fails isn't tried again. */
  protected get isClosed(): boolean {
    return this.#isClosed;
  }

  protected get room(): number {
    return this.#settings.concurrency - this.#size;
  }

  drain(ms: number): Promise<number> {
    const limit = numberIn('drain', ms, 0, Infinity);
    this.#draining ??= this.#drain(limit);
    return this.#draining;
  }

  async [Symbol.asyncDispose](): Promise<void> {
    await this.drain(0);
  }

  /** Takes what there is room for. What gets free meanwhile is for the next look. */
  protected abstract take(): Promise<void>;
  /** From now on others are told in its place. */
  protected abstract leave(): Promise<unknown>[];
  /** Time is up: what still runs is cancelled. */
  protected abstract stop(): void;
  /** Nothing of it runs any more. */
  protected abstract end(): (() => Promise<unknown>)[];

  look(): void {
    this.#again = true;
    if (!this.#isLooking && !this.draining) this.keep(this.#looks());
  }

  /** There is room for another one once what has come of it is on its way: Redis keeps their order. */
  protected run<T>(outcome: Promise<T>, settle: (outcome: T) => Promise<void>): void {
    this.#size++;
    this.keep(this.#run(outcome, settle));
  }

  protected keep(going: Promise<void>): void {
    const kept: Promise<void> = going
      .catch((error) => this.report(error))
      .finally(() => this.#going.delete(kept));
    this.#going.add(kept);
  }

  /** What fails without a code of its own is a mistake of the program. `of`: in whose flow. */
  protected reportMistake(of: string, outcome: IOutcome): void {
    if (outcome.kind !== 'error' || outcome.code !== errors.InternalError) return;
    this.report(withPath(outcome.error, `${of}/${pathIn(outcome.error)}`));
  }

  protected report(error: unknown): void {
    if (!this.#isClosed) this.#report(error);
  }

  #report(error: unknown): void {
    try {
      this.#settings.report(error);
    } catch {
      // Work goes on, whatever it does.
    }
  }

  /** What runs is cancelled, and given back by the client, which is open for a while. */
  #closed({ untold, whyClosed }: RedisConnection): void {
    if (this.#isClosed) return;
    this.#isClosed = true;
    const { size } = this;
    if (size > 0)
      this.#report(new StepError(errors.Closed, `${whyClosed}: what runs is cancelled, ${size}`));
    if (this.draining) this.stop();
    untold.add(this.drain(0), this.#settings.lease / 3);
  }

  async #drain(ms: number): Promise<number> {
    await null; // what is begun after this is put back at once
    this.#endPause?.();
    for (const left of this.leave()) left.catch((error) => this.report(error));
    const limit = this.#settings.tool.deferred(ms, () => this.stop());
    // While Redis doesn't answer, work is left when its leases end: longer than that nothing is waited for.
    await this.#within(ms + this.#settings.lease, async () => {
      while (this.#going.size > 0) await Promise.all(this.#going);
    });
    limit.cancel();
    for (const end of this.end()) await this.#within(1000, end);
    await this.scope.close();
    this.#deaf();
    for (const unbound of this.#unbound) unbound();
    return this.cut;
  }

  async #run<T>(outcome: Promise<T>, settle: (outcome: T) => Promise<void>): Promise<void> {
    const settled = settle(await outcome);
    this.#size--;
    this.look();
    await settled;
  }

  async #looks(): Promise<void> {
    this.#isLooking = true;
    for (let failures = 0; this.#again && !this.draining;) {
      this.#again = false;
      try {
        await this.take();
        failures = 0;
      } catch (error) {
        this.#again = true;
        this.report(error);
        if (this.draining) break;
        await this.#wait(Math.min(longestPause, 50 * 2 ** failures++));
      }
    }
    this.#isLooking = false;
  }

  #within(ms: number, work: () => Promise<unknown>): Promise<void> {
    return new Promise((resolve) => {
      const timer = this.#settings.tool.deferred(ms, resolve);
      void work()
        .catch((error) => this.report(error))
        .finally(() => {
          timer.cancel();
          resolve();
        });
    });
  }

  #wait(ms: number): Promise<void> {
    return new Promise((resolve) => {
      const timer = this.#settings.tool.deferred(ms, resolve);
      this.#endPause = () => {
        timer.cancel();
        resolve();
      };
    });
  }
}

/** What goes wrong beside the work, if the program doesn't want to hear of it. */
export function warn(what: string): (error: unknown) => void {
  return (error) => {
    const options = { type: 'SteptreeWarning', detail: stackIn(error) };
    globalThis.process?.emitWarning?.(`${what}: ${String(error)}`, options);
  };
}

/** That of what a handler has thrown, or left, is of use: it says where. */
function stackIn(error: unknown): string | undefined {
  try {
    const { stack } = error as Error;
    return stack?.includes('\n    at step ') ? stack : undefined;
  } catch {
    return undefined;
  }
}

/** Of the step that has raised it. */
function pathIn(error: unknown): string {
  try {
    return StepError.of(error)?.path ?? '';
  } catch {
    return '';
  }
}
