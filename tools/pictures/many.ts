/** Branches of `all`, `race` and `any`, and the items of a `map`, two at a time. */
import { all, any, map, type Part, race } from 'steptree';
import type { Panel, Picture } from './picture.js';
import { Watch } from './watch.js';

const fails = (watch: Watch, name: string, ms: number) =>
  watch.step(name, 0, (asi) => {
    const completion = asi.waitExternal();
    watch.tool.deferred(ms, () => completion.error('ECONNRESET'));
  });

function panel(title: string, program: (watch: Watch) => Part<[]>): Promise<Panel> {
  const watch = new Watch();
  const watched = program(watch);
  return watch.panel(
    watch.step(title.replace(/\W.*/, ''), 0, (asi) => void asi.add(watched)),
    { title },
  );
}

export async function many(): Promise<Picture> {
  const panels = [
    await panel('all(a, b, c)', (watch) =>
      all(watch.waits('a', 8), watch.waits('b', 14), watch.waits('c', 5)),
    ),
    await panel('all(a, b, c), b fails', (watch) =>
      all(watch.waits('a', 8), fails(watch, 'b', 6), watch.waits('c', 5)),
    ),
    await panel('race(a, b, c)', (watch) =>
      race(watch.waits('a', 8), watch.waits('b', 14), watch.waits('c', 5)),
    ),
    await panel('any(a, b, c), c fails', (watch) =>
      any(watch.waits('a', 8), watch.waits('b', 14), fails(watch, 'c', 5)),
    ),
    await panel('map([4, 9, 3, 6, 2], { limit: 2 }, …)', (watch) =>
      map([4, 9, 3, 6, 2], { limit: 2 }, (asi, ms) => void asi.add(watch.waits(`${ms} ms`, ms))),
    ),
    await panel('map([4, 9, 3, 6, 2], { limit: 3 }, …)', (watch) =>
      map([4, 9, 3, 6, 2], { limit: 3 }, (asi, ms) => void asi.add(watch.waits(`${ms} ms`, ms))),
    ),
  ];
  return {
    name: 'many',
    title: 'Branches side by side, and items of a list',
    panels,
    columns: 2,
    every: 2,
    names: 62,
    ends: 16,
    legend: new Map([
      ['inside', 'the step is open'],
      ['waits', 'a branch or an item waits'],
    ]),
  };
}
