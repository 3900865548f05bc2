/** async/await: the language itself, with Promise.all, AbortController and setTimeout of the platform. */
import { setImmediate as turn } from 'node:timers/promises';
import { inContexts } from '../contexts.js';
import { deadlines } from '../deadlines.js';
import { beside, waitingBytes } from '../crowds.js';
import { atATime, numbers } from '../jobs.js';
import {
  crowds,
  definedAlready,
  growing,
  levels,
  type Program,
  type Subject,
  type Watch,
} from '../subject.js';
import { Crowd } from './async-await-crowd.js';
import {
  aggregator,
  als_await,
  als_external,
  als_request3,
  map100,
  request3,
} from './async-await-requests.js';

const length = 10_000;
let done = 0;

async function leaf(): Promise<void> {
  done++;
}

async function outer(): Promise<void> {
  await leaf();
}

/** Awaits one call after the other. */
async function sequence(size: number, operation: () => Promise<unknown>): Promise<void> {
  for (let i = 0; i < size; i++) await operation();
}

/** A program that calls `operation` and counts in `done`. */
function counting(operation: () => Promise<unknown>): Program {
  return async (size) => {
    done = 0;
    await sequence(size, operation);
    return done;
  };
}

const simple = counting(outer);
const crowd = (size: number) => new Crowd(size);

const als: Program = (size) =>
  inContexts(async (run, isRight) => {
    done = 0;
    const inner = async (id: number) => {
      if (isRight(id)) done++;
    };
    const both = async (id: number) => {
      await inner(id);
    };
    for (let id = 0; id < size; id++) await run(id, both);
    return done;
  });

async function loop(size: number): Promise<number> {
  done = 0;
  const run = async (iterations: number) => {
    for (let i = 0; i < iterations; i++) {
      done++;
      await undefined;
    }
  };
  for (let left = size; left > 0; left -= length) await run(Math.min(left, length));
  return done;
}

async function loop_step(size: number): Promise<number> {
  done = 0;
  const run = async (iterations: number) => {
    for (let i = 0; i < iterations; i++) await leaf();
  };
  for (let left = size; left > 0; left -= length) await run(Math.min(left, length));
  return done;
}

async function flat(): Promise<void> {
  for (let i = 0; i < 10; i++) await leaf();
}

let nested = leaf;
for (let i = 1; i < 10; i++) {
  const inner = nested;
  nested = async () => {
    await inner();
  };
}

/** Three levels, of which the innermost throws; the message is the code. */
function failing(raise: () => never): () => Promise<void> {
  const third = async () => raise();
  const second = async () => {
    await third();
  };
  const first = async () => {
    await second();
  };
  return async () => {
    try {
      await first();
    } catch (error) {
      if ((error as Error).message === 'Refused') done++;
    }
  };
}

const error = counting(
  failing(() => {
    throw new Error('Refused');
  }),
);

const plain = { message: 'Refused' };

async function parallel(): Promise<void> {
  const before = done;
  await Promise.all([
    leaf(),
    leaf(),
    leaf(),
    leaf(),
    leaf(),
    leaf(),
    leaf(),
    leaf(),
    leaf(),
    leaf(),
  ]);
  if (done === before + 10) done = before + 1;
}

/** So many workers take one job after the other. */
async function map(size: number): Promise<number> {
  const items = numbers(size);
  const job = async (item: number) => item;
  done = 0;
  const worker = async () => {
    for (const item of items) if ((await job(item)) === item) done++;
  };
  await Promise.all(Array.from({ length: atATime }, worker));
  return done;
}

const settled = Promise.resolve(7);

async function awaiting(): Promise<void> {
  if ((await settled) === 7) done++;
}

async function withDeadline(work: () => Promise<void>, ms: number): Promise<void> {
  let timer: NodeJS.Timeout | undefined;
  const late = new Promise<never>((_, reject) => {
    timer = setTimeout(() => reject(new Error('Timeout')), ms);
  });
  try {
    await Promise.race([work(), late]);
  } finally {
    clearTimeout(timer);
  }
}

/** At most three attempts. */
async function retried(work: () => Promise<void>): Promise<void> {
  for (let attempt = 1; ; attempt++) {
    try {
      return await work();
    } catch (error) {
      if (attempt === 3) throw error;
    }
  }
}

/** Whether it is tried again: what succeeds at once doesn't show it. */
async function triesAgain(): Promise<boolean> {
  let attempts = 0;
  await retried(async () => {
    if (++attempts === 1) throw plain;
  });
  return attempts === 2;
}

