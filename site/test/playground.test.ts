/** The playground: its programs are typed, run, show their tree, can be stopped, and stand in an address. */
import { expect } from 'chai';
import type { Page } from 'playwright-core';
import { examples } from '../make/playground.js';
import { type Visitor, visits } from './serve.js';

describe('the playground', function () {
  let visitor: Visitor;
  let page: Page;
  visits(this, (comes) => (visitor = comes));

  before(async () => {
    page = await open('playground/index.html');
  });

  async function open(path: string): Promise<Page> {
    const opened = await visitor.visit(path, {
      permissions: ['clipboard-read', 'clipboard-write'],
    });
    await opened.locator('#state', { hasText: 'Ready' }).waitFor({ timeout: 60_000 });
    return opened;
  }

  const text = (which: string) => page.locator(which).textContent();
  const says = (words: string) =>
    page.locator('#state', { hasText: words }).waitFor({ timeout: 60_000 });
  const editor = () => page.getByRole('textbox', { name: 'Program' });
  const output = () => page.locator('#output li').allTextContents();

  async function write(code: string): Promise<void> {
    await editor().fill(code);
  }

  async function run(): Promise<void> {
    await page.getByRole('button', { name: 'Run', exact: true }).click();
    await says('The module has been run');
  }

  for (const { name, title } of examples) {
    it(`has no problem with an example, and runs it: ${title}`, async () => {
      await page.locator('#example').selectOption(name);
      await page.getByRole('button', { name: 'Run', exact: true }).click();
      await page.locator('#state', { hasText: /^Running|has been run/ }).waitFor();
      expect(await text('#state')).to.not.include('though');
      await says('The module has been run');
      expect(await page.locator('#output .bad').allTextContents()).to.deep.equal([]);
      expect(await output()).to.not.deep.equal([]);
    });
  }

  it('shows the tree of each moment, the last one or one before', async () => {
    await page.locator('#example').selectOption('b-queue');
    await page.getByRole('button', { name: 'Run', exact: true }).click();
    await page.locator('#flows', { hasText: 'guard mutex "database" 2' }).waitFor();
    await says('The module has been run');
    await page.locator('#flows', { hasText: 'No flow runs.' }).waitFor(); // it's told now and then
    expect(await output()).to.have.length(6);
    await page.getByRole('slider').focus();
    await page.keyboard.press('Home');
    expect(await text('#place')).to.match(/^1 of /);
    expect(await text('#flows')).to.include('flow');
    expect(await page.locator('#output li:not(.yet)').count()).to.equal(0);
    await page.getByRole('button', { name: 'Follow' }).click();
    expect(await text('#flows')).to.equal('No flow runs.');
  });

  it('knows the types of steptree: what is wrong is said, and what an accessor can do', async () => {
    await write("import { step } from 'steptree';\nstep((asi) => asi.sucess());\n");
    await page.locator('.cm-lintRange-error').waitFor();
    await page.getByRole('button', { name: 'Run', exact: true }).click();
    await says("The module has been run, though line 2: Property 'sucess' does not exist");
    await write("import { step } from 'steptree';\nstep((asi) => asi.waitEx");
    await page.keyboard.press('Control+Space');
    await page.locator('.cm-tooltip-autocomplete', { hasText: 'waitExternal' }).waitFor();
    await page.keyboard.press('Escape');
  });

  it('is run by keys, says what fails, and prints what is no text', async () => {
    await write('console.log({ a: [1] }, 2);\nthrow new Error("broken");\n');
    await page.keyboard.press('Control+Enter');
    await says('The module has been run');
    const [first, second] = await output();
    expect(first).to.equal('{"a":[1]} 2');
    expect(second).to.equal('Error: broken\n    at program:2:7');
    await write(
      "import { run, step } from 'steptree';\nawait run(step(() => { throw new Error('inside'); }));\n",
    );
    await run();
    expect(await output()).to.deep.equal(['Error: inside\n    at program:2:30']);
  });

  it('says that there is no other module', async () => {
    await write("import fs from 'node:fs';\nconsole.log(fs);\n");
    await page.getByRole('button', { name: 'Run', exact: true }).click();
    await says("There is no module 'node:fs' here.");
  });

  it('shows now and then what a long program does, and its end', async () => {
    await write(
      "import { repeat, run } from 'steptree';\nawait run(repeat(3000, (asi, i) => void (i % 1000 || console.log(i))));\n",
    );
    await run();
    await page.locator('#flows', { hasText: 'No flow runs.' }).waitFor();
    expect(await output()).to.deep.equal(['0', '1000', '2000']);
    const [, of] = /of (\d+),/.exec((await text('#place'))!)!;
    expect(Number(of)).to.be.greaterThan(1_999).and.lessThan(3_000);
  });

  it('stops a program that never ends', async () => {
    await write('for (;;);\n');
    await page.getByRole('button', { name: 'Run', exact: true }).click();
    await says('Running');
    await page.getByRole('button', { name: 'Stop' }).click();
    await says('Stopped');
    await write('console.log("next");\n');
    await run();
    expect(await output()).to.deep.equal(['next']);
  });

  it('puts a program into an address, which runs nothing by itself', async () => {
    const code = 'console.log("žluťoučký", `<b>`);\n';
    await write(code);
    await page.getByRole('button', { name: 'Copy a link' }).click();
    await says('Copied');
    const address = await page.evaluate(() => navigator.clipboard.readText());
    const other = await open(`playground/index.html${new URL(address).hash}`);
    expect(await other.locator('.cm-line').allTextContents()).to.deep.equal([code.trim(), '']);
    expect(await other.locator('#output li').count()).to.equal(0);
    expect(await other.locator('#state').textContent()).to.include('from a link, read it first');
    await other.getByRole('link', { name: 'To the text' }).press('Enter');
    expect(await other.locator('.cm-line').first().textContent()).to.equal(code.trim());
    await other.context().close();
  });

  it('a page of the guide leads to its program', async () => {
    const guide = await visitor.visit('docs/first-flow.html');
    await guide.getByRole('link', { name: 'Run the snippets' }).click();
    await guide.locator('.cm-line', { hasText: 'greet.with' }).first().waitFor();
    expect(await guide.locator('#example').inputValue()).to.equal('first-flow');
    await guide.context().close();
  });
});
