import { expect } from 'chai';
import { buildSync } from 'esbuild';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import type { Browser } from 'playwright-core';
import { differences, pages, snippets, tsOf, writeTs } from '../guide/run.js';
import { openBrowser } from './browser.js';

const root = fileURLToPath(new URL('../..', import.meta.url));

/** What speaks of Node by name can't run there. */
const isOfNode = (page: string) =>
  snippets(page, 'ts').some(({ code }) =>
    /'node:|\bprocess\.|'steptree\/(pool|locate)'/.test(code),
  );

/** A page's program, with the package as a browser gets it. */
function bundle(page: string): string {
  const { outputFiles } = buildSync({
    entryPoints: [tsOf(page)],
    alias: { steptree: join(root, 'dist/browser.js') },
    bundle: true,
    format: 'esm',
    platform: 'browser',
    target: 'es2022',
    tsconfigRaw: '{}',
    write: false,
    logLevel: 'silent',
  });
  return outputFiles[0]!.text;
}

describe('the guide in a browser', function () {
  this.timeout(120_000);
  let browser: Browser;

  before(async () => {
    writeTs();
    browser = await openBrowser();
  });
  after(() => browser?.close());

  const printed = async (program: string) => {
    const tab = await browser.newPage();
    const lines: string[] = [];
    tab.on('console', (said) => lines.push(`${said.text()}\n`));
    await tab.evaluate(
      (code) => import(`data:text/javascript,${encodeURIComponent(code)}`),
      program,
    );
    await tab.close();
    return lines.join('');
  };

  const programs = pages.filter((page) => snippets(page, 'ts').length > 0 && !isOfNode(page));
  it('has pages that run there, the one about browsers among them', () => {
    expect(programs).to.include.members(['browser.md', 'first-flow.md', 'limits.md']);
  });
  for (const page of programs) {
    it(`docs/${page} prints what it says`, async () => {
      expect(differences(page, snippets(page, 'ts'), await printed(bundle(page)))).to.deep.equal(
        [],
      );
    });
  }
});
