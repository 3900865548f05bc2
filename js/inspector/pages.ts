// The pages that are open, and what they are told: five times a second, and soon after one has asked for something else.
//
// - The tool's thread is asked, for all of them at once, and not again before it has answered. If it doesn't they are told that it's held.

import type { ServerResponse } from 'node:http';
import { BEGAN, FLOW, NAME, PATH } from '../src/held.js';
import type { Bye, Held, Hello, View } from '../src/imessages.js';
import type { FromServer, ServerData } from '../src/serverthread.js';
import { Page } from './page.js';

const MOST = 8;
const EVERY = 200;
/** What a page has asked for since the last question. */
const SOON = 40;
/** So long without an answer the loop is held. */
const PATIENCE = 300;

/** Of this thread, on the clock that all threads have. */
const origin = Date.now() - performance.now();

export class Pages {
  readonly #data: ServerData;
  readonly #ask: (message: FromServer) => void;
  readonly #pages = new Map<string, Page>();
  readonly #texts = new Map<number, string>();
  #timer: NodeJS.Timeout | undefined;
  /** When; undefined: everything is answered. */
  #asked: number | undefined;
  #last = 0;
  #soon: NodeJS.Timeout | undefined;

  constructor(data: ServerData, ask: (message: FromServer) => void) {
    this.#data = data;
    this.#ask = ask;
  }

  get isFull(): boolean {
    return this.#pages.size >= MOST;
  }

  open(response: ServerResponse, hello: Omit<Hello, 'page'>): void {
    const page = new Page(response);
    this.#pages.set(page.id, page);
    response.on('close', () => {
      this.#pages.delete(page.id);
      if (this.#pages.size === 0) this.#rest();
    });
    page.send(JSON.stringify({ ...hello, page: page.id }));
    this.#timer ??= setInterval(() => this.#tick(), EVERY);
    this.#askSoon();
  }

  /** Whether there is that page. */
  look(id: string, view: View): boolean {
    const page = this.#pages.get(id);
    if (page === undefined) return false;
    page.view = view;
    this.#askSoon();
    return true;
  }

  answer(frames: readonly { readonly page: string; readonly frame: string }[]): void {
    this.#asked = undefined;
    for (const { page, frame } of frames) this.#pages.get(page)?.send(frame);
  }

  /** In the memory that both threads have it's that number. */
  name(number: number, text: string): void {
    this.#texts.set(number, text);
  }

  /** Settles when all of them have heard of it. */
  async close(): Promise<void> {
    this.#rest();
    const bye = JSON.stringify({ type: 'bye' } satisfies Bye);
    await Promise.all([...this.#pages.values()].map((page) => page.end(bye)));
  }

  #rest(): void {
    clearInterval(this.#timer);
    clearTimeout(this.#soon);
    this.#timer = this.#soon = undefined;
  }

  #askSoon(): void {
    const left = this.#last + SOON - performance.now();
    this.#soon ??= setTimeout(() => {
      this.#soon = undefined;
      if (this.#asked === undefined) this.#askNow();
    }, left);
  }

  #tick(): void {
    if (this.#asked === undefined) this.#askNow();
    else if (performance.now() - this.#asked > PATIENCE) this.#tellHeld();
  }

  #askNow(): void {
    const asks = [...this.#pages.values()]
      .filter(({ reads }) => reads)
      .map(({ id, view }) => ({ page: id, view }));
    if (asks.length === 0) return;
    this.#last = this.#asked = performance.now();
    this.#ask({ asks });
  }

  #tellHeld(): void {
    const { memory, origin: other } = this.#data;
    const began = memory[BEGAN]!;
    const asked = this.#asked!;
    const since = began === 0 ? asked : Math.min(asked, began + other - origin);
    const held: Held = { type: 'held', ms: Math.round(performance.now() - since) };
    if (began !== 0) {
      held.flow = memory[FLOW]!;
      held.name = this.#texts.get(memory[NAME]!) ?? '';
      held.path = this.#texts.get(memory[PATH]!) ?? '';
    }
    for (const page of this.#pages.values()) page.send(JSON.stringify(held));
  }
}
