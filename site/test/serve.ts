/** The finished site over HTTP, compressed as a host of static files does, and a browser for it. */
import { expect } from 'chai';
import { readFileSync, statSync } from 'node:fs';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { extname, join, normalize } from 'node:path';
import { gzipSync } from 'node:zlib';
import type { Browser, BrowserContextOptions, Locator, Page } from 'playwright-core';
import { openBrowser } from '../../tools/browser/browser.js';
import { output, version } from '../make/root.js';

const types: Readonly<Record<string, string>> = {
  '.css': 'text/css',
  '.html': 'text/html',
  '.js': 'text/javascript',
  '.json': 'application/json',
  '.png': 'image/png',
  '.svg': 'image/svg+xml',
};

export interface Served {
  readonly url: string;
  /** How many bytes have been sent since this was asked last. */
  sent(): number;
  close(): void;
}

/** At an address that isn't the host's own, as what is published may have. */
export async function serve(folder = output): Promise<Served> {
  let sent = 0;
  const server = createServer((request, response) => {
    const path = decodeURI(new URL(request.url!, 'http://site').pathname).replace(
      /^\/docs-of-it/,
      '',
    );
    const file = join(folder, normalize(path), path.endsWith('/') ? 'index.html' : '');
    if (!statSync(file, { throwIfNoEntry: false })?.isFile())
      return void response.writeHead(404).end();
    const body = gzipSync(readFileSync(file));
    sent += body.length;
    response.writeHead(200, { 'content-type': types[extname(file)], 'content-encoding': 'gzip' });
    response.end(body);
  });
  await new Promise<void>((ready) => void server.listen(0, '127.0.0.1', ready));
  return {
    url: `http://127.0.0.1:${(server.address() as AddressInfo).port}/docs-of-it/`,
    sent() {
      const before = sent;
      sent = 0;
      return before;
    },
    close: () => void server.close().closeAllConnections(),
  };
}

/** A browser with pages of the site. What one of them complains of is kept. */
export class Visitor {
  readonly complaints: string[] = [];
  readonly served: Served;
  readonly #browser: Browser;

  private constructor(served: Served, browser: Browser) {
    this.served = served;
    this.#browser = browser;
  }

  static async come(): Promise<Visitor> {
    return new Visitor(await serve(), await openBrowser());
  }

  addressOf(path: string): string {
    return `${this.served.url}${version}/${path}`;
  }

  /** A page in a profile of its own. */
  async visit(path: string, options: BrowserContextOptions = {}): Promise<Page> {
    const context = await this.#browser.newContext({
      viewport: { width: 1280, height: 800 },
      ...options,
    });
    const page = await context.newPage();
    page.on('pageerror', (error) => this.complaints.push(String(error)));
    page.on('console', (said) => {
      if (/^(?:error|warning)$/.test(said.type())) this.complaints.push(said.text());
    });
    await page.goto(this.addressOf(path));
    return page;
  }

  async leave(): Promise<void> {
    await this.#browser.close();
    this.served.close();
  }
}

/** A player goes on till there is something to choose. */
export async function toChoices(player: Locator): Promise<void> {
  const choices = player.locator('.choices');
  for (;;) {
    await choices.and(player.locator('[aria-busy=false]')).waitFor({ state: 'attached' });
    if ((await choices.getByRole('button').count()) > 0) return;
    await player.getByRole('button', { name: 'Next' }).click();
  }
}

/** Whoever visits in the tests of a suite, at the end of each of which no page has complained. */
export function visits(suite: Mocha.Suite, comes: (visitor: Visitor) => void): void {
  let visitor: Visitor | undefined;
  suite.timeout(180_000);
  suite.beforeAll(async () => comes((visitor = await Visitor.come())));
  suite.afterAll(() => visitor?.leave());
  suite.afterEach(() => expect(visitor?.complaints.splice(0)).to.deep.equal([]));
}
