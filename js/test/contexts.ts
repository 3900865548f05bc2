import { AsyncLocalStorage } from 'node:async_hooks';
import {
  AsyncSteps,
  type AsyncStepsOptions,
  VirtualTool,
  delay,
  map,
  retry,
  shield,
  race,
  type IAsyncSteps,
} from '../src/index.js';

export const storage = new AsyncLocalStorage<unknown>();

export type Seer = (what: string) => void;

/** A tool that is driven in another context, a flow on it, and what was seen of contexts. */
export function world(options: AsyncStepsOptions = {}) {
  const tool = new VirtualTool();
  const seen: string[] = [];
  const see: Seer = (what) => void seen.push(`${what}: ${storage.getStore()}`);
  const flow = new AsyncSteps({ tool, ...options });
  const run = () => storage.run('driver', () => tool.run());
  return { tool, flow, seen, see, run };
}

export const within = (context: unknown, what: readonly string[]) =>
  what.map((each) => `${each}: ${context}`);

export function* source(see: Seer) {
  try {
    for (let i = 0; ; i++) {
      see('source');
      yield i;
    }
  } finally {
    see('end of the source');
  }
}

function* take<T>(count: number, items: Iterable<T>) {
  let left = count;
  for (const item of items) {
    if (left-- === 0) return;
    yield item;
  }
}

/** Everything that a flow calls, ending well. Returns what will be seen of it. */
export function fill(flow: AsyncSteps, see: Seer): string[] {
  flow.add((asi) => {
    see('body');
    asi.defer((asi) => {
      see('deferred function');
      asi.add(delay(1)).add(() => see('step of a deferred function'));
    });
    asi.add(delay(1)).add(() => see('after a delay'));
    asi.forEach(source(see), (asi, i) => {
      see('round');
      if (i === 1) asi.break();
    });
    const branches = asi.parallel();
    branches.add(() => see('branch'));
    branches.add(delay(2)).add(() => see('late branch'));
    const loser = (asi: IAsyncSteps) => asi.setCancel(() => see('loser'));
    asi.add(race(loser, (asi) => asi.success()));
    asi.add(map(take(3, source(see)), { limit: 2, sink: () => see('sink') }, () => see('item')));
    asi.sync({ lock: () => see('lock'), unlock: () => see('unlock') }, () => see('section'));
    asi.add(shield(10, (asi) => asi.add(delay(1)).add(() => see('shield'))));
    const on = () => {
      see('asked');
      return true;
    };
    asi.add(
      retry({ max: 2, backoff: { base: 1 }, on }, (asi, attempt) => {
        see('attempt');
        if (attempt === 1) asi.error('Again');
      }),
    );
  });
  return [
    ...['body', 'deferred function', 'step of a deferred function', 'after a delay', 'round'],
    ...['branch', 'late branch', 'loser', 'source', 'end of the source', 'sink', 'item', 'lock'],
    ...['unlock', 'section', 'shield', 'asked', 'attempt'],
  ];
}
