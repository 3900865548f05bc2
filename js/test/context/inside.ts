// A process that imports the runtime within a request. Prints what is wrong.
import { AsyncLocalStorage } from 'node:async_hooks';

const storage = new AsyncLocalStorage<string>();
const wrong: string[] = [];

function expectStore(what: string, store: string | undefined): void {
  const found = storage.getStore();
  if (found !== store) wrong.push(`${what}: ${found} in place of ${store}`);
}

const { AsyncSteps, AsyncTool, defaultTool, delay } = await storage.run(
  'importer',
  () => import('../../src/index.js'),
);

/** All ways in which the platform calls the tool: at once, by a promise, by a timer, and between two slices. */
function start(tool: InstanceType<typeof AsyncTool>, store: string | undefined): Promise<void> {
  const see = (what: string) => () => expectStore(what, store);
  const flow = new AsyncSteps({ tool });
  flow.add(see('a body'));
  flow.add(async () => {
    see('an async body')();
    await null;
    see('after an await')();
  });
  flow.add(see('after an async body'));
  flow.add((asi) => {
    const done = asi.waitExternal();
    setImmediate(() => storage.run('completer', () => done.success()));
  });
  flow.add(see('after a completion'));
  flow.add(delay(1)).add(see('after a timer'));
  const end = performance.now() + 5;
  flow.loop((asi) => {
    see('a long loop')();
    if (performance.now() > end) asi.break();
  });
  tool.immediate(see('an immediate'));
  tool.deferred(1, see('a callback of a timer'));
  return flow.promise();
}

defaultTool.keepContext = false;
const without = [defaultTool, new AsyncTool()];
without[1]!.keepContext = false;
for (const tool of without) {
  await Promise.all(['first', 'second'].map((id) => storage.run(id, () => start(tool, undefined))));
  await storage.exit(() => start(tool, undefined));
}
const keeping = new AsyncTool();
await Promise.all(['first', 'second'].map((id) => storage.run(id, () => start(keeping, id))));
await storage.exit(() => start(keeping, undefined));
console.log(true, wrong);
