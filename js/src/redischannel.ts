// What the guards of a process are told by Redis: one channel for all of them, listened to from when the first one waits.
//
// Each guard object has a session of its own, `process.number`, and is known here as long as it asks for something.

import { startTimer } from './clock.js';
import type { RedisConnection } from './redisconnection.js';

/** A session. */
export interface Told {
  told(what: string, more: string): void;
  /** Something may have been missed. */
  again(): void;
  /** Nothing is told any more. */
  closed(why: string): void;
}

// biome-ignore lint/suspicious/noShadowRestrictedNames: as everywhere, without the types of Node
declare const globalThis: { readonly crypto: { randomUUID(): string } };

const retryAfter = 1000;

export class RedisChannel {
  /** It hears all that is said from now on. */
  hears = false;
  readonly #connection: RedisConnection;
  readonly #prefix: string;
  readonly #process = globalThis.crypto.randomUUID();
  readonly #sessions = new Map<string, Told>();
  #listening: Promise<() => void> | undefined;
  #count = 0;

  constructor(connection: RedisConnection, prefix: string) {
    this.#connection = connection;
    this.#prefix = prefix;
  }

  /** The name of one more session. */
  session(): string {
    return `${this.#process}.${this.#count++}`;
  }

  open(session: string, told: Told): void {
    this.#sessions.set(shortOf(session), told);
  }

  /** With the last one nobody listens. */
  close(session: string): void {
    this.#sessions.delete(shortOf(session));
    if (this.#sessions.size === 0) this.end();
  }

  /** Somebody waits. */
  listen(): void {
    if (this.#listening !== undefined) return;
    const channel = `{${this.#prefix}:c:${this.#process}}`;
    const listening = this.#connection.listen(channel, {
      heard: (text) => {
        const [number, what, more] = text.split(' ');
        this.#sessions.get(number!)?.told(what!, more!);
      },
      again: () => this.#lookAgain(),
    });
    this.#listening = listening;
    listening.then(
      () => {
        if (this.#listening !== listening) return;
        this.hears = true;
        this.#lookAgain(); // what was said before
      },
      () => {
        if (this.#listening !== listening) return;
        this.#listening = undefined;
        startTimer(() => this.#sessions.size > 0 && this.listen(), retryAfter).unref?.();
      },
    );
  }

  /** The connection is. */
  closed(why: string): void {
    this.end();
    for (const each of [...this.#sessions.values()]) each.closed(why);
  }

  end(): void {
    const listening = this.#listening;
    this.hears = false;
    this.#listening = undefined;
    listening?.then((leave) => leave()).catch(() => {});
  }

  #lookAgain(): void {
    for (const each of [...this.#sessions.values()]) each.again();
  }
}

function shortOf(session: string): string {
  return session.slice(session.lastIndexOf('.') + 1);
}
