// A page that is open: a stream of messages to it. Whoever doesn't read gets the last one when he does, and nothing piles up.

import { randomBytes } from 'node:crypto';
import type { ServerResponse } from 'node:http';
import type { View } from '../src/imessages.js';
import { firstView } from './view.js';

export class Page {
  /** Only this page knows it. */
  readonly id = randomBytes(12).toString('base64url');
  view: View = firstView;
  readonly #response: ServerResponse;
  #waiting: string | undefined;
  /** It hasn't read what was sent. */
  #full = false;

  constructor(response: ServerResponse) {
    this.#response = response;
    response.on('drain', () => {
      this.#full = false;
      const waiting = this.#waiting;
      this.#waiting = undefined;
      if (waiting !== undefined && !response.writableEnded) this.send(waiting);
    });
  }

  /** Who doesn't needs no answer. */
  get reads(): boolean {
    return !this.#full;
  }

  /** JSON: it has no end of a line in it. */
  send(message: string): void {
    if (this.#full) this.#waiting = message;
    else this.#full = !this.#response.write(`data: ${message}\n\n`);
  }

  /** Settles when the last message has left, or the page has. */
  end(message: string): Promise<void> {
    return new Promise((resolve) => {
      this.#response.on('close', resolve);
      this.#response.end(`data: ${message}\n\n`, resolve);
    });
  }
}
