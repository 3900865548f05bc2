/** Cases run in the page: all of the suite, and one of them moment by moment. */
import { expect } from 'chai';
import type { Page } from 'playwright-core';
import { suite } from '../make/suite.js';
import { toChoices, type Visitor, visits } from './serve.js';

describe('cases in the page', function () {
  let visitor: Visitor;
  visits(this, (comes) => (visitor = comes));

  /** The player of a case, opened. */
  async function play(path: string, name: string) {
    const page = await visitor.visit(path);
    const place = page.locator(`step-player[id="${name}"]`);
    await place.getByRole('button', { name: 'Play this case' }).click();
    await place.locator('.player').waitFor();
    const texts = (which: string) => place.locator(which).allTextContents();
    const click = (button: string) =>
      place.getByRole('button', { name: button, exact: true }).click();
    return { page, place, texts, click };
  }

  const seen = '.trace li:not(.yet)';
  const labelled = 'case-a-labelled-continue-leaves-the-inner-loop';

  it('all cases of the suite leave their traces, recorded as players do', async () => {
    expect(suite).to.have.length.greaterThan(2_000);
    const page = await visitor.visit('cases/index.html');
    await page.getByRole('button', { name: 'Run all cases' }).click();
    const said = page.locator('#run-all [role=status]');
    await said.filter({ hasText: 'trace that they have to' }).waitFor({ timeout: 100_000 });
    expect(await page.locator('#run-all li').allTextContents()).to.deep.equal([]);
    expect(await said.textContent()).to.include(`${suite.length} of ${suite.length} cases`);
    await page.context().close();
  });

  it('a player goes forwards and backwards, and shows tree and trace of that moment', async () => {
    const { page, place, texts, click } = await play('spec/loop.html', labelled);
    expect(await texts(seen)).to.deep.equal([]);
    await click('Last');
    const trace = ['row 0', 'column 0', 'cell', 'cell~', 'row 1', 'column 0', 'cell', 'cell~'];
    expect(await texts(seen)).to.deep.equal([...trace, 'main ok']);
    expect(await place.locator('.flows').textContent()).to.equal('No flow runs.');
    expect(await place.locator('.verdict').textContent()).to.match(/^It leaves the trace/);
    const what = place.locator('.what');
    while ((await what.textContent()) !== 'trace: cell') await click('Back');
    expect((await texts(seen)).slice(-2)).to.deep.equal(['column 0', 'cell']);
    const steps = await texts('.tree b');
    expect(steps[0]).to.equal('main');
    expect(steps.length).to.be.greaterThan(4);
    await click('First');
    expect(await texts(seen)).to.deep.equal([]);
    expect(await place.getByRole('button', { name: 'Back' }).isDisabled()).to.equal(true);
    await page.context().close();
  });

  it('a player is used by keys, and marks the line of the program', async () => {
    const { page, place, texts } = await play('spec/loop.html', labelled);
    await page.keyboard.press('Enter');
    expect(await place.locator('.place').textContent()).to.match(/^2 of /);
    await place.getByRole('slider').focus();
    while ((await texts(seen)).length === 0) await page.keyboard.press('ArrowRight');
    expect(await texts(seen)).to.deep.equal(['row 0']);
    expect(await markedIn(page)).to.match(/^ *- repeat: row$/);
    await page.keyboard.press('End');
    expect((await texts(seen)).at(-1)).to.equal('main ok');
    await page.context().close();
  });

  it('where several are ready one chooses what comes next, and the rest is another run', async () => {
    const id = 'case-two-flows-use-a-connection-in-turn';
    const { page, place, texts } = await play('spec/sync.html', id);
    await place.getByLabel('Choose what comes next').check();
    const choices = place.locator('.choices button');
    await toChoices(place);
    expect(await choices.count()).to.be.greaterThan(1);
    const before = await texts('.trace li');
    await choices.nth(1).click();
    while (`${await texts('.trace li')}` === `${before}`) await page.waitForTimeout(10);
    await page.context().close();
  });

  it('lists the different traces of all orders, each to be played', async () => {
    const id = 'case-two-flows-use-a-connection-in-turn';
    const { page, place, texts, click } = await play('spec/sync.html', id);
    await click('All orders');
    const said = place.locator('.ways [role=status]');
    await said.waitFor();
    expect(await said.textContent()).to.match(/^All \d+ orders leave \d+ different traces:$/);
    const way = place.locator('.ways li').last();
    const trace = (await way.textContent())!.replace(/^.*? of them: /, '');
    await way.getByRole('button').click();
    await place.getByRole('button', { name: 'Last' }).click();
    expect((await texts(seen)).join(', ')).to.equal(trace);
    await page.context().close();
  });

  it('a rule leads to its cases, and these to their rules', async () => {
    const page = await visitor.visit('spec/loop.html');
    await page.locator('#loop-23').getByRole('link', { name: /case/ }).click();
    await page.waitForURL('**/cases/by-rule/loop.html#loop-23');
    await page
      .getByRole('link', { name: 'a labelled continue leaves the inner loop' })
      .first()
      .click();
    await page.waitForURL(`**/spec/loop.html#${labelled}`);
    await page.context().close();
  });
});

const markedIn = (page: Page) =>
  page.evaluate(() => {
    const [range] = (CSS as any).highlights.get('step-now');
    return `${range.startContainer.data.slice(range.startOffset)}${range}`.length > 0
      ? String(range)
      : '';
  });
