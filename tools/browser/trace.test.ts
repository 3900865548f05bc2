import { expect } from 'chai';
import { readFile } from 'node:fs/promises';
import { createServer, type Server } from 'node:http';
import type { AddressInfo } from 'node:net';
import { extname, join } from 'node:path';
import { fileURLToPath } from 'node:url';
import type { Browser } from 'playwright-core';
import {
  all,
  delay,
  FlightRecorder,
  Mutex,
  type Part,
  step,
  steps,
  sync,
  VirtualTool,
} from 'steptree';
import { openBrowser } from './browser.js';

const viewer = fileURLToPath(
  new URL('viewer/node_modules/speedscope/dist/release', import.meta.url),
);
const types: Readonly<Record<string, string>> = {
  '.html': 'text/html',
  '.js': 'text/javascript',
  '.css': 'text/css',
};

/** Of two orders, one of which hangs in its payment, and of one that ends. */
async function recordedTrace(): Promise<string> {
  const tool = new VirtualTool();
  const recorder = new FlightRecorder(tool);
  const db = new Mutex({ name: 'db' });
  const hang = step((asi) => void asi.waitExternal()).named('charge');
  const cart = delay(3).named('cart');
  const order = (pay: Part) => steps(all(cart, sync(db, pay).named('pay'))).named('order');
  tool.start(order(hang), { name: 'stuck', unhandled: () => {} });
  tool.start(order(delay(2)), { name: 'behind', unhandled: () => {} });
  const paid = step((asi) => void asi.add(delay(2))).named('pay');
  tool.start(steps(paid).named('order'), { name: 'paid' });
  await tool.run();
  return recorder.trace();
}

/** As it shows a slice: its name, and what else is known of it. */
const slicesOf = (entries: readonly any[]) =>
  entries.filter(({ ph }) => ph === 'X').map(({ name, args }) => `${name} ${JSON.stringify(args)}`);

describe('a trace', function () {
  this.timeout(120_000);
  let browser: Browser | undefined;
  let server: Server | undefined;
  after(async () => {
    await browser?.close();
    server?.close();
  });

  it("is opened by a viewer without complaints, which has all slices of each track under the track's name", async () => {
    const trace = await recordedTrace();
    server = createServer(async ({ url = '' }, response) => {
      const [path = ''] = url.split('?');
      response.setHeader('content-type', types[extname(path)] ?? 'application/octet-stream');
      response.end(path === '/trace.json' ? trace : await readFile(join(viewer, path)));
    });
    await new Promise<void>((listens) => void server!.listen(0, '127.0.0.1', listens));
    browser = await openBrowser();
    const page = await browser.newPage();
    const complaints: string[] = [];
    page.on('pageerror', (error) => complaints.push(String(error)));
    page.on('console', (message) => {
      const text = message.text(); // what begins with `[.WebGL` is of Chromium's drawing
      if (/^(warning|error)$/.test(message.type()) && !text.startsWith('[.WebGL'))
        complaints.push(text);
    });
    const { port } = server.address() as AddressInfo;
    const url = `http://127.0.0.1:${port}`;
    await page.goto(`${url}/index.html#profileURL=${url}/trace.json`);
    const { traceEvents } = JSON.parse(trace) as { traceEvents: any[] };
    const tracks = traceEvents.filter(({ ph }) => ph === 'M');
    expect(tracks).to.have.lengthOf(5);
    for (const [at, { tid, args }] of tracks.entries()) {
      if (at > 0) await page.keyboard.press('n');
      await page.getByText(`${args.name} (pid 1, tid ${tid}) (${at + 1}/5)`).waitFor();
      await page.getByText('Sandwich').click();
      const own = traceEvents.filter((entry) => entry.tid === tid);
      expect(slicesOf(own)).not.to.deep.equal([]);
      for (const slice of slicesOf(own))
        await page.getByText(slice, { exact: true }).first().waitFor();
    }
    expect(complaints).to.deep.equal([]);
  });
});