async function retry(size: number, watch: Watch): Promise<number> {
  done = 0;
  await sequence(size, () => retried(leaf));
  watch.stop();
  return (await triesAgain()) ? done : -1;
}

/** Whether a deadline is kept: what succeeds before it doesn't show it. */
async function expires(): Promise<boolean> {
  try {
    await withDeadline(() => new Promise(() => {}), 1);
  } catch (error) {
    return (error as Error).message === 'Timeout';
  }
  return false;
}

async function timeout(size: number, watch: Watch): Promise<number> {
  done = 0;
  await sequence(size, () => withDeadline(leaf, 1_000));
  watch.stop();
  return (await expires()) ? done : -1;
}

async function external(): Promise<void> {
  const value = await new Promise<number>((resolve) => {
    queueMicrotask(() => resolve(7));
  });
  if (value === 7) done++;
}

function never(signal: AbortSignal): Promise<never> {
  return new Promise((_, reject) => {
    signal.addEventListener('abort', () => reject(signal.reason), { once: true });
  });
}

/** Without it `abort()` makes an exception with a stack. */
const cancelled = new Error('Canceled');

async function untilAborted(signal: AbortSignal): Promise<void> {
  try {
    await never(signal);
  } catch (reason) {
    if (reason === cancelled) done++;
  }
}

async function cancel(size: number): Promise<number> {
  const batch = 1_000;
  done = 0;
  for (let left = size; left > 0; left -= batch) {
    const controllers: AbortController[] = [];
    for (let i = Math.min(left, batch); i > 0; i--) {
      const controller = new AbortController();
      void untilAborted(controller.signal);
      controllers.push(controller);
    }
    await turn();
    for (const controller of controllers) controller.abort(cancelled);
    await turn();
  }
  return done;
}

function grows_timers(count: number): Program {
  return async (size, watch) => {
    const deadline = deadlines();
    const crowd = new Crowd(count, deadline);
    await crowd.gather();
    watch.start();
    done = 0;
    await sequence(size, () => withDeadline(leaf, deadline()));
    watch.stop();
    return (await expires()) && (await crowd.dismiss()) === count ? done : -1;
  };
}

function grows_nesting(levels: number): Program {
  const descend = async (depth: number): Promise<void> => {
    if (depth < levels) await descend(depth + 1);
    else done++;
  };
  return async (size, watch) => {
    const flows = Math.ceil(size / levels);
    done = 0;
    for (let i = 0; i < flows; i++) await descend(1);
    watch.operations = flows * levels;
    return done === flows ? size : -1;
  };
}

function grows_switch(count: number): Program {
  return async (size, watch) => {
    const waiting = new Array<() => void>(count).fill(() => {});
    let waits = 0;
    let ending = false;
    const wait = (resolve: () => void) => {
      waiting[waits++ % count] = resolve;
    };
    const flow = async () => {
      while (!ending) await new Promise<void>(wait);
    };
    for (let i = 0; i < count; i++) void flow();
    await turn();
    const rounds = Math.max(2, Math.ceil(size / count));
    watch.start();
    for (let round = 1; round <= rounds; round++) {
      for (const resolve of waiting) resolve();
      while (waits < (round + 1) * count) await turn();
    }
    watch.stop();
    watch.operations = rounds * count;
    ending = true;
    for (const resolve of waiting) resolve();
    return waits === (rounds + 1) * count ? size : -1;
  };
}

const flat10: Program = async (size, watch) => (await counting(flat)(size, watch)) / 10;
const nested10 = counting(() => nested());
const error_nothrow = counting(
  failing(() => {
    throw plain;
  }),
);
const parallel10 = counting(parallel);
const waiting_bytes = waitingBytes(crowd);

export const subject: Subject = {
  name: 'async/await',
  version: process.version,
  programs: {
    simple,
    loop,
    loop_step,
    flat10,
    nested10,
    error,
    error_native: error,
    error_nothrow,
    parallel10,
    map,
    await: counting(awaiting),
    timeout,
    als,
    als_await,
    als_external,
    als_request3,
    request3,
    map100,
    aggregator,
    external: counting(external),
    cancel,
    waiting_bytes,
    ...definedAlready({
      simple,
      promise: simple,
      flat10,
      nested10,
      loop,
      parallel10,
      error_nothrow,
      retry,
      waiting_bytes,
    }),
    ...growing('grows_simple', crowds, beside(crowd, simple)),
    ...growing('grows_switch', crowds, grows_switch),
    // Deeper than 1,000 levels it fails with `Maximum call stack size exceeded`.
    ...growing('grows_nesting', levels.slice(0, -1), grows_nesting),
    ...growing('grows_timers', crowds, grows_timers),
  },
};
