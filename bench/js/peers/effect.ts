/**
 * Effect: one fiber a flow, through `runFork`; all effects are built once, of combinators, which are faster than
 * generators.
 */
import { setImmediate as turn } from 'node:timers/promises';
import * as Effect from 'effect/Effect';
import * as Semaphore from 'effect/Semaphore';
import { crowds, definedAlready, growing, type Program, type Subject } from '../subject.js';
import { atATime, numbers } from '../jobs.js';
import { items, maps100, requests3, work, workers } from '../requests.js';
import { worstLateness } from '../worstlateness.js';
import { beside, type Crowd as Waiting, waitingBytes } from '../crowds.js';
import { versionOf } from './versionof.js';

const length = 10_000;
let done = 0;

const leaf = Effect.sync(() => {
  done++;
});
/** A step around another one: it goes on when that has ended, as an async function does after its await. */
function around<A, E>(inner: Effect.Effect<A, E>): Effect.Effect<void, E> {
  return Effect.flatMap(inner, () => Effect.void);
}

const outer = around(leaf);

/** Runs `size` fibers, one after the other. */
function sequence(size: number, effect: Effect.Effect<unknown, unknown>): Promise<void> {
  return new Promise((resolve) => {
    let left = size;
    const next = () => {
      while (left-- > 0) {
        const fiber = Effect.runFork(effect);
        if (fiber.pollUnsafe() !== undefined) continue;
        fiber.addObserver(next);
        return;
      }
      resolve();
    };
    next();
  });
}

/** A program of fibers that count in `done`. */
function counting(effect: Effect.Effect<unknown, unknown>): Program {
  return async (size) => {
    done = 0;
    await sequence(size, effect);
    return done;
  };
}

const simple = counting(outer);

function looping(body: Effect.Effect<void>): Program {
  return async (size) => {
    done = 0;
    let left = 0;
    const once = Effect.suspend(() => {
      left = Math.min(length, size - done);
      return Effect.whileLoop({
        while: () => left > 0,
        body: () => body,
        step: () => {
          left--;
        },
      });
    });
    await sequence(Math.ceil(size / length), once);
    return done;
  };
}

let flat = leaf;
for (let i = 1; i < 10; i++) flat = Effect.flatMap(flat, () => leaf);

let nested: Effect.Effect<void> = leaf;
for (let i = 1; i < 10; i++) nested = around(nested);

/** Three levels, of which the innermost fails. */
function failing<E>(fail: Effect.Effect<never, E>, isRight: (error: E) => boolean) {
  return around(around(fail)).pipe(
    Effect.catch((error) => {
      if (isRight(error)) done++;
      return Effect.void;
    }),
  );
}

const error = counting(
  failing(
    Effect.suspend(() => Effect.fail(new Error('Refused'))),
    ({ message }) => message === 'Refused',
  ),
);

let ended = 0;
const branch = Effect.sync(() => {
  ended++;
});
const join = (): void => {
  if (ended === 10) done++;
  ended = 0;
};
const branches = Array.from({ length: 10 }, () => branch);
const joined = Effect.all(branches, { concurrency: 'unbounded', discard: true }).pipe(
  Effect.map(join),
);

const limited = leaf.pipe(Effect.timeout(1_000));
/** Whether a deadline is kept: what succeeds before it doesn't show it. */
const expires = Effect.never.pipe(
  Effect.timeout(1),
  Effect.catchTag('TimeoutError', () => Effect.succeed(true)),
);

const timeout: Program = async (size, watch) => {
  done = 0;
  await sequence(size, limited);
  watch.stop();
  return (await Effect.runPromise(expires)) ? done : -1;
};

const attempted = Effect.retry(leaf, { times: 2 });
/** Whether it is tried again: what succeeds at once doesn't show it. */
let attempts = 0;
const triesAgain = Effect.suspend(() =>
  ++attempts % 2 === 1 ? Effect.fail('Refused') : Effect.succeed(true),
).pipe(Effect.retry({ times: 2 }));

const retry: Program = async (size, watch) => {
  done = 0;
  await sequence(size, attempted);
  watch.stop();
  return (await Effect.runPromise(triesAgain)) ? done : -1;
};

async function promise(size: number): Promise<number> {
  done = 0;
  for (let i = 0; i < size; i++) await Effect.runPromise(outer);
  return done;
}

const map: Program = async (size) => {
  done = 0;
  const job = (item: number) => (item === done ? leaf : Effect.void);
  await Effect.runPromise(
    Effect.forEach(numbers(size), job, { concurrency: atATime, discard: true }),
  );
  return done;
};

const body = (n: number) => Effect.promise(() => work(n));

const request3 = requests3((ms) => (n, signal) => {
  const three = Effect.flatMap(Effect.flatMap(body(n), body), body);
  return Effect.runPromise(Effect.timeout(three, ms), { signal });
});

const mapped = Effect.forEach(items, body, { concurrency: workers });
const map100 = maps100(() => Effect.runPromise(mapped));

const settled = Promise.resolve(7);
const check = (value: number): void => {
  if (value === 7) done++;
};
const take = Effect.map(check);
const seven = Effect.succeed(7);
const completed = Effect.callback<number>((resume) => {
  queueMicrotask(() => resume(seven));
});

