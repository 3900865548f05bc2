// The thread of an inspector's server, as that of the tool sees it: what they tell each other, and how it ends.
//
// It asks, and is answered when the loop comes to it. There is never more than one question on its way.

import type { View } from './imessages.js';
import { StepError } from './index.js';
import type { Inspected } from './inspected.js';

/** What the server's thread says. */
export type FromServer =
  | { readonly listens: { readonly url: string } }
  | { readonly failed: { readonly code: string; readonly message: string } }
  | { readonly asks: readonly { readonly page: string; readonly view: View }[] }
  | { readonly cancel: number };

/** What it's told. */
export type ToServer =
  | { readonly frames: readonly { readonly page: string; readonly frame: string }[] }
  | { readonly number: number; readonly text: string }
  | { readonly close: true };

/** What it begins with. */
export interface ServerData {
  readonly port: number;
  readonly host: string;
  readonly allowCancel: boolean;
  readonly virtual: boolean;
  readonly program: string;
  readonly memory: Float64Array;
  /** When the clock of the tool's thread was 0, on that of the system. */
  readonly origin: number;
}

/** A `Worker` of Node. */
export interface Thread {
  on(event: 'message', fn: (message: FromServer) => void): void;
  on(event: 'error', fn: (error: unknown) => void): void;
  on(event: 'exit', fn: () => void): void;
  postMessage(message: ToServer): void;
  ref(): void;
  unref(): void;
  terminate(): Promise<unknown>;
}

// biome-ignore lint/suspicious/noShadowRestrictedNames: it has no type without Node's
declare const globalThis: {
  readonly process: { emitWarning(text: string, type: string): void };
};

/** The server's thread, as the tool's sees it. */
export class ServerThread {
  readonly url: Promise<string>;
  readonly #thread: Thread;
  readonly #inspected: Inspected;
  readonly #ended: Promise<void>;
  #closing: Promise<void> | undefined;
  #failure: unknown;

  constructor(thread: Thread, inspected: Inspected) {
    this.#thread = thread;
    this.#inspected = inspected;
    this.url = new Promise((resolve, reject) => {
      thread.on('message', (message) => {
        if ('listens' in message) resolve(message.listens.url);
        else if ('failed' in message)
          reject(new StepError(message.failed.code, message.failed.message));
        else this.#hear(message);
      });
      thread.on('error', (error) => (this.#failure = error));
      thread.on('exit', () =>
        reject(new StepError('InternalError', 'inspect: its thread has ended')),
      );
    });
    this.#ended = new Promise((resolve) => {
      thread.on('exit', () => {
        this.#gone();
        resolve();
      });
    });
  }

  close(): Promise<void> {
    if (this.#closing === undefined) {
      this.#closing = this.#ended;
      this.#inspected.end();
      this.#thread.ref();
      this.#thread.postMessage({ close: true });
    }
    return this.#closing;
  }

  #hear(message: Exclude<FromServer, { listens: unknown } | { failed: unknown }>): void {
    if (this.#closing !== undefined) return;
    if ('cancel' in message) {
      this.#inspected.cancel(message.cancel);
      return;
    }
    const frames = this.#inspected.frames(message.asks.map(({ view }) => view));
    const told = message.asks.map(({ page }, i) => ({ page, frame: JSON.stringify(frames[i]) }));
    this.#thread.postMessage({ frames: told });
  }

  /** Nobody has closed it: the program is to know why there is no page any more, and goes on. */
  #gone(): void {
    if (this.#closing !== undefined) return;
    this.#closing = this.#ended;
    this.#inspected.end();
    const { message = 'it was terminated' } = (this.#failure ?? {}) as Partial<Error>;
    globalThis.process.emitWarning(`the inspector has ended: ${message}`, 'SteptreeWarning');
  }
}
