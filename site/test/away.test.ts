/** What pages say when a part of them can't be loaded, or a link is damaged; and what a program of a link can't do. */
import { expect } from 'chai';
import { once } from 'node:events';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { deflateRawSync } from 'node:zlib';
import type { Page } from 'playwright-core';
import { type Visitor, visits } from './serve.js';

describe('a page of which something is away', function () {
  let visitor: Visitor;
  // A browser says so, too.
  afterEach(() => void visitor.complaints.splice(0));
  visits(this, (comes) => (visitor = comes));

  /** A page that gets no answer for some addresses from then on. */
  async function visit(path: string, away: string): Promise<Page> {
    const page = await visitor.visit('index.html');
    await page.context().route(away, (route) => route.abort());
    await page.goto(visitor.addressOf(path));
    return page;
  }

  const says = (page: Page, which: string, hasText: string | RegExp) =>
    page.locator(which, { hasText }).waitFor({ timeout: 60_000 });

  it('the playground without examples says so', async () => {
    const page = await visit('playground/index.html', '**/examples.json');
    await says(page, '#state', "The playground can't be loaded");
    await page.context().close();
  });

  for (const away of ['**/types.json', '**/workers/language.js'])
    it(`the playground without ${away} says so, and again when a program is to be run`, async () => {
      const page = await visit('playground/index.html', away);
      await says(page, '#state', "The types can't be loaded");
      await page.getByRole('button', { name: 'Run', exact: true }).click();
      await says(page, '#state', /fetch|script is missing/);
      expect(await page.getByRole('button', { name: 'Stop' }).isDisabled()).to.equal(true);
      await page.context().close();
    });

  it('the playground without what runs a program says so', async () => {
    const page = await visit('playground/index.html', '**/workers/runner.js');
    await says(page, '#state', 'Ready');
    await page.getByRole('button', { name: 'Run', exact: true }).click();
    await says(page, '#state', "What runs a program can't be loaded");
    await page.context().close();
  });

  it('a player, the suite and the search say so, and can be asked again', async () => {
    const page = await visit('spec/loop.html', '**/parts/player-*');
    const place = page.locator('step-player').first();
    await place.getByRole('button', { name: 'Play this case' }).click();
    await says(page, 'step-player [role=status]', "The player can't be loaded");
    await page.context().close();
    const suite = await visit('cases/index.html', '**/*.json');
    const start = suite.getByRole('button', { name: 'Run all cases' });
    await start.click();
    await says(suite, '#run-all [role=status]', "The cases can't be loaded");
    expect(await start.isEnabled()).to.equal(true);
    await suite.keyboard.press('/');
    await says(suite, 'dialog [role=status]', "The search can't be loaded");
    await suite.context().close();
  });

  it('the playground says that it needs a script', async () => {
    const page = await visitor.visit('playground/index.html', { javaScriptEnabled: false });
    await says(page, 'noscript p', 'It needs JavaScript');
    await page.context().close();
  });

  it('a link that is damaged or too long is said, and opens no other program', async () => {
    const long = deflateRawSync(Buffer.alloc(50_000_000)).toString('base64url');
    for (const [code, words] of [
      ['AAAA', 'damaged'],
      ['%25', 'damaged'],
      [long, 'too long'],
    ]) {
      const page = await visitor.visit(`playground/index.html#code=${code}`);
      await says(page, '#state', words!);
      await page.locator('.cm-line').waitFor();
      expect(await page.locator('.cm-line').allTextContents()).to.deep.equal(['']);
      await page.context().close();
    }
  });

  it('a program of a link reaches this site, and no other one', async () => {
    let reached = 0;
    const elsewhere = createServer((_, response) => {
      reached++;
      response.writeHead(200, { 'access-control-allow-origin': '*' }).end();
    }).listen(0, '127.0.0.1');
    elsewhere.unref();
    await once(elsewhere, 'listening');
    const other = JSON.stringify(
      `http://127.0.0.1:${(elsewhere.address() as AddressInfo).port}/x.js`,
    );
    const code = `const tried = (what: Promise<unknown>) => what.then(() => 'done', () => 'refused');
const mine = new URL('../cases.json', ${JSON.stringify(visitor.addressOf('docs/x'))});
const other: string = ${other};
console.log(await tried(fetch(mine)));
console.log(await tried(fetch(other, { mode: 'no-cors' })), await tried(import(other)));
`;
    const page = await visitor.visit(
      `playground/index.html#code=${deflateRawSync(code).toString('base64url')}`,
    );
    await says(page, '#state', 'read it first');
    await page.getByRole('button', { name: 'Run', exact: true }).click();
    await says(page, '#state', 'has been run');
    expect(await page.locator('#output li').allTextContents()).to.deep.equal([
      'done',
      'refused refused',
    ]);
    expect(reached).to.equal(0);
    await page.context().close();
  });
});
