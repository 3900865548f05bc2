/** Step values: described once, run many times, as the flows of other subjects are that are functions or values by themselves. */
import {
  type AsyncSteps,
  type IAsyncSteps,
  loop,
  parallel,
  retry,
  run,
  type Step,
  steps,
} from 'steptree';
import { Crowd } from './crowd.js';
import { waitingBytes } from './crowds.js';
import { sequence } from './sequence.js';
import type { Program } from './subject.js';

const length = 10_000;
let done = 0;
const leaf = () => {
  done++;
};

/** A program of flows that count in `done`. */
function counting(value: Step): Program {
  const fill = (flow: AsyncSteps) => flow.add(value);
  return async (size) => {
    done = 0;
    await sequence(size, fill);
    return done;
  };
}

const outer = steps(leaf);

/** The same by promises, one awaited after the other. */
async function defined_promise(size: number): Promise<number> {
  done = 0;
  for (let i = 0; i < size; i++) await run(outer);
  return done;
}

const flat = counting(steps(leaf, leaf, leaf, leaf, leaf, leaf, leaf, leaf, leaf, leaf));

let nested: Step = outer;
for (let i = 2; i < 10; i++) nested = steps(nested);

let left = 0;
const endless = loop((asi) => {
  done++;
  if (--left === 0) asi.breakNoThrow();
});

async function defined_loop(size: number): Promise<number> {
  done = 0;
  await sequence(Math.ceil(size / length), (flow) => {
    left = Math.min(length, size - done);
    flow.add(endless);
  });
  return done;
}

let ended = 0;
const branch = () => {
  ended++;
};
const join = () => {
  if (ended === 10) done++;
  ended = 0;
};
const branches = Array.from({ length: 10 }, () => branch);

const fail = (asi: IAsyncSteps) => asi.errorNoThrow('Refused');
const refused = steps(steps(fail)).onError((asi, code) => {
  if (code === 'Refused') done++;
  asi.success();
});

const succeeding = counting(retry({ max: 3 }, leaf));
/** Whether it is tried again: what succeeds at once doesn't show it. */
const failingOnce = retry({ max: 3, backoff: { base: 0 } }, (asi, attempt: number) =>
  attempt === 1 ? asi.error('Refused') : true,
);

const defined_retry: Program = async (size, watch) => {
  const right = await succeeding(size, watch);
  watch.stop();
  return (await run(failingOnce)) === true ? right : -1;
};

export const defined: Readonly<Record<string, Program>> = {
  defined_simple: counting(outer),
  defined_promise,
  defined_flat10: async (size, watch) => (await flat(size, watch)) / 10,
  defined_nested10: counting(nested),
  defined_loop,
  defined_parallel10: counting(steps(parallel(...branches), join)),
  defined_error_nothrow: counting(refused),
  defined_retry,
  defined_waiting_bytes: waitingBytes((size) => new Crowd(size, null, true)),
};
