/** Serves the page, and the package to it. What a search finds, and when, is the caller's business. */
import { readFileSync } from 'node:fs';
import { createServer, type IncomingMessage, type Server, type ServerResponse } from 'node:http';
import { text } from 'node:stream/consumers';

export interface PageServerOptions {
  /** Somebody searches for this. The answer is a list of lines as JSON; it's closed when nobody waits for it any more. */
  readonly search: (text: string, answer: ServerResponse) => void;
  /** A search was cancelled in the page. */
  readonly dropped?: (text: string) => void;
}

const root = new URL('../../../', import.meta.url);
const page = 'js/examples/browser/';
const types = { html: 'text/html', js: 'text/javascript' };
const files: Readonly<Record<string, string>> = {
  '/': `${page}index.html`,
  '/page.js': `${page}page.js`,
  '/search.js': `${page}search.js`,
  '/node_modules/steptree/dist/browser.js': 'dist/browser.js',
};

export function pageServer({ search, dropped }: PageServerOptions): Server {
  const serve = async (request: IncomingMessage, response: ServerResponse) => {
    const { pathname, searchParams } = new URL(request.url!, 'http://localhost');
    const file = files[pathname];
    if (file !== undefined) return sendFile(file, response);
    if (pathname === '/search') return search(searchParams.get('q') ?? '', response);
    if (pathname === '/dropped') dropped?.(await text(request));
    else response.statusCode = 404;
    response.end();
  };
  return createServer((request, response) => void serve(request, response));
}

function sendFile(file: string, response: ServerResponse): void {
  const type = types[file.endsWith('.html') ? 'html' : 'js'];
  response.setHeader('Content-Type', `${type}; charset=utf-8`);
  response.end(readFileSync(new URL(file, root)));
}
