/** The steps of a flow over time: one after the other, depth first, each inside of who has added it. */
import type { Picture } from './picture.js';
import { Watch } from './watch.js';

export async function tree(): Promise<Picture> {
  const watch = new Watch();
  const order = watch.step('order', 2, (asi) => {
    asi.add(
      watch.step('price', 2, (price) => {
        price.add(watch.waits('look it up', 12));
        price.add(watch.step('discount', 3, () => 'less'));
      }),
    );
    asi.add(
      watch.step('pay', 2, (pay) => {
        pay.add(watch.waits('ask the bank', 14));
      }),
    );
  });
  const mail = watch.step('thank', 3, () => 'sent');
  const panel = await watch.panel((asi) => void asi.add(order).add(mail));
  return {
    name: 'tree',
    title: 'The steps of a flow over time',
    panels: [panel],
    columns: 1,
    every: 5,
    names: 120,
    ends: 20,
    legend: new Map([
      ['runs', 'the body runs'],
      ['inside', 'the steps inside run or wait'],
      ['waits', 'waits for the outside'],
    ]),
  };
}
