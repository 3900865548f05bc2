/** The server of the example page, in which a test answers searches when it wants to. */
import { once } from 'node:events';
import type { ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';
import { pageServer } from '../../js/examples/browser/server.js';

/** A search that has reached the server. */
export interface Search {
  readonly text: string;
  answer(lines: readonly string[]): void;
  fail(status: number): void;
  /** Settles when the page has ended the request before there was an answer. */
  readonly aborted: Promise<unknown>;
}

/** What comes is kept until it's asked for. */
class Inbox<T> {
  readonly #kept: T[] = [];
  readonly #asked: ((value: T) => void)[] = [];

  put(value: T): void {
    const asked = this.#asked.shift();
    if (asked === undefined) this.#kept.push(value);
    else asked(value);
  }

  next(): Promise<T> {
    const kept = this.#kept.shift();
    return kept === undefined
      ? new Promise((resolve) => this.#asked.push(resolve))
      : Promise.resolve(kept);
  }

  get size(): number {
    return this.#kept.length;
  }
}

function searchOf(text: string, response: ServerResponse): Search {
  return {
    text,
    answer: (lines) => void response.end(JSON.stringify(lines)),
    fail: (status) => void response.writeHead(status).end(),
    aborted: once(response, 'close'),
  };
}

export class Searches {
  readonly arrived = new Inbox<Search>();
  /** The texts of those that the page says it has cancelled. */
  readonly dropped = new Inbox<string>();
  readonly #server = pageServer({
    search: (text, response) => this.arrived.put(searchOf(text, response)),
    dropped: (text) => this.dropped.put(text),
  });

  /** Begins to listen, and gives the address of the page. */
  async open(): Promise<string> {
    await once(this.#server.listen(0, '127.0.0.1'), 'listening');
    return `http://127.0.0.1:${(this.#server.address() as AddressInfo).port}/`;
  }

  close(): void {
    this.#server.close();
    this.#server.closeAllConnections();
  }
}
