// A process in which storages are loaded and used long after the runtime. Prints what is wrong.
import { contextsInUse } from '../../src/context.js';
import { AsyncSteps, AsyncTool, type IAsyncSteps, delay } from '../../src/index.js';

const wrong: string[] = [];
let looks = 0;
let storage: import('node:async_hooks').AsyncLocalStorage<string> | undefined;

function expectStore(what: string, store: string | undefined): void {
  looks++;
  const found = storage?.getStore();
  if (found !== store) wrong.push(`${what}: ${found} in place of ${store}`);
}

/** A flow that was there before, in loops that wait for what others do. */
function worker(tool: AsyncTool, name: string): AsyncSteps {
  const flow = new AsyncSteps({ tool });
  flow.loop((asi) => {
    expectStore(`${name}'s body`, undefined);
    asi.setCancel(() => expectStore(`${name}'s cancel handler`, undefined));
    asi.add(delay(1)).add(async () => {
      expectStore(`${name}'s async body`, undefined);
      await null;
      expectStore(`${name} after an await`, undefined);
    });
  });
  flow.execute();
  return flow;
}

/** A flow that was there before, and is woken by others. */
function bell(tool: AsyncTool): { flow: AsyncSteps; ring: () => void } {
  const flow = new AsyncSteps({ tool });
  let ring = () => {};
  flow.loop((asi) => {
    expectStore('who was woken', undefined);
    const done = asi.waitExternal();
    ring = () => void done.success();
  });
  flow.execute();
  return { flow, ring: () => ring() };
}

function request(tool: AsyncTool, id: string | undefined): Promise<void> {
  const flow = new AsyncSteps({ tool });
  const see = (what: string) => () => expectStore(`${what} of a request`, id);
  flow.add(see('body'));
  flow.await(new Promise((resolve) => setImmediate(resolve))).add(see('body after a promise'));
  flow.add(bells.get(tool)!.ring);
  flow.add((asi: IAsyncSteps) => asi.add(delay(1)).add(see('body after a timer')));
  let end = Infinity;
  flow.add(() => void (end = performance.now() + 3));
  flow.loop((asi) => {
    if (performance.now() > end) asi.break();
  });
  return flow.promise();
}

const keeping = new AsyncTool();
const other = new AsyncTool();
other.keepContext = false;
const bells = new Map([keeping, other].map((tool) => [tool, bell(tool)]));
const workers = [worker(keeping, 'keeping'), worker(other, 'other')];
await Promise.all([request(keeping, undefined), request(other, undefined)]);

if (contextsInUse()) wrong.push('contexts are taken to be in use');
const { AsyncLocalStorage } = await import('node:async_hooks');
storage = new AsyncLocalStorage();
await request(keeping, undefined);
const begun = Array.from({ length: 50 }, (_, i) =>
  storage!.run(`${i}`, () => [request(keeping, `${i}`), request(other, undefined)]),
);
await Promise.all(begun.flat());
storage.run('canceller', () => {
  for (const flow of workers) flow.cancel();
  for (const { flow } of bells.values()) flow.cancel();
});
console.log(looks > 309, wrong);
