// What Redis knows a guard of this process by: a session, whose lease is renewed for all that belongs to it.
//
// - What is given back is given back until Redis has said so, or a lease has passed: then it's either lost with the session, or found by a renewal.
// - A session of which we don't know what it has (an answer was lost) isn't used again after it has rested: nobody renews it, so what is left
//   there, or comes there late, ends with its lease.

import type { PlatformTimer } from './clock.js';
import type { RedisConnection } from './redisconnection.js';
import type { RedisLook } from './redislook.js';
import type { ReplicasNeeded } from './redisreplicas.js';

/** So many are given back by one script. */
const atOnce = 500;

/** What says that something is here. */
const counts = new Set(['acquire', 'renew']);

/** It was said by Redis, which has done nothing then. */
export function saidByRedis(error: unknown): boolean {
  return /^[A-Z]{2,} /.test(String((error as Error)?.message));
}

export class RedisSession {
  readonly name: string;
  isDoubtful = false;
  readonly #connection: RedisConnection;
  readonly #key: string;
  readonly #lease: number;
  readonly #patience: number;
  readonly #arguments: readonly (string | number)[];
  readonly #replicas: ReplicasNeeded | null;
  readonly #looking: RedisLook;
  #owed: string[] = [];
  #until = 0;
  #retry: PlatformTimer | undefined;
  /** Said when what is owed has been sent again. */
  #paid: (() => void) | undefined;

  /** `replicas`: how many have to know what is let in or renewed, or null. `limits`: the arguments that all scripts have behind session and lease. */
  constructor(
    connection: RedisConnection,
    key: string,
    { lease, patience }: { lease: number; patience: number },
    limits: readonly (string | number)[],
    replicas: ReplicasNeeded | null,
    looking: RedisLook,
  ) {
    this.name = connection.channel.session();
    this.#connection = connection;
    this.#key = key;
    this.#lease = lease;
    this.#patience = patience;
    this.#arguments = [this.name, lease, ...limits];
    this.#replicas = replicas;
    this.#looking = looking;
  }

  send(script: string, ...own: readonly (string | number)[]): Promise<any> {
    const asked = this.#send(script, own);
    this.#connection.untold.add(asked, this.#patience);
    return asked;
  }

  async #send(script: string, own: readonly (string | number)[]): Promise<any> {
    const args = [`guard/${script}`, this.#key, [...this.#arguments, ...own]] as const;
    const replicas = counts.has(script) ? this.#replicas : null;
    let answer: any;
    try {
      const connection = this.#connection;
      answer = await (replicas
        ? connection.replicated(...args, replicas)
        : connection.script(...args));
    } catch (error) {
      if (!saidByRedis(error)) this.isDoubtful = true;
      throw error;
    }
    this.#pay();
    return answer;
  }

  giveBack(ids: readonly string[]): void {
    const until = this.#connection.timers.clock() + this.#lease;
    for (let i = 0; i < ids.length; i += atOnce) this.#release(ids.slice(i, i + atOnce), until);
  }

  #release(ids: readonly string[], until: number): void {
    this.send('release', ...ids).then(
      (answer) => this.#looking.after(answer[1]),
      () => this.#owe(ids, until),
    );
  }

  #owe(ids: readonly string[], until: number): void {
    const { timers } = this.#connection;
    if (timers.clock() >= until) return;
    this.#owed.push(...ids);
    if (this.#paid === undefined) {
      const paid = new Promise<void>((resolve) => (this.#paid = resolve));
      this.#connection.untold.add(paid, this.#patience);
    }
    this.#until = Math.max(this.#until, until);
    this.#retry ??= timers.start(() => this.#pay(), this.#lease / 10);
    this.#retry.unref?.();
  }

  /** Redis is there again, or may be. */
  #pay(): void {
    const { timers } = this.#connection;
    if (this.#retry === undefined) return;
    timers.stop(this.#retry);
    this.#retry = undefined;
    for (const owed = this.#owed.splice(0); owed.length > 0;)
      this.#release(owed.splice(0, atOnce), this.#until);
    this.#paid?.();
    this.#paid = undefined;
  }
}
