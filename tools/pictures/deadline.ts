/** A deadline that passes: what is inside is cancelled, innermost first, then the step fails. */
import { all } from 'steptree';
import type { Picture } from './picture.js';
import { Watch } from './watch.js';

export async function deadline(): Promise<Picture> {
  const watch = new Watch();
  const query = watch.step('query', 0, (asi) => {
    asi.setCancel((gone) => watch.number(gone));
    watch.answers(asi, 50);
  });
  const cart = watch.step('cart', 1, (asi) => {
    asi.setCancel((gone) => watch.number(gone));
    asi.add(watch.waits('connect', 6)).add(query);
  });
  const page = watch
    .step('page', 0, (asi) => {
      watch.deadline(asi, 20);
      asi.add(all(watch.waits('user', 9), cart));
    })
    .onError((asi) => {
      watch.number(asi);
      asi.success('nobody');
    });
  const panel = await watch.panel((asi) => void asi.add(page).add(watch.waits('show', 4)));
  return {
    name: 'deadline',
    title: 'A deadline closes what is inside, innermost first',
    panels: [panel],
    columns: 1,
    every: 5,
    names: 100,
    ends: 100,
    legend: new Map([
      ['runs', 'body'],
      ['inside', 'steps inside'],
      ['waits', 'waits'],
      ['number', 'cancel and error handlers, in the order of their calls'],
    ]),
  };
}
