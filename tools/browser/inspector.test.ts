import { expect } from 'chai';
import { type ChildProcess, execFileSync, spawn } from 'node:child_process';
import { once } from 'node:events';
import { mkdirSync } from 'node:fs';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import type { Browser, Page } from 'playwright-core';
import { closeAll, open, Stream, Watcher } from '../../js/test/inspecting.js';
import type { Frame } from '../../js/src/imessages.js';
import type { InspectOptions } from '../../js/src/inspector.js';
import {
  AsyncTool,
  delay,
  loop,
  Mutex,
  retry,
  RwLock,
  step,
  steps,
  sync,
  VirtualTool,
} from 'steptree';
import { openBrowser } from './browser.js';

const hang = step((asi) => void asi.waitExternal());
const quiet = { unhandled: () => {}, report: () => {} };
const hostile = '<img src=x onerror="document.title=1"><b id=stray>';

/** What the page has in each of its rows, from above. */
const rowsOf = (page: Page) =>
  page
    .locator('#space .row:visible')
    .evaluateAll((rows: any[]) =>
      rows
        .sort((a, b) => a.offsetTop - b.offsetTop)
        .map((row) => [...row.children].map((cell: any) => cell.textContent.trim())),
    );

/** Texts that are seen, each with its colour and those behind it, from the front. */
const colorsOf = (page: Page): Promise<{ text: string; color: string; behind: string[] }[]> =>
  page.evaluate(() => {
    const { document, getComputedStyle } = globalThis as any;
    const found: { text: string; color: string; behind: string[] }[] = [];
    for (const element of document.body.querySelectorAll('*')) {
      const nodes: any[] = [...element.childNodes];
      if (!nodes.some((node) => node.nodeType === 3 && node.data.trim() !== '')) continue;
      if (!element.checkVisibility()) continue;
      const behind: string[] = [];
      for (let at = element; at; at = at.parentElement)
        behind.push(getComputedStyle(at).backgroundColor);
      found.push({ text: element.textContent, color: getComputedStyle(element).color, behind });
    }
    return found;
  });

/** What is seen of the page's panels, and of all that is innermost, where two of them overlap; and what is wider than its place. */
const overlapsOf = (page: Page): Promise<string[]> =>
  page.evaluate(() => {
    const { document, getComputedStyle } = globalThis as any;
    const found: string[] = [];
    const seen: { element: any; name: string; box: number[] }[] = [];
    const panels = 'body > *, main > *, header > *, #flows > *, aside > *, #filters > *';
    for (const element of document.body.querySelectorAll('*')) {
      if (!element.checkVisibility() || element.closest('dialog, script')) continue;
      if (element.children.length > 0 && !element.matches(panels)) continue;
      const { left, top, right, bottom } = element.getBoundingClientRect();
      let box = [left, top, right, bottom];
      for (let at = element.parentElement; at; at = at.parentElement) {
        if (getComputedStyle(at).overflow === 'visible') continue;
        const clip = at.getBoundingClientRect();
        box = [
          ...[Math.max(box[0]!, clip.left), Math.max(box[1]!, clip.top)],
          ...[Math.min(box[2]!, clip.right), Math.min(box[3]!, clip.bottom)],
        ];
      }
      if (box[2]! - box[0]! < 1 || box[3]! - box[1]! < 1) continue;
      const text = element.children.length > 0 ? '' : ` ${element.textContent}`;
      seen.push({ element, name: `${element.localName}#${element.id}${text}`, box });
    }
    for (const [i, { element, name, box }] of seen.entries()) {
      for (const other of seen.slice(i + 1)) {
        if (element.contains(other.element)) continue;
        const wide = Math.min(box[2]!, other.box[2]!) - Math.max(box[0]!, other.box[0]!);
        const high = Math.min(box[3]!, other.box[3]!) - Math.max(box[1]!, other.box[1]!);
        if (wide >= 1 && high >= 1) found.push(`${name} and ${other.name}`);
      }
    }
    for (const name of [
      'html',
      'body',
      'header',
      'main',
      '#flows',
      '#filters',
      'aside',
      'footer',
    ]) {
      const { scrollWidth, clientWidth } = document.querySelector(name);
      if (scrollWidth > clientWidth) found.push(`${name} is ${scrollWidth} wide`);
    }
    return found;
  });

