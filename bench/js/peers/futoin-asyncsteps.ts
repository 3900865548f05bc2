/** futoin-asyncsteps, as its README says. Its flows have no end callback: the last step of one starts the next. */
import { setImmediate as turn } from 'node:timers/promises';
import { beside, waitingBytes } from '../crowds.js';
import { atATime, numbers } from '../jobs.js';
import { crowds, definedAlready, growing, type Program, type Subject } from '../subject.js';
import { worstLateness } from '../worstlateness.js';
import { $as, type Body, Limiter, Mutex, type Steps, version } from './futoin-asyncsteps-api.js';
import { Crowd, grows_switch } from './futoin-asyncsteps-crowd.js';
import { alone, lock_contended } from './futoin-asyncsteps-guards.js';

const length = 10_000;
let done = 0;
let left = 0;
let fill: (flow: Steps) => void = () => {};
let resolveSequence: () => void = () => {};

function next(): void {
  if (left-- === 0) return resolveSequence();
  const flow = $as();
  fill(flow);
  flow.execute();
}

/** Runs `size` flows whose last step counts in `done` and calls `next`. */
function counting(fillFlow: (flow: Steps) => void): Program {
  return async (size) => {
    await sequence(size, fillFlow);
    return done;
  };
}

function sequence(size: number, fillFlow: (flow: Steps) => void): Promise<void> {
  done = 0;
  left = size;
  fill = fillFlow;
  return new Promise((resolve) => {
    resolveSequence = resolve;
    next();
  });
}

const last = () => {
  done++;
  next();
};
const take = (_: Steps, value = 0) => {
  if (value === 7) done++;
  next();
};
const outer = (as: Steps) => {
  as.add(last);
};

const simple = counting((flow) => flow.add(outer));

const step = () => {
  done++;
};

async function flat10(size: number): Promise<number> {
  await sequence(size, (flow) => {
    for (let i = 0; i < 9; i++) flow.add(step);
    flow.add(last);
  });
  return done / 10;
}

let nested: Body = last;
for (let i = 1; i < 10; i++) {
  const inner = nested;
  nested = (as) => {
    as.add(inner);
  };
}

function looping(make: (count: () => boolean) => Body): Program {
  return async (size) => {
    let turns = 0;
    let remaining = 0;
    const count = () => {
      turns++;
      return --remaining === 0;
    };
    const body = make(count);
    await sequence(Math.ceil(size / length), (flow) => {
      remaining = Math.min(length, size - turns);
      flow.loop(body).add(last);
    });
    return turns;
  };
}

const recover = (as: Steps, code: string) => {
  if (code === 'Refused') done++;
  as.success();
  next();
};

/** Three levels, of which the innermost fails. */
function failing(third: Body): Program {
  const second = (as: Steps) => {
    as.add(third);
  };
  const first = (as: Steps) => {
    as.add(second);
  };
  return counting((flow) => flow.add(first, recover));
}

let ended = 0;
const branch = () => {
  ended++;
};
const join = () => {
  if (ended === 10) done++;
  ended = 0;
  next();
};
const fork = (as: Steps) => {
  const all = as.parallel();
  for (let i = 0; i < 10; i++) all.add(branch);
};

/** So many workers take one job after the other. */
function map(size: number): Promise<number> {
  const items = numbers(size);
  let jobs = 0;
  return new Promise((resolve) => {
    const job: Body = (as) => {
      const { value, done: ended } = items.next();
      if (ended) as.break();
      else if (value === jobs) jobs++;
    };
    const worker: Body = (as) => {
      as.loop(job);
    };
    const flow = $as();
    const all = flow.parallel();
    for (let i = 0; i < atATime; i++) all.add(worker);
    flow.add(() => resolve(jobs));
    flow.execute();
  });
}

const settled = Promise.resolve(7);

const limited = (as: Steps) => {
  as.setTimeout(1_000);
  as.add(last);
};

/** Whether a deadline is kept: what succeeds before it doesn't show it. */
function expires(): Promise<boolean> {
  return new Promise((resolve) => {
    $as()
      .add(
        (as) => {
          as.setTimeout(1);
          as.waitExternal();
        },
        (_, code) => resolve(code === 'Timeout'),
      )
      .execute();
  });
}

const timeout: Program = async (size, watch) => {
  await sequence(size, (flow) => flow.add(limited));
  watch.stop();
  return (await expires()) ? done : -1;
};

const completed = (as: Steps) => {
  as.waitExternal();
  queueMicrotask(() => as.success(7));
};

async function cancel(size: number): Promise<number> {
  const batch = 1_000;
  let waiting = 0;
  let cancelled = 0;
  const onCancel = () => {
    cancelled++;
  };
  const body = (as: Steps) => {
    as.setCancel(onCancel);
    waiting++;
  };
  for (let left = size; left > 0; left -= batch) {
    const flows: Steps[] = [];
    waiting = 0;
    for (let i = Math.min(left, batch); i > 0; i--) flows.push($as().add(body).execute());
    while (waiting < flows.length) await turn();
    for (const flow of flows) flow.cancel();
  }
  return cancelled;
}

const crowd = (size: number) => new Crowd(size);

const lateness: Program = async (size, watch) => {
  done = 0;
  const flow = $as()
    .loop((as) => {
      as.add(step);
    })
    .execute();
  watch.ns = await worstLateness(size);
  flow.cancel();
  return done > size ? size : -1;
};

async function promise(size: number): Promise<number> {
  const inner = () => {
    done++;
  };
  const around = (as: Steps) => {
    as.add(inner);
  };
  done = 0;
  for (let i = 0; i < size; i++) await $as().add(around).promise();
  return done;
}

const loop = looping((isLast) => (as) => {
  if (isLast()) as.break();
});
const nested10 = counting((flow) => flow.add(nested));
const parallel10 = counting((flow) => flow.add(fork).add(join));
const waiting_bytes = waitingBytes(crowd);

export const subject: Subject = {
  name: 'futoin-asyncsteps',
  version,
  programs: {
    simple,
    lock: alone(new Mutex()),
    ...growing('lock_contended', ['1k'], lock_contended),
    limiter: alone(new Limiter({ concurrent: 1000, rate: 1e9 })),
    loop,
    loop_step: looping((isLast) => {
      const inner = (as: Steps) => {
        if (isLast()) as.break();
      };
      return (as) => {
        as.add(inner);
      };
    }),
    flat10,
    nested10,
    error: failing((as) => as.error('Refused')),
    error_native: failing(() => {
      throw new Error('Refused');
    }),
    parallel10,
    map,
    await: counting((flow) => flow.await(settled).add(take)),
    timeout,
    external: counting((flow) => flow.add(completed).add(take)),
    cancel,
    waiting_bytes,
    ...definedAlready({ simple, promise, flat10, nested10, loop, parallel10, waiting_bytes }),
    lateness,
    ...growing('grows_simple', crowds, beside(crowd, simple)),
    ...growing('grows_switch', crowds, grows_switch),
  },
};
