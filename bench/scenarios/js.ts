/** The scenarios of JavaScript but those that grow. */
import { type Row, goal, must } from '../scenario.js';

const native = 'async/await';
const futoin = 'futoin-asyncsteps';
const million = 1_000_000;

export const js: readonly Row[] = [
  {
    name: 'simple',
    per: 'flow',
    title: 'a flow of two steps, one inside the other, one flow after the other',
    sizes: [100_000, million],
    targets: [
      ...must({ [native]: 1.1 }),
      ...goal(62, { [native]: 62, [futoin]: 139, Effect: 227 }),
    ],
  },
  {
    name: 'loop',
    per: 'iteration',
    title: 'loops of 10,000 iterations',
    sizes: [300_000, 5 * million],
    targets: [...must({ [native]: 0.4 }), ...goal(14, { [native]: 37, [futoin]: 76, Effect: 49 })],
  },
  {
    name: 'loop_step',
    per: 'iteration',
    title: 'the same loops, with one inner step',
    sizes: [200_000, 3 * million],
    targets: goal(40, { [native]: 40, [futoin]: 159 }),
  },
  {
    name: 'flat10',
    per: 'flow',
    title: 'a flow of ten steps side by side',
    sizes: [20_000, 300_000],
    targets: goal(280, { [native]: 430, [futoin]: 528, Effect: 1874 }),
  },
  {
    name: 'nested10',
    per: 'flow',
    title: 'a flow of ten steps, one inside the other',
    sizes: [20_000, 300_000],
    targets: goal(310, { [native]: 610, [futoin]: 572, Effect: 316 }),
  },
  {
    name: 'error',
    per: 'error',
    title:
      'an error raised three levels deep, recovered at the top; each subject has its usual one',
    sizes: [4_000, 50_000],
    targets: goal(2200, { [native]: 4466, [futoin]: 5429 }),
  },
  {
    name: 'error_native',
    per: 'error',
    title: 'the same way for a `new Error` with its stack, in all subjects',
    sizes: [4_000, 50_000],
  },
  {
    name: 'error_nothrow',
    per: 'error',
    title: 'the same way for an error that is no Error object',
    sizes: [20_000, 150_000],
    targets: goal(250, { Effect: 282 }),
  },
  {
    name: 'parallel10',
    per: 'parallel',
    title: 'a flow that waits for ten branches',
    sizes: [6_000, 50_000],
    targets: goal(640, { [native]: 637, [futoin]: 2730, Effect: 1600 }),
  },
  {
    name: 'map',
    per: 'item',
    title: 'jobs that are done at once, 256 at a time',
    sizes: [10_000, 512_000],
    targets: goal(150, {
      [native]: 55,
      [futoin]: 231,
      Effect: 530,
      'p-limit': 3000,
      'p-queue': 3600,
    }),
  },
  {
    name: 'await',
    per: 'flow',
    title: 'a flow that awaits a resolved promise',
    sizes: [50_000, 600_000],
    targets: goal(110, { [native]: 76, [futoin]: 170, Effect: 286 }),
  },
  {
    name: 'als',
    per: 'flow',
    title:
      'a flow of two steps in an AsyncLocalStorage context of its own, which the inner one sees',
    sizes: [10_000, 100_000],
  },
  {
    name: 'timeout',
    per: 'flow',
    title: 'a step with a deadline whose work succeeds at once',
    sizes: [5_000, 50_000],
    targets: goal(150, { [native]: 3660, [futoin]: 510, Effect: 887, cockatiel: 9205 }),
  },
  {
    name: 'external',
    per: 'flow',
    title: 'a step that is completed from outside, by a microtask',
    sizes: [30_000, 250_000],
    targets: goal(110, { [native]: 120, [futoin]: 1050, Effect: 407 }),
  },
  {
    name: 'cancel',
    per: 'flow',
    title: 'flows wait, 1,000 at a time, and are cancelled',
    sizes: [10_000, 50_000],
    targets: goal(68, { [native]: 6089, [futoin]: 68, Effect: 262 }),
  },
  {
    name: 'waiting_bytes',
    per: 'flow',
    title: 'bytes of heap for a flow that waits in one step, with what wakes it',
    sizes: [10_000, 100_000],
    figure: 'bytes',
    targets: [
      { demand: 'goal', atMost: 320 },
      ...goal(320, { [native]: 648, [futoin]: 810, Effect: 384 }),
    ],
  },
  {
    name: 'lateness',
    per: 'timer, at worst',
    title: 'how late a timer of 1 ms fires at worst beside an endless loop of steps',
    sizes: [30, 150],
    worst: true,
    targets: [{ demand: 'goal', atMost: 5 * million }],
  },
  {
    name: 'lock',
    per: 'section',
    title: 'a loop of guarded sections whose lock nobody else wants',
    sizes: [20_000, 500_000],
    targets: goal(95, {
      [futoin]: 394,
      Effect: 213,
      'async-mutex': 1617,
      'p-limit': 398,
      cockatiel: 83,
    }),
  },
  {
    name: 'lock_contended_1k',
    per: 'waiter',
    title: '1,000 flows come while the lock is taken, then each gets it in turn',
    sizes: [4_000, 50_000],
    targets: goal(400, {
      [futoin]: 2234,
      Effect: 8383,
      'async-mutex': 2072,
      'p-limit': 447,
      cockatiel: 340,
    }),
  },
  {
    name: 'lock_contended_100k',
    per: 'waiter',
    title: '100,000 of them',
    sizes: [null, 200_000],
    targets: [{ demand: 'goal', scenario: 'lock_contended_1k', ratio: 1.5 }],
  },
  {
    name: 'limiter',
    per: 'section',
    title: 'a loop of sections of a limiter whose limits are never hit',
    sizes: [20_000, 200_000],
    targets: goal(200, { [futoin]: 478, 'p-queue': 1742, 'rate-limiter-flexible': 132 }),
  },
];
