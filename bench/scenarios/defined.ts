/** Flows that are described once and run many times: the peers do what they do in the rows without `defined_`. */
import { type Row, type Target, goal } from '../scenario.js';

const native = 'async/await';
const effect = 'Effect';
const million = 1_000_000;

const row = (
  name: string,
  title: string,
  sizes: Row['sizes'],
  targets: readonly Target[] = [],
  per = 'flow',
): Row => ({ name: `defined_${name}`, per, title: `a step value: ${title}`, sizes, targets });

export const defined: readonly Row[] = [
  row(
    'simple',
    'two steps, one inside the other, one flow after the other',
    [100_000, million],
    goal(0.5, { [native]: 1, [effect]: 1 }),
  ),
  row('promise', 'the same, each awaited as a promise', [100_000, million]),
  row('flat10', 'ten steps side by side', [20_000, 300_000], goal(0.35, { [effect]: 1 })),
  row(
    'nested10',
    'ten steps, one inside the other',
    [20_000, 300_000],
    goal(0.35, { [effect]: 1 }),
  ),
  row('loop', 'loops of 10,000 iterations', [300_000, 5 * million], [], 'iteration'),
  row('parallel10', 'ten branches, then a step', [6_000, 50_000], [], 'parallel'),
  row(
    'error_nothrow',
    'an error without an Error object, three levels deep, recovered at the top',
    [20_000, 150_000],
    goal(0.8, { [effect]: 1 }),
    'error',
  ),
  row('retry', 'a step that would be tried again, and succeeds', [20_000, 300_000]),
  {
    ...row('waiting_bytes', 'bytes of heap for a flow that waits', [10_000, 100_000]),
    figure: 'bytes',
  },
];
