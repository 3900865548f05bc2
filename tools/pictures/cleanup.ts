/** A cancelled flow: cancel handlers at once, then what was deferred, one after the other. */
import type { Picture } from './picture.js';
import { Watch } from './watch.js';

export async function cleanup(): Promise<Picture> {
  const watch = new Watch();
  const transfer = watch.step('transfer', 1, (asi) => {
    asi.setCancel((gone) => watch.number(gone));
    asi.defer((step) => {
      step.add(watch.cleanup("close 'from'", 5));
    });
    asi.defer((step) => {
      step.add(watch.cleanup("close 'to'", 3));
    });
    asi.add(
      watch.step('book', 1, (book) => {
        book.setCancel((gone) => watch.number(gone));
        book.defer((step) => {
          step.add(watch.cleanup('roll back', 4));
        });
        book.add(
          watch.step('write', 0, (write) => {
            write.setCancel((gone) => watch.number(gone));
            watch.answers(write, 50);
          }),
        );
      }),
    );
  });
  const signal = watch.abort(10, 'the client has gone');
  const panel = await watch.panel(transfer, { signal });
  return {
    name: 'cleanup',
    title: 'Cancel handlers and deferred functions, in the order of their calls',
    panels: [panel],
    columns: 1,
    every: 2,
    names: 110,
    ends: 100,
    legend: new Map([
      ['runs', 'body'],
      ['inside', 'steps inside'],
      ['waits', 'waits'],
      ['leaving', 'cancelled, not closed yet'],
      ['cleanup', 'a deferred function'],
      ['number', 'order of calls'],
    ]),
  };
}
