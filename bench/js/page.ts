import { all, type IAsyncSteps, Limiter, map, retry, run, step, steps, sync } from 'steptree';
import { aggregators, attempts, both, call, callsAtOnce, pageOf } from './aggregator.js';

/** A page: see `aggregator`. */
export const aggregator = aggregators((deadlines) => {
  const limiter = new Limiter({ concurrent: callsAtOnce });
  const load = (service: string) =>
    retry(
      { max: attempts, backoff: { base: 0 } },
      sync(
        limiter,
        step((asi: IAsyncSteps, id: number) => call(service, id, asi.signal)).timeout(
          deadlines.call,
        ),
      ),
    );
  const part = steps(all(load('user'), load('cart')), (_, [user, cart]: [string, string]) =>
    both(user, cart),
  );
  const page = steps(
    (_: IAsyncSteps, ids: readonly number[]) => map(ids, { limit: 3 }, part),
    (_: IAsyncSteps, parts: string[]) => pageOf(parts),
  ).timeout(deadlines.page);
  return (ids, signal) => run(page.with(ids), { signal });
});
