/** All scenarios of both languages, and what steptree has to reach in them. */

import type { Language, Scenario, Target } from './scenario.js';

type Row = Omit<Scenario, 'lang' | 'targets'> & {
  /** The targets by subject, and others. */
  readonly peers?: Readonly<Record<string, number>>;
  readonly others?: readonly Target[];
};

const million = 1_000_000;

const cpp: readonly Row[] = [
  {
    name: 'simple',
    per: 'flow',
    title: 'create a flow with one step, run and destroy it, one after the other',
    sizes: [200_000, 3 * million],
    peers: { 'Boost.Fiber pooled': 1 / 10, 'Asio awaitable': 14 / 233 },
  },
  {
    name: 'parallel',
    per: 'flow',
    title: '30,000 flows at a time wait for an event from outside and are completed',
    sizes: [60_000, million],
    peers: { 'Boost.Fiber pooled': 1 / 20, 'Asio awaitable': 60 / 329 },
  },
  {
    name: 'parallel_loops',
    per: 'switch',
    title: '30,000 flows in endless loops, each iteration waits and is completed from outside',
    sizes: [150_000, 5 * million],
    peers: { 'Boost.Fiber pooled': 1 / 8, 'Asio awaitable': 1 },
  },
  {
    name: 'step',
    per: 'step',
    title: 'a flow of 100 steps',
    sizes: [million, 10 * million],
    peers: { 'Asio awaitable': 7 / 14, 'C++20 coroutine inline, malloc': 7 / 9.8 },
  },
  {
    name: 'repeat',
    per: 'iteration',
    title: 'repeat() with an empty body',
    sizes: [2 * million, 30 * million],
  },
  {
    name: 'repeat_step',
    per: 'iteration',
    title: 'repeat() with one inner step',
    sizes: [million, 10 * million],
    peers: { 'Asio awaitable': 9 / 11, 'C++20 coroutine inline, malloc': 9 / 9.9 },
  },
  {
    name: 'error_thrown',
    per: 'error',
    title: 'an error thrown three levels deep, recovered at the top',
    sizes: [10_000, 200_000],
    peers: {
      'Boost.Fiber pooled': 1250 / 1294,
      'Asio awaitable': 1250 / 4933,
      'C++20 coroutine inline, malloc': 1250 / 3600,
    },
  },
  {
    name: 'error_nothrow',
    per: 'error',
    title: 'the same way without an exception',
    sizes: [100_000, 2 * million],
    peers: { 'C++20 coroutine inline, malloc': 45 / 41, 'C++20 coroutine inline, pool': 45 / 23 },
  },
  {
    name: 'parallel10',
    per: 'parallel',
    title: 'a flow that waits for ten branches',
    sizes: [20_000, 500_000],
    peers: { 'Boost.Fiber pooled': 180 / 1917, 'Asio awaitable': 180 / 2586 },
  },
  {
    name: 'timer_cancel',
    per: 'timer',
    title: 'a step sets its deadline and succeeds',
    sizes: [300_000, 5 * million],
    peers: { 'Boost.Fiber pooled': 8 / 245, 'Asio awaitable': 8 / 66, libuv: 8 / 51 },
  },
  {
    name: 'deferred_cancel',
    per: 'timer',
    title: 'the bare timer: a call is deferred and cancelled',
    sizes: [300_000, 5 * million],
    peers: { 'Asio awaitable': 8 / 66, libuv: 8 / 51 },
  },
  {
    name: 'timer_fired',
    per: 'timer',
    title: 'a million timers fire',
    sizes: [150_000, million],
    peers: { 'Boost.Fiber pooled': 60 / 7226, 'Asio awaitable': 60 / 690, libuv: 60 / 1833 },
  },
  {
    name: 'waiting_bytes',
    per: 'flow',
    title: 'bytes for a flow that waits in one step',
    sizes: [30_000, 100_000],
    figure: 'bytes',
    peers: { 'Boost.Fiber pooled': 320 / 13_700, 'Asio awaitable': 320 / 635 },
  },
  {
    name: 'completion_thread',
    per: 'completion',
    title: 'a step is completed from another thread',
    sizes: [30_000, 500_000],
    threads: true,
  },
];