const channels = (color: string) => color.match(/[\d.]+/g)!.map(Number);

function luminance(color: string): number {
  const [r, g, b] = channels(color).map((channel) => {
    const part = channel / 255;
    return part <= 0.04045 ? part / 12.92 : ((part + 0.055) / 1.055) ** 2.4;
  }) as [number, number, number];
  return 0.2126 * r + 0.7152 * g + 0.0722 * b;
}

function contrast({ color, behind }: { color: string; behind: string[] }): number {
  const ground = behind.find((back) => channels(back)[3] !== 0)!;
  const [a, b] = [luminance(color), luminance(ground)];
  return (Math.max(a, b) + 0.05) / (Math.min(a, b) + 0.05);
}

/** A shop in which an order hangs in its payment, and others wait for that. */
interface Shop {
  readonly url: string;
  /** Until the page has heard of it. */
  hold(page: Page): Promise<void>;
  close(): Promise<void>;
}

async function jsShop(options?: InspectOptions): Promise<Shop> {
  const tool = new AsyncTool();
  const { url } = await open(tool, options);
  const db = new Mutex({ name: 'db' });
  const charge = sync(db, hang).named('charge');
  const order = steps(delay(1).named('cart'), charge).named('order');
  tool.start(order, { ...quiet, name: 'stuck order' });
  for (const name of ['second', 'third']) tool.start(order, { ...quiet, name });
  for (let i = 0; i < 8; i++) {
    const poll = loop((asi) => void asi.add(delay(10).named('rest'))).named('poll');
    tool.start(poll, { ...quiet, name: `poller ${i}` });
  }
  const again = retry(
    { max: 9, backoff: { base: 1 } },
    step((asi) => asi.error('Unreachable')).named('fetch'),
  );
  tool.start(steps(again.onError((asi) => asi.add(hang))).named('rates'), {
    ...quiet,
    name: 'rates',
  });
  return {
    url,
    async hold() {
      const watcher = new Watcher(url);
      await watcher.reads;
      tool.start(step(() => watcher.hold()).named('hash'), { ...quiet, name: 'login' });
      await watcher.held;
    },
    close: closeAll,
  };
}

const root = fileURLToPath(new URL('../..', import.meta.url));
const program = join(root, 'build/browser/shop');
const running: ChildProcess[] = [];

/** Of what the preset dev has made. */
function makeCppShop(): void {
  mkdirSync(join(root, 'build/browser'), { recursive: true });
  const libraries = ['-inspector', ''].map((name) => `build/dev/cpp/libsteptree${name}.a`);
  const flags = ['-std=c++20', '-pthread', '-Icpp/include'];
  const args = [...flags, 'tools/browser/shop.cpp', ...libraries, '-o', program];
  execFileSync('c++', args, { cwd: root, stdio: 'inherit' });
}

async function cppShop({ allowCancel = false }: InspectOptions = {}): Promise<Shop> {
  const child = spawn(program, allowCancel ? ['cancel'] : [], {
    stdio: ['pipe', 'pipe', 'inherit'],
  });
  running.push(child);
  const [url] = await once(child.stdout.setEncoding('utf8'), 'data');
  const say = (word: string) => void child.stdin.write(`${word}\n`);
  return {
    url: url.trim(),
    async hold(page) {
      say('hold');
      await page.getByText(/^the loop is held since .* by flow/).waitFor();
      say('go');
    },
    async close() {
      say('close');
    },
  };
}

