/** The tasks of the tests' worker threads. */
import { StepError } from '../../src/index.js';
import { task } from '../../src/pool.js';

export default (n: number) => n + 1;
export const nothing = () => {};

/** Counts in `counts[0]` that it has begun, waits till `counts[1]` isn't 0, and counts in `counts[2]` that it ends. */
export function hold(counts: Int32Array): void {
  Atomics.add(counts, 0, 1);
  Atomics.wait(counts, 1, 0);
  Atomics.add(counts, 2, 1);
}

const refused = () => Object.assign(new Error('no route'), { code: 'ECONNREFUSED' });

export const throwsStepError = () => {
  throw new StepError('NotFound', 'no such row', 'a cause');
};
export const sendsCode = task(() => {
  throw refused();
});
export const sendsCodeLater = task(async () => {
  await null;
  throw refused();
});
export const sendsCodeOfCause = task(async () => {
  throw new TypeError('no route', { cause: refused() });
});
export const sendsStepError = task(() => {
  throw new StepError('NotFound', 'no such row');
});
export const sendsOddCause = task(() => {
  throw new StepError('NotFound', 'no such row', { f() {} });
});
export const losesCode = () => {
  throw refused();
};
export const sendsOddCode = task(() => {
  throw Object.assign(new TypeError('odd'), { code: 'no code' });
});
export const sendsThing = task(() => {
  throw 5;
});
export const throwsObject = () => {
  throw { code: 'NotFound', message: 'no error' };
};
export const ends = () => process.exit(3);
