/** Whoever can't use a mouse, sees little, or has a small screen, can read the site. */
import { readFileSync } from 'node:fs';
import { createRequire } from 'node:module';
import { expect } from 'chai';
import type { Page } from 'playwright-core';
import { kinds } from './kinds.js';
import { toChoices, type Visitor, visits } from './serve.js';

const axe = readFileSync(createRequire(import.meta.url).resolve('axe-core/axe.min.js'), 'utf8');

async function findings(page: Page): Promise<string[]> {
  await page.evaluate(axe);
  return page.evaluate(async () => {
    const { violations } = await (globalThis as any).axe.run();
    return violations.flatMap(({ id, nodes }: any) =>
      nodes.map(({ html, failureSummary }: any) => `${id}: ${html}: ${failureSummary}`),
    );
  });
}

describe('the site for everybody', function () {
  let visitor: Visitor;
  visits(this, (comes) => (visitor = comes));

  for (const [kind, path] of Object.entries(kinds)) {
    for (const colorScheme of ['light', 'dark'] as const) {
      it(`axe finds nothing, ${colorScheme}: ${kind}`, async () => {
        const page = await visitor.visit(path, { colorScheme });
        expect(await findings(page)).to.deep.equal([]);
        await page.context().close();
      });
    }

    it(`is as wide as a screen of 320 pixels: ${kind}`, async () => {
      const page = await visitor.visit(path, { viewport: { width: 320, height: 256 } });
      const wide = await page.evaluate(() => {
        const { scrollWidth, clientWidth } = document.documentElement;
        if (scrollWidth <= clientWidth) return [];
        return [...document.querySelectorAll('body *')]
          .filter((each) => each.getBoundingClientRect().right > clientWidth)
          .map((each) => each.outerHTML.slice(0, 200));
      });
      expect(wide).to.deep.equal([]);
      await page.context().close();
    });
  }

  for (const [width, colorScheme] of [
    [320, 'light'],
    [1280, 'dark'],
  ] as const) {
    it(`axe finds nothing in a player, which is as wide as its place: ${width} pixels, ${colorScheme}`, async () => {
      const viewport = { width, height: 600 };
      const page = await visitor.visit('spec/sync.html', { colorScheme, viewport });
      const place = page.locator('step-player').first();
      await place.getByRole('button', { name: 'Play this case' }).click();
      await place.getByLabel('Choose what comes next').check();
      await place.getByRole('button', { name: 'All orders' }).click();
      await place.locator('.ways li').first().waitFor();
      await toChoices(place);
      await place.locator('.choices button[aria-pressed=true]').first().waitFor();
      expect(await findings(page)).to.deep.equal([]);
      const isWide = () =>
        document.documentElement.scrollWidth > document.documentElement.clientWidth;
      expect(await page.evaluate(isWide)).to.equal(false);
      await page.context().close();
    });
  }

  it('the first key leads past the header to the text', async () => {
    const page = await visitor.visit('docs/limits.html');
    await page.keyboard.press('Tab');
    await page.keyboard.press('Enter');
    expect(await page.evaluate(() => document.activeElement?.id)).to.equal('text');
    await page.context().close();
  });

  it('what is wider than its place can be reached by keys, and nothing else', async () => {
    const page = await visitor.visit('docs/first-flow.html', {
      viewport: { width: 320, height: 400 },
    });
    const found = await page.evaluate(async () => {
      await new Promise(requestAnimationFrame);
      return [...document.querySelectorAll<HTMLElement>('pre, main .wide')].map((each) => {
        return { isWide: each.scrollWidth > each.clientWidth, tabIndex: each.tabIndex };
      });
    });
    expect(new Set(found.map(({ isWide }) => isWide))).to.deep.equal(new Set([true, false]));
    for (const { isWide, tabIndex } of found) expect(tabIndex).to.equal(isWide ? 0 : -1);
    await page.context().close();
  });
});