describe('the inspector in a browser', function () {
  this.timeout(120_000);
  let browser: Browser;
  let complaints: string[];
  const pages: Page[] = [];

  before(async () => {
    makeCppShop();
    browser = await openBrowser();
  });
  after(() => browser?.close());
  beforeEach(() => {
    complaints = [];
  });
  afterEach(async () => {
    for (const page of pages.splice(0)) await page.close();
    await closeAll();
    for (const child of running.splice(0)) {
      child.stdin!.end();
      await once(child, 'exit');
    }
    expect(complaints).to.deep.equal([]);
  });

  async function show(url: string, colorScheme: 'dark' | 'light' = 'light'): Promise<Page> {
    const page = await browser.newPage({ viewport: { width: 1280, height: 800 }, colorScheme });
    pages.push(page);
    page.on('pageerror', (error) => complaints.push(String(error)));
    page.on('console', (said) => complaints.push(`${said.type()}: ${said.text()}`));
    await page.goto(url);
    await page.getByText('live', { exact: true }).waitFor();
    return page;
  }

  for (const [language, start] of [
    ['JavaScript', jsShop],
    ['C++', cppShop],
  ] as const) {
    describe(`with a server in ${language}`, () => {
      const shop = async (options?: InspectOptions) => {
        const started = await start(options);
        return { ...started, page: await show(started.url) };
      };

      it('a flow that hangs is found by search and filter, and expanded by keys: what it waits for, and since when', async () => {
        const { page } = await shop();
        await page.keyboard.press('/');
        await page.keyboard.type('stuck charge');
        await page.keyboard.press('Enter');
        await page.keyboard.press('Enter');
        const tree = page.locator('#tree');
        await tree.getByText('order/charge').waitFor();
        expect(await tree.textContent()).to.match(
          /^order\/chargesynccompletionsince \d+(\.\d)? (ms|s)$/,
        );
        expect(await page.locator('#detail b').textContent()).to.match(/^flow \d+ "stuck order"$/);
        const [row, ...others] = await rowsOf(page);
        expect(others).to.deep.equal([]);
        expect(row!.slice(1, 3)).to.deep.equal(['stuck order', 'completion']);
        expect(row![3]).to.match(/^\d+(\.\d)? (ms|s)$/);
        expect(await page.locator('#space .row[aria-expanded=true]').count()).to.equal(1);
        await page.keyboard.press('Escape');
        await page.locator('#detail').waitFor({ state: 'hidden' });
        await page.keyboard.press('Escape');
        await page.getByText('12 of 12').waitFor();
        await page.locator('#waits button', { hasText: 'guard' }).click();
        await page.getByText('2 of 12', { exact: true }).waitFor();
        expect((await rowsOf(page)).map(([, name, waits]) => [name, waits])).to.deep.equal([
          ['second', 'mutex "db", place 1'],
          ['third', 'mutex "db", place 2'],
        ]);
      });

      it('a guard shows its queue, who has it, and leads to that flow', async () => {
        const { page } = await shop();
        await page.locator('#guards').getByText('mutex "db"').click();
        await page.getByText('3 of 12').waitFor();
        expect((await rowsOf(page)).map(([, name]) => name)).to.have.members([
          ...['stuck order', 'second', 'third'],
        ]);
        const cells = await page.locator('#guards tbody td').allTextContents();
        expect(cells.slice(1, 4)).to.deep.equal(['2', '1', '0']);
        await page.locator('#list').focus();
        await page.keyboard.press('End');
        await page.keyboard.press('Enter');
        const tree = page.locator('#tree');
        await tree.getByRole('button', { name: 'stuck order' }).click();
        await page.locator('#detail b', { hasText: '"stuck order"' }).waitFor();
        await page.locator('#codes').getByText('Unreachable').click();
        await page.getByText('0 of 12').waitFor();
        await page.getByRole('button', { name: 'mutex "db" ×' }).click();
        await page.getByText('1 of 12').waitFor();
        expect((await rowsOf(page))[0]!.slice(1, 3)).to.include('rates');
      });

      it('cancels a flow only when that is confirmed', async () => {
        const { page } = await shop({ allowCancel: true });
        await page.keyboard.press('/');
        await page.keyboard.type('stuck');
        await page.getByText('1 of 12').waitFor();
        await page.keyboard.press('ArrowDown');
        await page.keyboard.press('c');
        const dialog = page.getByRole('dialog');
        await dialog
          .getByText(/^Cancel flow \d+ "stuck order", which is at order\/charge\?$/)
          .waitFor();
        await page.keyboard.press('Enter'); // the focus is on leaving it
        await dialog.waitFor({ state: 'hidden' });
        await page.keyboard.press('c');
        await dialog.getByRole('button', { name: 'Cancel the flow' }).click();
        await page.getByText('0 of 11').waitFor();
        await page.getByText('No flow is like that').waitFor();
      });

      it('cancels the flow that it asks for, however soon after it was told to leave one', async () => {
        const { page } = await shop({ allowCancel: true });
        await page.getByText('12 of 12').waitFor();
        await page.keyboard.press('/');
        await page.keyboard.type('stuck');
        await page.getByText('1 of 12').waitFor();
        await page.keyboard.press('ArrowDown');
        await page.evaluate(async () => {
          const { document, KeyboardEvent, setTimeout } = globalThis as any;
          for (const answer of ['no', 'yes']) {
            const options = { key: 'c', bubbles: true };
            document.activeElement.dispatchEvent(new KeyboardEvent('keydown', options));
            await new Promise((before) => void setTimeout(before, answer === 'yes' ? 50 : 0));
            document.querySelector(`#confirm [value=${answer}]`).click();
          }
        });
        await page.getByText('0 of 11').waitFor();
      });

      it('keys that come before the rows do are meant for the row to come', async () => {
        const { page } = await shop({ allowCancel: true });
        await page.getByText('12 of 12').waitFor();
        await page.evaluate(() => {
          const { document, Event, KeyboardEvent } = globalThis as any;
          for (const key of ['/', 'ArrowDown', 'c']) {
            if (key === 'ArrowDown') {
              document.activeElement.value = 'second';
              document.activeElement.dispatchEvent(new Event('input', { bubbles: true }));
            }
            document.activeElement.dispatchEvent(
              new KeyboardEvent('keydown', { key, bubbles: true }),
            );
          }
        });
        const dialog = page.getByRole('dialog');
        await dialog.getByText(/^Cancel flow \d+ "second"/).waitFor();
      });

      it('has no way to cancel if that is not allowed', async () => {
        const { page } = await shop();
        await page.keyboard.press('ArrowDown');
        await page.keyboard.press('Enter');
        await page.locator('#tree div').first().waitFor();
        await page.keyboard.press('c');
        expect(await page.getByRole('dialog').isVisible()).to.equal(false);
        expect(await page.getByRole('button', { name: 'Cancel the flow' }).isVisible()).to.equal(
          false,
        );
      });

      it('says that the loop is held, that it is paused, that it is closed; nothing moves by that', async () => {
        const { page, hold, close } = await shop();
        const places = () =>
          page.evaluate(() =>
            ['#totals', '#timeline', '#filters', '#list', 'aside', 'footer'].map((name) => {
              const { x, y, width, height } = (globalThis as any).document
                .querySelector(name)
                .getBoundingClientRect();
              return [name, x, y, width, height];
            }),
          );
        const before = await places();
        // What it says meanwhile: nobody can ask it then.
        await page.evaluate(() => {
          const { document, MutationObserver } = globalThis as any;
          const state = document.getElementById('state');
          const said: string[] = ((globalThis as any).said = []);
          new MutationObserver(() => said.push(state.textContent)).observe(state, {
            childList: true,
          });
        });
        await hold(page);
        await page.getByText('live', { exact: true }).waitFor();
        await page.locator('#stalls').getByText('login hash').waitFor();
        const said = await page.evaluate(() => (globalThis as any).said as string[]);
        expect(said.join('\n')).to.match(
          /^the loop is held since [\d.]+ m?s by flow \d+ "login", in hash$/m,
        );
        await page.keyboard.press('p');
        await page.getByText('paused: what is shown stands still').waitFor();
        expect(await places()).to.deep.equal(before);
        await page.keyboard.press('p');
        await page.getByText('live', { exact: true }).waitFor();
        await close();
        await page.getByText('the program has closed the inspector').waitFor();
        expect(await places()).to.deep.equal(before);
      });
    });
  }

  it('says what has come of an expanded flow when it has ended', async () => {
    const tool = new VirtualTool();
    const { url } = await open(tool);
    tool.start(hang.timeout(100, 'Slow').named('page'), { ...quiet, name: 'page' });
    await tool.advance(1);
    const page = await show(url);
    await page.getByText('1 of 1').waitFor();
    await page.keyboard.press('ArrowDown');
    await page.keyboard.press('Enter');
    await page.locator('#tree').getByText('limit in 99 ms').waitFor();
    await tool.advance(150);
    await page.getByText('ended 51 ms ago: error Slow').waitFor();
    await page.getByText('No flow runs').waitFor();
    await page.getByText('virtual time: 151 ms').waitFor();
  });

  it('sums up long waits, and leads to the one that has waited longest', async () => {
    const tool = new VirtualTool();
    const { url } = await open(tool);
    const db = new Mutex({ name: 'db' });
    for (const name of ['order 1', 'order 2', 'order 3'])
      tool.start(sync(db, hang).named('charge'), { ...quiet, name });
    await tool.advance(9999);
    const page = await show(url);
    await page.getByText('3 of 3', { exact: true }).waitFor();
    const cells = page.locator('#lasting tbody td');
    expect(await cells.count()).to.equal(0);
    await tool.advance(2001);
    await page.locator('#lasting').getByText('mutex "db"').waitFor();
    expect(await cells.allTextContents()).to.deep.equal([
      ...['charge · order *', 'completion', '1', '12 s'],
      ...['charge · order *', 'mutex "db"', '2', '12 s'],
    ]);
    await page.locator('#lasting button').last().click();
    await page.locator('#detail b', { hasText: /^flow \d+ "order 2"$/ }).waitFor();
  });

  it('shows names as text, whatever they are', async () => {
    const tool = new VirtualTool();
    const { url } = await open(tool);
    const names = [hostile, 'x'.repeat(1_000_000), '\u202ecba', '</script>', '__proto__', '\ud800'];
    for (const name of names)
      tool.start(sync(new Mutex({ name }), hang).named(name), { ...quiet, name });
    await tool.advance(1);
    tool.start(
      step((asi) => asi.error(hostile)),
      quiet,
    );
    await tool.advance(1);
    const page = await show(url);
    await page.getByText('6 of 6').waitFor();
    await page.keyboard.press('ArrowDown');
    await page.keyboard.press('Enter');
    await page.locator('#tree').getByText('<img src=x').waitFor();
    expect((await rowsOf(page)).map(([, name]) => name)).to.include.members([
      ...[hostile, '</script>', '__proto__', '\ufffdcba', '\ufffd'],
    ]);
    expect(await page.locator('img, #stray, b b').count()).to.equal(0);
    expect(await page.title()).to.match(/ · steptree$/);
    const wide = await page.evaluate(() => {
      const { documentElement } = (globalThis as any).document;
      return documentElement.scrollWidth > documentElement.clientWidth;
    });
    expect(wide).to.equal(false);
  });

  it('names three of those who have a guard, and counts the others', async () => {
    const tool = new AsyncTool();
    const { url } = await open(tool);
    const cache = new RwLock({ name: 'cache' });
    for (let i = 0; i < 5; i++)
      tool.start(sync(cache.read, hang).named('look'), { ...quiet, name: `reader ${i}` });
    tool.start(sync(cache.write, hang).named('change'), { ...quiet, name: 'writer' });
    const page = await show(url);
    await page.keyboard.press('/');
    await page.keyboard.type('writer');
    await page.getByText('1 of 6').waitFor();
    await page.keyboard.press('ArrowDown');
    await page.keyboard.press('Enter');
    await page.locator('#tree').getByText('and 2 others').waitFor();
    expect(await page.locator('#tree').getByText('held by').count()).to.equal(3);
  });

  it('has only the rows in view, of 10,000 flows, and an update is small', async () => {
    const tool = new AsyncTool();
    const { url } = await open(tool);
    for (let i = 0; i < 10_000; i++)
      tool.start(steps(delay(1).named('a'), hang.named(`w${i % 7}`)).named('job'), {
        ...quiet,
        name: `job ${i}`,
      });
    const page = await show(url);
    await page.getByText('10,000 of 10,000').waitFor();
    const rows = page.locator('#space .row');
    expect(await rows.count()).to.be.within(10, 60);
    expect(await page.locator('*').count()).to.be.below(1500);
    await page.keyboard.press('End');
    await page.locator('#space .row[aria-rowindex="10000"][aria-selected=true]').waitFor();
    await page.keyboard.press('PageUp');
    await page.locator('#space .row[aria-selected=true]:not([aria-rowindex="10000"])').waitFor();
    expect(await rows.count()).to.be.within(10, 60);
    const stream = await Stream.open(url);
    const frame: Frame = await stream.seen({ first: 5000, rows: 110 });
    stream.close();
    expect(frame.rows).to.have.lengthOf(110);
    expect(JSON.stringify(frame)).to.have.length.below(40_000);
    await page.keyboard.press('/');
    await page.keyboard.type('"w3 9999');
    await page.getByText('0 of 10,000').waitFor();
    await page.keyboard.press('Escape');
    await page.keyboard.type('9999');
    await page.getByText(/^[12] of 10,000$/).waitFor();
  });

  it('is for windows from 400 pixels on: nothing overlaps or leaves them sideways, all is reached', async () => {
    const widths = [1400, 1200, 1199, 1000, 800, 799, 600, 500, 499, 400];
    const { url, hold } = await jsShop({ allowCancel: true });
    const page = await show(url);
    const expectGood = async (places: readonly string[]) => {
      for (const width of widths) {
        await page.setViewportSize({ width, height: 800 });
        for (const place of places) {
          await page.locator(place).scrollIntoViewIfNeeded();
          expect(await overlapsOf(page), `${width} pixels, at ${place}`).to.deep.equal([]);
        }
      }
    };
    await page.getByText('12 of 12').waitFor();
    await hold(page);
    await page.locator('#stalls').getByText('login hash').waitFor();
    await page.locator('#codes').getByText('Unreachable').waitFor();
    await expectGood(['#stalls', '#text']);
    await page.locator('#guards').getByText('mutex "db"').click();
    await page.getByText('3 of 12').waitFor();
    await page.locator('#text').fill('second');
    await page.getByText('1 of 12').waitFor();
    await page.locator('#space .row:visible').dblclick();
    await page.locator('#tree').getByRole('button', { name: 'stuck order' }).waitFor();
    await expectGood(['#tree', '#guards', '#text']);
    await page.getByRole('button', { name: 'Cancel the flow' }).click();
    const { x, width } = (await page.getByRole('dialog').boundingBox())!;
    expect([x >= 0, x + width <= widths.at(-1)!]).to.deep.equal([true, true]);
  });

  for (const scheme of ['light', 'dark'] as const) {
    it(`can be read, ${scheme}: all texts have the contrast of AA`, async () => {
      const { url } = await jsShop({ allowCancel: true });
      const page = await show(url, scheme);
      await page.getByText('12 of 12').waitFor();
      await page.locator('#codes').getByText('Unreachable').waitFor();
      await page.keyboard.press('ArrowDown');
      await page.keyboard.press('Enter');
      await page.locator('#tree div').first().waitFor();
      // Whatever waits is as old as it is hot.
      await page.locator('#space .row').evaluateAll((rows: any[]) => {
        for (const [i, row] of rows.entries()) row.children[3].className = `number age${i % 4}`;
      });
      const texts = await colorsOf(page);
      expect(texts.length).to.be.above(100);
      for (const text of texts) expect(contrast(text), text.text).to.be.at.least(4.5);
    });
  }
});
