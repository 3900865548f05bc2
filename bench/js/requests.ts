/** The scenarios that users feel: requests, each with a signal of its own, as a server gets them. */
import type { Program } from './subject.js';

export type Request<Given> = (given: Given, signal: AbortSignal) => Promise<unknown>;

/** What makes programs of them. */
interface Shape<Given> {
  /** So many requests at a time. */
  readonly atATime: number;
  readonly given: (id: number) => Given;
  readonly expected: (id: number) => unknown;
  /** Of this one nothing is ever answered. */
  readonly endless: Given;
}

/** The process lives till then: `AbortSignal.timeout` does not hold it. */
async function fails(promise: Promise<unknown>): Promise<boolean> {
  const awake = setInterval(() => {}, 1_000);
  try {
    await promise;
    return false;
  } catch {
    return true;
  } finally {
    clearInterval(awake);
  }
}

/** Whether a signal ends a request. */
function isStopped<Given>(request: Request<Given>, endless: Given): Promise<boolean> {
  const controller = new AbortController();
  const failed = fails(request(endless, controller.signal));
  setImmediate(() => controller.abort());
  return failed;
}

/** Of requests that are made with their deadlines: `usual` ones are timed; those of each of `short` end a request that nobody answers. */
export function requests<Given, Deadlines>(
  { atATime, given, expected, endless }: Shape<Given>,
  make: (deadlines: Deadlines) => Request<Given>,
  usual: Deadlines,
  short: readonly Deadlines[],
): Program {
  const request = make(usual);
  const never = new AbortController().signal;
  return async (size, watch) => {
    let done = 0;
    let begun = 0;
    const worker = async () => {
      while (begun < size) {
        const id = begun++;
        const answer = await request(given(id), new AbortController().signal);
        if (answer === expected(id)) done++;
      }
    };
    await Promise.all(Array.from({ length: atATime }, worker));
    watch.stop();
    if (!(await isStopped(request, endless))) return -1;
    for (const each of short) if (!(await fails(make(each)(endless, never)))) return -1;
    return done;
  };
}

const there = Promise.resolve();

/** What a body does, which awaits something that is there; below 0 it never ends. */
export async function work(n: number): Promise<number> {
  if (n < 0) await new Promise(() => {});
  await there;
  return n + 1;
}

/** `request3`: the deadline of all three bodies in milliseconds. */
export function requests3(make: (ms: number) => Request<number>): Program {
  const shape = { atATime: 1, given: (id: number) => id, expected: (id: number) => id + 3 };
  return requests({ ...shape, endless: -1 }, make, 1_000, [2]);
}

export const items: readonly number[] = Array.from({ length: 100 }, (_, i) => i);
export const workers = 8;

/** `map100`: maps the items, and gives the results in their order. */
export function maps100(map: () => Promise<readonly number[]>): Program {
  return async (size) => {
    let done = 0;
    for (let i = 0; i < size; i++) {
      const results = await map();
      if (results.length === items.length && results.every((value, at) => value === at + 1)) done++;
    }
    return done;
  };
}
