import { expect } from 'chai';
import type { Browser, Page } from 'playwright-core';
import { openBrowser } from './browser.js';
import { Searches } from './searches.js';

/** What the page waits for before it asks, and how long for all of it. */
const restMs = 150;
const limitMs = 3000;
const dayMs = 86_400_000;

describe('the example page in a browser', function () {
  this.timeout(120_000);
  let browser: Browser;
  let searches: Searches;
  let url: string;
  let page: Page;
  let complaints: string[];

  before(async () => {
    browser = await openBrowser();
  });
  after(() => browser?.close());

  beforeEach(async () => {
    searches = new Searches();
    url = await searches.open();
    page = await browser.newPage();
    complaints = [];
    page.on('pageerror', (error) => complaints.push(String(error)));
    page.on('console', (said) => complaints.push(`${said.type()}: ${said.text()}`));
    // Its time is the test's, till that gives it back.
    await page.clock.install({ time: 0 });
    await page.goto(url);
    await page.clock.pauseAt(dayMs);
  });
  afterEach(async () => {
    await page.close();
    searches.close();
    expect(complaints).to.deep.equal([]);
  });

  const shown = async () => [
    await page.locator('output').textContent(),
    ...(await page.locator('li').allTextContents()),
  ];
  const says = (words: string) => page.getByText(words, { exact: true }).waitFor();
  /** All at once, as quick fingers do. */
  const type = (...texts: readonly string[]) =>
    page.locator('input').evaluate((field: any, all) => {
      for (const text of all) {
        field.value = text;
        field.dispatchEvent(new Event('input'));
      }
    }, texts);
  /** The search that comes to the server when the fingers have rested. */
  const arrives = async (text: string) => {
    await page.clock.runFor(restMs);
    const search = await searches.arrived.next();
    expect(search.text).to.equal(text);
    return search;
  };

  it('shows what was found for the last text only, which alone is searched for', async () => {
    await type('s', 'st', 'step');
    expect(await shown()).to.deep.equal(['searching']);
    (await arrives('step')).answer(['step one', 'step two']);
    await says('2 found');
    expect(await shown()).to.deep.equal(['2 found', 'step one', 'step two']);
    expect([searches.arrived.size, searches.dropped.size]).to.deep.equal([0, 0]);
  });

  it('aborts the request of a search when another text is typed, and never shows its answer', async () => {
    await type('old');
    const old = await arrives('old');
    await type('new');
    await old.aborted;
    expect(await searches.dropped.next()).to.equal('old');
    const later = await arrives('new');
    old.answer(['old one']);
    later.answer(['new one']);
    await says('1 found');
    expect(await shown()).to.deep.equal(['1 found', 'new one']);
  });

  it('says so when a search is cancelled by a click, and aborts its request', async () => {
    await type('step');
    const search = await arrives('step');
    await page.getByRole('button').click();
    await search.aborted;
    expect(await searches.dropped.next()).to.equal('step');
    expect(await shown()).to.deep.equal(['cancelled']);
  });

  it('is cancelled while the fingers rest, before it has asked the server', async () => {
    await type('step');
    await page.clock.runFor(restMs - 1);
    await page.getByRole('button').click();
    await says('cancelled');
    await type('next');
    await arrives('next');
    expect([searches.arrived.size, searches.dropped.size]).to.deep.equal([0, 0]);
  });

  it('gives up a search whose time is over, and aborts its request', async () => {
    await type('slow');
    const search = await arrives('slow');
    await page.clock.runFor(limitMs - restMs - 1);
    expect(await shown()).to.deep.equal(['searching']);
    await page.clock.runFor(1);
    await search.aborted;
    expect(await searches.dropped.next()).to.equal('slow');
    await says('Timeout');
  });

  it('shows what went wrong', async () => {
    await type('step');
    (await arrives('step')).fail(500);
    await says('the server says 500');
    expect(complaints.splice(0).join()).to.match(/^error: Failed to load resource.*500/);
    expect(await searches.dropped.next()).to.equal('step');
  });

  it('cancels the search when one leaves the page', async () => {
    await type('step');
    const search = await arrives('step');
    await page.goto('about:blank');
    await search.aborted;
    expect(await searches.dropped.next()).to.equal('step');
  });
});
