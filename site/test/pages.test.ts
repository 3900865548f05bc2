/** What the pages have: a search, buttons, a version, little to transfer. */
import { existsSync, mkdtempSync, mkdirSync, readFileSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { expect } from 'chai';
import { deadLinks } from '../make/dead.js';
import { pages } from '../make/pages.js';
import { output, version } from '../make/root.js';
import { versionsIn, writeVersions } from '../make/versions.js';
import { type Visitor, visits } from './serve.js';

const mostOfFirst = 300_000;

function temporary(files: Readonly<Record<string, string>>): string {
  const folder = mkdtempSync(join(tmpdir(), 'site-'));
  for (const [name, text] of Object.entries(files)) {
    mkdirSync(join(folder, name, '..'), { recursive: true });
    writeFileSync(join(folder, name), text);
  }
  return folder;
}

describe('the site', function () {
  let visitor: Visitor;
  visits(this, (comes) => (visitor = comes));

  it('has the whole guide, all rules, and what became of the methods of 0.1.0', () => {
    expect([...pages.keys()]).to.include.members([
      ...['docs/README.md', 'docs/what-became-what.md', 'docs/coming-from/asio.md'],
      ...['spec/README.md', 'spec/model.md', 'CHANGELOG.md'],
    ]);
    for (const { url } of pages.values())
      expect(existsSync(join(output, version, url)), url).to.equal(true);
  });

  it('transfers less than 300 KB for its first page, with all that is further down', async () => {
    visitor.served.sent();
    const page = await visitor.visit('index.html');
    await page.keyboard.press('End');
    await page.waitForLoadState('networkidle');
    const sent = visitor.served.sent();
    expect(sent).to.be.greaterThan(5_000);
    expect(sent).to.be.lessThan(mostOfFirst);
    await page.context().close();
  });

  it('finds by keys what is searched for, and leads there', async () => {
    const page = await visitor.visit('docs/index.html');
    await page.keyboard.press('/');
    await page.getByRole('searchbox').waitFor();
    await page.keyboard.type('label names loop');
    const first = page.getByRole('dialog').getByRole('link').first();
    await first.waitFor();
    const href = await first.getAttribute('href');
    await page.keyboard.press('ArrowDown');
    await page.keyboard.press('Enter');
    await page.waitForURL(href!);
    await page.context().close();
  });

  it('loses no key of somebody who types, and enters, before the index is there', async () => {
    const page = await visitor.visit('docs/index.html');
    await page.route('**/search.json', async (route) => {
      await new Promise((later) => setTimeout(later, 500));
      await route.continue();
    });
    await page.keyboard.press('/');
    await page.keyboard.type('waitExternal');
    await page.keyboard.press('Enter');
    await page.waitForURL(/iasyncsteps\.html#IAsyncSteps\.waitExternal$/);
    await page.context().close();
  });

  it('leads from a search to the heading that it found', async () => {
    const page = await visitor.visit('index.html');
    await page.getByRole('button', { name: 'Search' }).click();
    await page.getByRole('searchbox').fill('find it: what each waits for');
    await page.keyboard.press('Enter');
    await page.waitForURL('**/docs/hangs.html#find-it-what-each-waits-for');
    await page.context().close();
  });

  it('copies code as it stands', async () => {
    const page = await visitor.visit('docs/first-flow.html', {
      permissions: ['clipboard-read', 'clipboard-write'],
    });
    const block = page.locator('.code').first();
    await block.hover();
    await block.getByRole('button', { name: 'Copy' }).click();
    await block.getByRole('button', { name: 'Copied' }).waitFor();
    const copied = await page.evaluate(() => navigator.clipboard.readText());
    expect(copied).to.match(/^const greet = step\(.*\n\nconsole\.log\(.*\n$/);
    await page.context().close();
  });

  it('keeps the theme that was chosen, in pictures, too', async () => {
    const page = await visitor.visit('docs/many-at-once.html', { colorScheme: 'light' });
    const picture = page.locator('picture img').first();
    await picture.scrollIntoViewIfNeeded();
    const shows = (end: string) =>
      page.waitForFunction(
        (end) => document.querySelector<HTMLImageElement>('picture img')!.currentSrc.endsWith(end),
        end,
      );
    const button = page.getByRole('button', { name: /^Theme/ });
    await shows('-light.svg');
    await button.click();
    await button.click();
    await page.reload();
    expect(await button.textContent()).to.equal('Theme: dark');
    expect(await page.evaluate(() => getComputedStyle(document.body).colorScheme)).to.equal('dark');
    await picture.scrollIntoViewIfNeeded();
    await shows('-dark.svg');
    await page.context().close();
  });

  it('can be read without a script', async () => {
    const page = await visitor.visit('docs/first-flow.html', { javaScriptEnabled: false });
    expect(await page.getByRole('heading', { level: 1 }).textContent()).to.equal('First flow');
    expect(await page.locator('header').textContent()).to.include(version);
    await page.context().close();
  });

  it('where one comes first leads to the newest version', async () => {
    const page = await visitor.visit('../index.html');
    await page.waitForURL(`**/${version}/index.html`);
    await page.context().close();
  });

  it('has a menu of versions where there are several', async () => {
    const page = await visitor.visit('index.html');
    await page.route('**/versions.json', (route: any) =>
      route.fulfill({ json: ['9.0.0', version] }),
    );
    await page.route('**/9.0.0/*', (route) => route.fulfill({ body: 'newer' }));
    await page.route('**/9.0.0/docs/*', (route) => route.abort());
    await page.goto(visitor.addressOf('docs/limits.html'));
    await page.getByRole('combobox', { name: 'Version' }).selectOption('9.0.0');
    await page.waitForURL('**/9.0.0/index.html');
    expect(visitor.complaints.splice(0).join()).to.include('ERR_FAILED');
    await page.context().close();
  });
});

describe('what makes the site', () => {
  it('finds links that lead nowhere, and names that two have', () => {
    const folder = temporary({
      'a.html': '<a href="b/c.html#x"></a><a href="b/c.html#y"></a><a href="d.html"></a>',
      'b/c.html':
        '<p id="x"></p><p id="x"></p><a href="../a.html"></a><a href="https://x.org"></a>',
    });
    expect(deadLinks(folder)).to.have.members([
      'a.html: b/c.html#y leads nowhere',
      'a.html: d.html leads nowhere',
      'b/c.html: #x twice',
    ]);
  });

  it('knows versions by number, and leads to the newest', () => {
    const names = ['0.9.0', '0.10.0', '0.2.11', 'other'];
    const folder = temporary(
      Object.fromEntries([...names.map((name) => [`${name}/index.html`, '']), ['1.0.0/x', '']]),
    );
    expect(versionsIn(folder)).to.deep.equal(['0.10.0', '0.9.0', '0.2.11']);
    writeVersions(folder);
    expect(readFileSync(join(folder, 'index.html'), 'utf8')).to.include('url=0.10.0/index.html');
  });
});
