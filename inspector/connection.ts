// The stream of messages from the server, and what the page asks of it.

import type { Hello, Message, View } from '../js/src/imessages.js';

const AGAIN = 3000;

export interface Listener {
  message(message: Exclude<Message, Hello>): void;
  hello(hello: Hello): void;
  /** It's tried again. */
  lost(): void;
}

export class Connection {
  readonly #listener: Listener;
  #page: string | undefined;
  #view: View | undefined;
  #isAsking = false;
  #isDue = false;

  constructor(listener: Listener) {
    this.#listener = listener;
    this.#open();
  }

  #open(): void {
    const source = new EventSource('events');
    source.onmessage = ({ data }) => {
      const message = JSON.parse(data) as Message;
      if (message.type === 'bye') source.close();
      if (message.type !== 'hello') return this.#listener.message(message);
      this.#page = message.page;
      this.#listener.hello(message);
      this.look(this.#view);
    };
    source.onerror = () => {
      this.#page = undefined;
      this.#listener.lost();
      // A refusal is final for it.
      if (source.readyState === EventSource.CLOSED) setTimeout(() => this.#open(), AGAIN);
    };
  }

  /** What is asked for meanwhile follows. */
  look(view: View | undefined): void {
    this.#view = view;
    this.#isDue = true;
    if (!this.#isAsking) void this.#ask();
  }

  async #ask(): Promise<void> {
    this.#isAsking = true;
    while (this.#isDue && this.#page !== undefined && this.#view !== undefined) {
      this.#isDue = false;
      await post('view', { page: this.#page, ...this.#view });
    }
    this.#isAsking = false;
  }

  cancel(run: number): void {
    void post('cancel', { run });
  }
}

/** Whether it comes is seen by what the server sends. */
async function post(to: string, body: unknown): Promise<void> {
  await fetch(to, { method: 'POST', body: JSON.stringify(body) }).catch(() => {});
}
