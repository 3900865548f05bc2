/** Flows of C++ that are described once and run many times: the peers do what they do in the rows without `defined_`. */
import type { Row, Target } from '../scenario.js';

const million = 1_000_000;

const row = (
  name: string,
  per: string,
  title: string,
  sizes: Row['sizes'],
  targets: readonly Target[] = [],
): Row => ({ name: `defined_${name}`, per, title: `a step value: ${title}`, sizes, targets });

export const definedCpp: readonly Row[] = [
  row(
    'simple',
    'flow',
    'create a flow with it, run and destroy it, one after the other',
    [200_000, 3 * million],
    [{ demand: 'goal', scenario: 'simple', ratio: 7 / 12 }],
  ),
  row('promise', 'flow', 'the same by run(), each awaited as a future', [100_000, million]),
  row('flat10', 'flow', 'ten steps side by side', [50_000, million]),
  row('nested10', 'flow', 'ten steps, one inside the other', [20_000, 300_000]),
  row(
    'step',
    'step',
    'a flow of 100 steps',
    [million, 10 * million],
    [{ demand: 'goal', atMost: 2 }],
  ),
  row('loop', 'iteration', 'repeat() with an empty body', [2 * million, 30 * million]),
  row('parallel10', 'parallel', 'a flow that waits for ten branches', [20_000, 500_000]),
  row(
    'error_nothrow',
    'error',
    'an error without an exception, three levels deep, recovered at the top',
    [50_000, million],
  ),
  row('retry', 'flow', 'a step that would be tried again, and succeeds', [50_000, million]),
  {
    ...row(
      'waiting_bytes',
      'flow',
      'bytes for a run that waits, with its future and what wakes it',
      [30_000, 100_000],
      [{ demand: 'goal', atMost: 160 }],
    ),
    figure: 'bytes',
  },
];