async function cancel(size: number): Promise<number> {
  const batch = 1_000;
  done = 0;
  let waiting = 0;
  const waits = Effect.callback<never>(() => {
    waiting++;
  }).pipe(Effect.onInterrupt(() => leaf));
  for (let left = size; left > 0; left -= batch) {
    const interrupts: (() => void)[] = [];
    waiting = 0;
    for (let i = Math.min(left, batch); i > 0; i--) interrupts.push(Effect.runCallback(waits));
    while (waiting < interrupts.length) await turn();
    for (const interrupt of interrupts) interrupt();
    while (done < size - left + interrupts.length) await turn();
  }
  return done;
}

type Resume = (effect: Effect.Effect<void>) => void;

class Crowd implements Waiting {
  readonly #resumers: (Resume | null)[];
  #waiting = 0;
  #ended = 0;

  constructor(size: number) {
    this.#resumers = new Array<Resume | null>(size).fill(null);
  }

  async gather(): Promise<void> {
    const end = Effect.sync(() => {
      this.#ended++;
    });
    const waits = Effect.callback<void>((resume) => {
      this.#resumers[this.#waiting++] = resume;
    }).pipe(Effect.andThen(end));
    for (let i = 0; i < this.#resumers.length; i++) Effect.runFork(waits);
    while (this.#waiting < this.#resumers.length) await turn();
  }

  async dismiss(): Promise<number> {
    for (const resume of this.#resumers) resume!(Effect.void);
    while (this.#ended < this.#resumers.length) await turn();
    return this.#ended;
  }
}

const crowd = (size: number) => new Crowd(size);

const lateness: Program = async (size, watch) => {
  done = 0;
  const endless = Effect.gen(function* () {
    for (;;) yield* leaf;
  });
  const interrupt = Effect.runCallback(endless);
  watch.ns = await worstLateness(size);
  interrupt();
  return done > size ? size : -1;
};

const locked = Semaphore.makeUnsafe(1).withPermits(1)(leaf);

const lock: Program = async (size) => {
  done = 0;
  let left = size;
  const loop = Effect.whileLoop({
    while: () => left > 0,
    body: () => locked,
    step: () => {
      left--;
    },
  });
  await sequence(1, loop);
  return done;
};

/** Fibers that come, `crowd` at a time, while one has the permit; it gives it back, and each gets it in turn. */
function lock_contended(crowd: number): Program {
  return async (size) => {
    done = 0;
    const semaphore = Semaphore.makeUnsafe(1);
    const one = semaphore.withPermits(1)(leaf);
    for (let left = size; left > 0; left -= crowd) {
      let leave!: Resume;
      const stay = Effect.callback<void>((resume) => {
        leave = resume;
      });
      Effect.runFork(semaphore.withPermits(1)(stay));
      const target = done + Math.min(left, crowd);
      for (let i = done; i < target; i++) Effect.runFork(one);
      leave(Effect.void);
      while (done < target) await turn();
    }
    return done;
  };
}

function grows_switch(count: number): Program {
  return async (size, watch) => {
    const waiting = new Array<Resume | null>(count).fill(null);
    let waits = 0;
    const wait = Effect.callback<void>((resume) => {
      waiting[waits++ % count] = resume;
    });
    const endless = Effect.whileLoop({ while: () => true, body: () => wait, step: () => {} });
    const interrupts = Array.from({ length: count }, () => Effect.runCallback(endless));
    while (waits < count) await turn();
    const rounds = Math.max(2, Math.ceil(size / count));
    watch.start();
    for (let round = 1; round <= rounds; round++) {
      for (const resume of waiting) resume!(Effect.void);
      while (waits < (round + 1) * count) await turn();
    }
    watch.stop();
    watch.operations = rounds * count;
    for (const interrupt of interrupts) interrupt();
    return waits === (rounds + 1) * count ? size : -1;
  };
}

const loop = looping(leaf);
const flat10: Program = async (size, watch) => (await counting(flat)(size, watch)) / 10;
const nested10 = counting(nested);
const error_nothrow = counting(failing(Effect.fail('Refused'), (code) => code === 'Refused'));
const parallel10 = counting(joined);
const waiting_bytes = waitingBytes(crowd);

export const subject: Subject = {
  name: 'Effect',
  version: versionOf('effect', '../package.json'),
  programs: {
    simple,
    loop,
    loop_step: looping(outer),
    flat10,
    nested10,
    error,
    error_native: error,
    error_nothrow,
    parallel10,
    map,
    await: counting(take(Effect.promise(() => settled))),
    timeout,
    external: counting(take(completed)),
    cancel,
    waiting_bytes,
    ...definedAlready({
      simple,
      promise,
      flat10,
      nested10,
      loop,
      parallel10,
      error_nothrow,
      retry,
      waiting_bytes,
    }),
    lateness,
    request3,
    map100,
    lock,
    ...growing('lock_contended', ['1k'], lock_contended),
    ...growing('grows_simple', crowds, beside(crowd, simple)),
    ...growing('grows_switch', crowds, grows_switch),
  },
};
