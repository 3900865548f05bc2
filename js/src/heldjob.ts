// A job that this process has, under a lease, and what its handler sees of it.
//
// The lease ends here before it ends in Redis, by a margin: so a process that runs has left a job before another one gets it.

import { errors, StepError } from './index.js';
import { failuresIn, type JobFailure } from './jobfailure.js';
import { jsonOf } from './jobtext.js';
import type { JobQueue } from './jobqueue.js';

/** What the handler gets as its second value. Guide: docs/jobs.md#a-worker */
export interface Job {
  /** As `enqueue` has given it. */
  readonly id: string;
  /** The name of its queue. */
  readonly queue: string;
  /** From 1: one more than attempts have failed. */
  readonly attempt: number;
  /** How often its worker was lost: more than 0, and parts of it may have been done. */
  readonly losses: number;
  /** A number, as a text, that is larger each time any job of the queue is handed out: a store that refuses a smaller one is safe from workers that were paused. */
  readonly token: string;
  /** The order key, `''`: none. */
  readonly key: string;
  /** Of the payload's schema. */
  readonly version: number;
  /** Errors of earlier attempts. */
  readonly causes: readonly JobFailure[];
  /**
   * Keeps how far it is, for `look`. What JSON can't say: `InternalError`; if the lease was lost: `LeaseLost`. Guide: docs/jobs.md#progress
   *
   *     await letter.progress({ done: 3, of: 7 });
   */
  progress(value: unknown): Promise<void>;
}

/** As `take` gives it. */
export type Taken = readonly [
  id: string,
  token: string,
  attempts: number,
  losses: number,
  text: string,
  left: number,
  version: string,
  key: string,
  causes: string,
];

interface Controller {
  readonly signal: any;
  abort(reason: unknown): void;
}

// biome-ignore lint/suspicious/noShadowRestrictedNames: it has no type without a platform's
declare const globalThis: { readonly AbortController: new () => Controller };

/** Why a handler is ended from outside. */
export type End = 'lost' | 'drained';

export class HeldJob {
  readonly id: string;
  readonly token: string;
  readonly text: string;
  /** Milliseconds till its deadline, when it was taken; below 0: there is none. */
  readonly left: number;
  readonly job: Job;
  /** When the lease ends, on the clock of the process. */
  expires: number;
  end: End | undefined;
  /** Settles when the lease is lost. */
  readonly lost: Promise<void>;
  #tellLost!: () => void;
  readonly #controller = new globalThis.AbortController();

  constructor(queue: JobQueue<any>, taken: Taken, expires: number) {
    const [id, token, attempts, losses, text, left, version, key, causes] = taken;
    this.id = id;
    this.token = token;
    this.text = text;
    this.left = left;
    this.expires = expires;
    this.lost = new Promise((resolve) => (this.#tellLost = resolve));
    this.job = {
      ...{ id, queue: queue.name, attempt: attempts + 1, losses, token, key },
      version: Number(version) || 0,
      causes: failuresIn(causes),
      progress: async (value) => {
        const args = [id, token, jsonOf('progress', value, queue.limits)];
        const isKept = await queue.connection.script('jobs/progress', queue.base, args);
        if (isKept !== 1) throw leaseLost(id);
      },
    };
  }

  get signal(): any {
    return this.#controller.signal;
  }

  /** What is lost can't be given back. */
  stop(end: End): void {
    if (this.end === 'lost' || this.end === end) return;
    this.end = end;
    if (end === 'lost') this.#tellLost();
    this.#controller.abort(
      end === 'lost' ? leaseLost(this.id) : new StepError(errors.Canceled, 'the worker ends'),
    );
  }
}

function leaseLost(id: string): StepError {
  return new StepError(errors.LeaseLost, `job ${id}`);
}