const js: readonly Row[] = [
  {
    name: 'simple',
    per: 'flow',
    title: 'a flow of two steps, one inside the other, one flow after the other',
    sizes: [100_000, million],
    peers: { 'async/await': 1.1, 'futoin-asyncsteps': 62 / 139 },
  },
  {
    name: 'loop',
    per: 'iteration',
    title: 'loops of 10,000 iterations',
    sizes: [300_000, 5 * million],
    peers: { 'async/await': 0.4, 'futoin-asyncsteps': 14 / 76 },
  },
  {
    name: 'loop_step',
    per: 'iteration',
    title: 'the same loops, with one inner step',
    sizes: [200_000, 3 * million],
    peers: { 'async/await': 1, 'futoin-asyncsteps': 40 / 159 },
  },
  {
    name: 'flat10',
    per: 'flow',
    title: 'a flow of ten steps side by side',
    sizes: [20_000, 300_000],
    peers: { 'async/await': 280 / 430, 'futoin-asyncsteps': 280 / 528 },
  },
  {
    name: 'nested10',
    per: 'flow',
    title: 'a flow of ten steps, one inside the other',
    sizes: [20_000, 300_000],
    peers: { 'async/await': 310 / 610, 'futoin-asyncsteps': 310 / 572, Effect: 310 / 316 },
  },
  {
    name: 'error',
    per: 'error',
    title: 'an error thrown three levels deep, recovered at the top',
    sizes: [4_000, 50_000],
    peers: { 'async/await': 2200 / 4466, 'futoin-asyncsteps': 2200 / 5429 },
  },
  {
    name: 'error_nothrow',
    per: 'error',
    title: 'the same way for an error that is no Error object',
    sizes: [20_000, 150_000],
    peers: { Effect: 250 / 282 },
  },
  {
    name: 'parallel10',
    per: 'parallel',
    title: 'a flow that waits for ten branches',
    sizes: [6_000, 50_000],
    peers: { 'async/await': 640 / 637, 'futoin-asyncsteps': 640 / 2730, Effect: 640 / 1600 },
  },
  {
    name: 'await',
    per: 'flow',
    title: 'a flow that awaits a resolved promise',
    sizes: [50_000, 600_000],
    peers: { 'async/await': 110 / 76, 'futoin-asyncsteps': 110 / 170, Effect: 110 / 286 },
  },
  {
    name: 'timeout',
    per: 'flow',
    title: 'a step with a deadline whose work succeeds at once',
    sizes: [5_000, 50_000],
    peers: { 'futoin-asyncsteps': 150 / 510, Effect: 150 / 887, cockatiel: 150 / 9205 },
  },
  {
    name: 'external',
    per: 'flow',
    title: 'a step that is completed from outside, by a microtask',
    sizes: [30_000, 250_000],
    peers: { 'async/await': 110 / 120, 'futoin-asyncsteps': 110 / 1050, Effect: 110 / 407 },
  },
  {
    name: 'cancel',
    per: 'flow',
    title: 'flows wait, 1,000 at a time, and are cancelled',
    sizes: [10_000, 50_000],
    peers: { 'async/await': 68 / 6089, 'futoin-asyncsteps': 1, Effect: 68 / 262 },
  },
  {
    name: 'waiting_bytes',
    per: 'flow',
    title: 'bytes of heap for a flow that waits in one step',
    sizes: [10_000, 100_000],
    figure: 'bytes',
    peers: { 'async/await': 320 / 648, 'futoin-asyncsteps': 320 / 810, Effect: 320 / 384 },
  },
  {
    name: 'lateness',
    per: 'worst timer',
    title: 'how late a timer of 1 ms fires at worst beside an endless loop of steps',
    sizes: [30, 150],
    others: [{ ns: 5 * million }],
  },
];

const crowds = ['1k', '30k', '300k', '1M'] as const;
const levels = ['1', '10', '100', '1k', '10k'] as const;
const inQuick: readonly string[] = ['1', '100', '1k'];

/** What costs how much more when there is more of it; both languages. */
function growing(
  stem: string,
  counts: readonly string[],
  per: string,
  title: (count: string) => string,
  [quick, full]: readonly [quick: number, full: number],
  growth: number | null,
): Row[] {
  return counts.map((count) => ({
    name: `${stem}_${count}`,
    per,
    title: title(count),
    sizes: [inQuick.includes(count) ? quick : null, full],
    ...(growth !== null &&
      count === '1M' && { others: [{ scenario: `${stem}_1k`, ratio: growth }] }),
  }));
}

function growth(scale: number): Row[] {
  const quick = 100_000 * scale;
  const full = 5 * quick;
  return [
    ...growing(
      'grows_simple',
      crowds,
      'flow',
      (n) => `simple, while ${n} flows wait`,
      [quick, full],
      3,
    ),
    ...growing(
      'grows_switch',
      crowds,
      'switch',
      (n) => `loop switch of ${n} flows`,
      [quick, full],
      3,
    ),
    ...growing(
      'grows_nesting',
      levels,
      'level',
      (n) => `${n} levels of steps`,
      [quick, full],
      null,
    ),
    ...growing(
      'grows_timers',
      crowds,
      'flow',
      (n) => `a deadline more than ${n} others`,
      [quick / 2, full / 4],
      null,
    ),
  ];
}

const complete =
  (lang: Language) =>
  ({ peers = {}, others = [], ...row }: Row): Scenario => ({
    ...row,
    lang,
    targets: [...Object.entries(peers).map(([subject, ratio]) => ({ subject, ratio })), ...others],
  });

export const scenarios: readonly Scenario[] = [
  ...[...cpp, ...growth(3)].map(complete('cpp')),
  ...[...js, ...growth(1)].map(complete('js')),
];
