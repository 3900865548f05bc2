/** async/await by hand, for speed: one controller and one timer a deadline, counters in the place of queues where there is room. */
import {
  aggregators,
  attempts,
  both,
  call,
  callsAtOnce,
  type Deadlines,
  pageOf,
} from '../aggregator.js';
import { inContexts } from '../contexts.js';
import { items, maps100, requests3, work, workers } from '../requests.js';

/** Without a controller: nobody inside asks for a signal, the bodies ask whether they are to begin. */
async function three(n: number, signal: AbortSignal, ms: number, third = work): Promise<number> {
  signal.throwIfAborted();
  let stopped = false;
  let timer: NodeJS.Timeout | undefined;
  let stop!: () => void;
  const end = new Promise<never>((_, reject) => {
    timer = setTimeout(() => reject(new Error('Timeout')), ms);
    stop = () => reject(signal.reason);
    signal.addEventListener('abort', stop, { once: true });
  });
  const bodies = async () => {
    let value = await work(n);
    if (stopped) return value;
    value = await work(value);
    return stopped ? value : await third(value);
  };
  try {
    return await Promise.race([bodies(), end]);
  } finally {
    stopped = true;
    clearTimeout(timer);
    signal.removeEventListener('abort', stop);
  }
}

export const request3 = requests3((ms) => (n, signal) => three(n, signal, ms));

export const map100 = maps100(async () => {
  const results = new Array<number>(items.length);
  let next = 0;
  const worker = async () => {
    while (next < items.length) {
      const at = next++;
      results[at] = await work(items[at]!);
    }
  };
  await Promise.all(Array.from({ length: workers }, worker));
  return results;
});

/** At most so many at a time. */
class Limit {
  #room: number;
  readonly #waiting: (() => void)[] = [];

  constructor(room: number) {
    this.#room = room;
  }

  async run<R>(work: () => Promise<R>): Promise<R> {
    if (this.#room > 0) this.#room--;
    else await new Promise<void>((resolve) => this.#waiting.push(resolve));
    try {
      return await work();
    } finally {
      const next = this.#waiting.shift();
      if (next === undefined) this.#room++;
      else next();
    }
  }
}

/** Runs work with a signal that is aborted with the outer one, late, and when the work has ended. */
async function within<R>(
  ms: number,
  outer: AbortSignal,
  work: (signal: AbortSignal) => Promise<R>,
): Promise<R> {
  outer.throwIfAborted();
  const controller = new AbortController();
  const stop = () => controller.abort(outer.reason);
  outer.addEventListener('abort', stop, { once: true });
  const timer = setTimeout(() => controller.abort(new Error('Timeout')), ms);
  try {
    return await work(controller.signal);
  } catch (error) {
    controller.abort(error);
    throw error;
  } finally {
    clearTimeout(timer);
    outer.removeEventListener('abort', stop);
  }
}

export const aggregator = aggregators((deadlines: Deadlines) => {
  const limit = new Limit(callsAtOnce);
  const load = async (service: string, id: number, signal: AbortSignal): Promise<string> => {
    const attempt = (own: AbortSignal) => call(service, id, own);
    const limited = () => within(deadlines.call, signal, attempt);
    for (let n = 1; ; n++) {
      try {
        return await limit.run(limited);
      } catch (error) {
        if (n === attempts || signal.aborted) throw error;
      }
    }
  };
  const part = async (id: number, signal: AbortSignal): Promise<string> => {
    const [user, cart] = await Promise.all([load('user', id, signal), load('cart', id, signal)]);
    return both(user, cart);
  };
  return (ids, outer) =>
    within(deadlines.page, outer, async (signal) =>
      pageOf(await Promise.all(ids.map((id) => part(id, signal)))),
    );
});

type Operation = (id: number) => Promise<boolean>;

/** Calls of an async function, each in a context of its own, one after the other. */
function contextual(
  operation: (isRight: (id: number) => boolean) => Operation,
): (size: number) => Promise<number> {
  return (size) =>
    inContexts(async (run, isRight) => {
      const both = operation(isRight);
      let done = 0;
      for (let id = 0; id < size; id++) if (await run(id, both)) done++;
      return done;
    });
}

const settled = Promise.resolve(7);

export const als_await = contextual(
  (isRight) => async (id) => (await settled) === 7 && isRight(id),
);

export const als_external = contextual((isRight) => async (id) => {
  const value = await new Promise<number>((resolve) => {
    queueMicrotask(() => resolve(7));
  });
  return value === 7 && isRight(id);
});

export const als_request3 = contextual((isRight) => async (id) => {
  const third = (n: number) => work(isRight(n - 2) ? n : 0);
  return (await three(id, new AbortController().signal, 1_000, third)) === id + 3;
});
