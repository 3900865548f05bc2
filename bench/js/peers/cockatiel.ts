/** cockatiel: its policies, made once: timeout, and bulkhead as a lock. */
import { createRequire } from 'node:module';
import { bulkhead, TaskCancelledError, TimeoutStrategy, timeout } from 'cockatiel';
import { growing, type Subject } from '../subject.js';
import { alone, contended } from './guards.js';

let done = 0;

async function leaf(): Promise<void> {
  done++;
}

/** Whether a deadline is kept: what succeeds before it doesn't show it. */
function expires(): Promise<boolean> {
  const never = timeout(1, TimeoutStrategy.Aggressive).execute(() => new Promise<void>(() => {}));
  return never.then(
    () => false,
    (error) => error instanceof TaskCancelledError,
  );
}

const one = bulkhead(1, Infinity);
const run = (work: () => Promise<void>) => one.execute(work);

export const subject: Subject = {
  name: 'cockatiel',
  version: createRequire(import.meta.url)('cockatiel/package.json').version,
  programs: {
    timeout: async (size, watch) => {
      const policy = timeout(1_000, TimeoutStrategy.Aggressive);
      done = 0;
      for (let i = 0; i < size; i++) await policy.execute(leaf);
      watch.stop();
      return (await expires()) ? done : -1;
    },
    lock: alone(run),
    ...growing('lock_contended', ['1k'], contended(run)),
  },
};
