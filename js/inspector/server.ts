// The server of an inspector: the program of a thread of its own. It has the page inside, so the package needs no file beside.

import { createServer, type IncomingMessage, type ServerResponse } from 'node:http';
import { type AddressInfo, isIPv6 } from 'node:net';
import { parentPort, workerData } from 'node:worker_threads';
import type { FromServer, ServerData, ToServer } from '../src/serverthread.js';
import { bodyOf, Door } from './door.js';
import { Pages } from './pages.js';
import { viewOf } from './view.js';

/** The page, and the version of the package: the build puts them in. */
declare const inspectorPage: string;
declare const packageVersion: string;

/** Of a server that has to close although somebody doesn't read. */
const LAST_MS = 500;

const data = workerData as ServerData;
const port = parentPort!;
const say = (message: FromServer) => port.postMessage(message);
const door = new Door(data.host);
const pages = new Pages(data, say);

const common = {
  'cache-control': 'no-store',
  'referrer-policy': 'no-referrer',
  'x-content-type-options': 'nosniff',
  'x-frame-options': 'DENY',
  'cross-origin-resource-policy': 'same-origin',
};

/** Nobody is told what is missing. */
const unknown = (response: ServerResponse) => void response.writeHead(404, common).end();
const status = (response: ServerResponse, code: number) =>
  void response.writeHead(code, common).end();

async function serve(request: IncomingMessage, response: ServerResponse): Promise<void> {
  const asked = door.asked(request);
  if (asked === undefined) return unknown(response);
  switch (`${request.method} ${asked}`) {
    case 'GET ':
      response.writeHead(200, { ...common, 'content-type': 'text/html; charset=utf-8' });
      return void response.end(inspectorPage);
    case 'GET events':
      return events(response);
    case 'POST view':
      return view(await bodyOf(request), response);
    case 'POST cancel':
      return cancel(await bodyOf(request), response);
    default:
      return unknown(response);
  }
}

function events(response: ServerResponse): void {
  if (pages.isFull) return status(response, 503);
  response.writeHead(200, { ...common, 'content-type': 'text/event-stream' });
  const { program, allowCancel, virtual } = data;
  pages.open(response, {
    ...{ type: 'hello', program, virtual },
    version: packageVersion,
    cancel: allowCancel,
  });
}

function view(body: unknown, response: ServerResponse): void {
  const { page, ...rest } = (body ?? {}) as { page?: unknown };
  const wanted = viewOf(rest);
  if (wanted === undefined || typeof page !== 'string') return status(response, 400);
  status(response, pages.look(page, wanted) ? 204 : 410);
}

function cancel(body: unknown, response: ServerResponse): void {
  if (!data.allowCancel) return status(response, 403);
  const { run } = (body ?? {}) as { run?: unknown };
  if (!Number.isSafeInteger(run)) return status(response, 400);
  say({ cancel: run as number });
  status(response, 202);
}

const server = createServer((request, response) => void serve(request, response));
server.requestTimeout = server.headersTimeout = 5000;
server.maxConnections = 64;
server.on('error', ({ code = 'Unknown', message }: NodeJS.ErrnoException) => {
  say({ failed: { code, message: `inspect: ${message}` } });
});
server.listen(data.port, data.host, () => {
  const { address, port: free } = server.address() as AddressInfo;
  say({ listens: { url: `http://${reachable(address)}:${free}/${door.token}/` } });
});

/** Where this machine finds it. */
function reachable(address: string): string {
  if (address === '0.0.0.0') return '127.0.0.1';
  if (address === '::') return '[::1]';
  return isIPv6(address) ? `[${address}]` : address;
}

port.on('message', (message: ToServer) => {
  if ('frames' in message) pages.answer(message.frames);
  else if ('number' in message) pages.name(message.number, message.text);
  else close();
});

function close(): void {
  const end = () => {
    server.closeAllConnections();
    if ('close' in port) port.close();
    else process.exit(); // Deno's can't be closed.
  };
  const last = setTimeout(end, LAST_MS);
  server.close();
  void pages.close().then(() => {
    clearTimeout(last);
    end();
  });
}
