// Compiled only: what the declarations accept, infer and refuse.
import {
  all,
  AsyncSteps,
  AsyncTool,
  errors,
  run,
  snapshot,
  snapshotText,
  StepError,
  steps,
  VirtualTool,
} from 'steptree';
import { type Inspector, inspect } from 'steptree/inspector';
import { locator } from 'steptree/locate';
import { offload, task } from 'steptree/pool';
import { call, type RedisConnection, RedisMutex, RedisService } from 'steptree/redis';

declare module 'steptree' {
  interface Codes {
    Code: true;
    NotFound: true;
  }
}

const flow = new AsyncSteps({ tool: new VirtualTool(), burst: 10 });
const codes: string[] = [];

flow
  .add(
    (asi, a, b) => {
      asi.setTimeout(100);
      asi.setCancel(() => undefined);
      const done = asi.waitExternal();
      const won: boolean = done.success(a, b) || done.error('Code', 'info') || done.valid();
      asi.state['won'] = won;
    },
    (asi, code) => {
      codes.push(code);
      if (code === errors.Timeout) asi.success(1);
    },
    'first',
  )
  .loop((asi) => asi.break(), 'outer')
  .repeat(3, (asi, i) => asi.success(i.toFixed()))
  .forEach(['a', 'b'], (asi, i, item) => asi.success(i.toFixed(), item.length))
  .await(Promise.resolve(5))
  .add(async (asi) => {
    await Promise.resolve();
    asi.success();
  });
flow
  .parallel((asi, code) => asi.success(code))
  .add((asi) => asi.success())
  .repeat(2, (asi) => asi.continue());

const pool = {
  run: (n: number, options?: { name: string }) => Promise.resolve([n, options?.name]),
};
flow.add(offload(pool, 5, { name: 'five' })).add(offload(pool, (a: string) => a.length));
export const five: (n: number) => Promise<number> = task((n: number) => n + 5);

const settled: Promise<unknown> = flow.promise();
settled.catch((error: StepError) => [error.code, error.info, error.path, error.also, error.cause]);
flow.execute((outcome) => outcome.kind === 'cancelled' && outcome.reason);
flow.cancel('enough');
new AsyncTool().deferred(5, () => undefined).cancel();

// @ts-expect-error a body is a function
flow.add(5);
// @ts-expect-error a count is a number
flow.repeat('3', () => undefined);
// @ts-expect-error a code is a string
flow.add((asi) => asi.error(5));
// @ts-expect-error a root has no success()
flow.success(1);
// @ts-expect-error a pool has run()
offload({}, 5);

const both = steps(
  (asi, id: string) => (id === '' ? asi.error('NotFound') : id),
  all(
    (_asi, id) => id.length,
    async (_asi, id) => [id],
  ),
).onError((asi, code) => code === 'NotFound' && asi.success([0, []]));
export const ended: Promise<[number, string[]]> = run(both.with('5'));
// @ts-expect-error that code isn't declared
flow.add((asi) => asi.error('NotFuond'));
// @ts-expect-error it can't be that code
both.onError((asi, code) => code === 'NotFuond' && asi.success([0, []]));
// @ts-expect-error a limit's code is declared, too
both.timeout(5, 'NotFuond');
// @ts-expect-error the same
flow.add((asi) => asi.setTimeout(5, 'NotFuond'));
// @ts-expect-error the same
new StepError('NotFuond');
settled.catch((error) => {
  const status = StepError.of(error)?.code === 'NotFound' ? 404 : 500;
  // @ts-expect-error it can't be that code
  return StepError.of(error)?.code === 'NotFuond' ? 404 : status;
});
// @ts-expect-error a list of texts
both.onError((asi) => asi.success([0, [5]]));

export const inspecting: Promise<Inspector> = inspect(new AsyncTool(), {
  port: 0,
  allowCancel: true,
});
// @ts-expect-error it isn't known
inspect(new VirtualTool(), { ports: 0 });
export const located: string = snapshotText(snapshot(flow, { locate: locator().locate }));
// @ts-expect-error a text is no number
snapshot(flow, { locate: () => 5 });
// @ts-expect-error a flow is no tool
inspect(flow);

export const priceOf = (shop: RedisConnection, isbn: string): Promise<number> => {
  const books = new RedisService<{ price(isbn: string): number }>(shop, 'books');
  // @ts-expect-error there is no such method
  call(books, 'prize', [isbn]);
  return run(call(books, 'price', [isbn]));
};
// @ts-expect-error it has another client
export const ledger = new RedisMutex({}, 'ledger');
