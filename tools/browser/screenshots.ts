/** Takes the screenshots of the guide anew, of a small shop that hangs in a payment: `npm run screenshots`. */
import { mkdirSync } from 'node:fs';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import {
  all,
  AsyncTool,
  Channel,
  delay,
  errors,
  forEach,
  Limiter,
  loop,
  Mutex,
  retry,
  step,
  steps,
  sync,
} from 'steptree';
import { closeAll, open } from '../../js/test/inspecting.js';
import { openBrowser } from './browser.js';

const folder = fileURLToPath(new URL('../../docs/screenshots', import.meta.url));
const quiet = { unhandled: () => {}, report: () => {} };
const tool = new AsyncTool({ seed: 1 });
const start = (name: string, flow: Parameters<AsyncTool['start']>[0]) =>
  tool.start(flow, { ...quiet, name });

const hang = step((asi) => void asi.waitExternal());
const db = new Mutex({ name: 'db' });
const payments = new Limiter({ concurrent: 2, name: 'payments' });
const mails = new Channel<string>({ capacity: 4, name: 'mails' });

const cart = delay(4).named('cart');
const order = (charge: typeof hang) =>
  steps(cart, sync(db, charge).named('charge'), delay(3).named('confirm')).named('order');
const ready = delay(2).named('user');
const profile = all(ready, sync(db, delay(1)).named('stock'), delay(40_000).named('offers'));
const poll = steps(delay(60).named('rest'), sync(payments, delay(25)).named('ask'));
const page = steps(
  delay(15).named('parse'),
  sync(payments, delay(9)).named('query'),
  step((asi) => {
    if (tool.random() < 0.08) asi.error('NotFound');
    if (tool.random() < 0.04) asi.error(errors.Timeout);
  }).named('render'),
).named('page');
const rates = retry(
  { max: 1000, backoff: { base: 900, cap: 900 } },
  step((asi) => asi.error('Unreachable')).named('fetch'),
);

/** The page is opened when this has gone on for some time. */
async function live(): Promise<() => void> {
  start('POST /orders', order(hang).timeout(90_000));
  for (const ms of [2, 3, 2]) start('POST /orders', order(step((asi) => void asi.add(delay(ms)))));
  start('GET /profile', profile.named('profile').timeout(60_000));
  start('mails', forEach(mails, () => {}).named('worker'));
  start('poll payments', loop((asi) => void asi.add(poll)).named('every'));
  start('exchange rates', rates.named('rates'));
  start('PUT /photo', step(() => new Promise(() => {})).named('upload'));
  const arrive = setInterval(() => {
    for (let n = 1 + Math.floor(5 * tool.random() ** 3); n > 0; n--) start('GET /page', page);
  }, 40);
  const busy = step(() => {
    const end = performance.now() + 130;
    while (performance.now() < end);
  });
  const slow = setInterval(() => start('POST /login', busy.named('hash')), 7000);
  await new Promise((passed) => setTimeout(passed, 26_000));
  return () => {
    clearInterval(arrive);
    clearInterval(slow);
  };
}

mkdirSync(folder, { recursive: true });
const { url } = await open(tool);
const end = await live();
const browser = await openBrowser();
for (const colorScheme of ['light', 'dark'] as const) {
  const tab = await browser.newPage({ viewport: { width: 1280, height: 800 }, colorScheme });
  await tab.goto(url);
  await tab.getByText(/^\d+ of \d+$/).waitFor();
  await tab.keyboard.press('ArrowDown');
  for (;;) {
    const name = await tab.locator('[aria-selected=true]').textContent();
    if (name?.includes('place 2')) break;
    await tab.keyboard.press('ArrowDown');
  }
  await tab.keyboard.press('Enter');
  await tab.locator('#tree').getByText('held by').waitFor();
  await tab.screenshot({ path: join(folder, `inspector-${colorScheme}.png`) });
  await tab.close();
}
await browser.close();
end();
await closeAll();
process.exit();
