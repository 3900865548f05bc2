import { expect } from 'chai';
import type { Browser, Page } from 'playwright-core';
import { openBrowser } from './browser.js';
import { Searches } from './searches.js';

describe('the package in a browser', function () {
  this.timeout(120_000);
  const server = new Searches();
  let browser: Browser;
  let page: Page;

  before(async () => {
    browser = await openBrowser();
    page = await browser.newPage();
    await page.goto(await server.open());
  });
  after(async () => {
    await browser?.close();
    server.close();
  });

  it('gives the promise of an aborted signal Canceled, its reason as the cause, and the platform its own signal', async () => {
    const told = await page.evaluate(async () => {
      const { run, step } = await import('steptree');
      const client = new AbortController();
      let own: any;
      const flow = run(
        step((asi) => {
          own = asi.signal;
          asi.waitExternal();
          queueMicrotask(() => client.abort('gone'));
        }),
        { signal: client.signal },
      );
      const error = await flow.catch((failure: any) => failure);
      return [error.code, error.cause, own instanceof AbortSignal, own.aborted];
    });
    expect(told).to.deep.equal(['Canceled', 'gone', true, true]);
  });

  it('is drawn, and hears its timers, while a flow runs that never waits', async () => {
    const told = await page.evaluate(async () => {
      const { AsyncSteps } = await import('steptree');
      let rounds = 0;
      const flow = new AsyncSteps();
      flow.loop(() => void rounds++);
      flow.execute();
      await new Promise((drawn) => (globalThis as any).requestAnimationFrame(drawn));
      await new Promise((fired) => setTimeout(fired, 1));
      const ran = rounds > 0 && flow.running();
      flow.cancel();
      return [ran, flow.running()];
    });
    expect(told).to.deep.equal([true, false]);
  });
});
