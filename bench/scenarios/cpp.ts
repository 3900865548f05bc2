/** The scenarios of C++ but those that grow. */
import { type Row, goal, must } from '../scenario.js';

const fiber = 'Boost.Fiber pooled';
const asio = 'Asio awaitable';
const asioTimer = 'Asio awaitable, one timer';
const malloc = 'C++20 coroutine inline, malloc';
const pool = 'C++20 coroutine inline, pool';
const million = 1_000_000;

export const cpp: readonly Row[] = [
  {
    name: 'simple',
    per: 'flow',
    title: 'create a flow with one step, run and destroy it, one after the other',
    sizes: [200_000, 3 * million],
    targets: [
      ...must({ [fiber]: 1 / 10 }),
      ...goal(14, { [fiber]: 202, [asio]: 233, [malloc]: 10.9, [pool]: 2.7 }),
    ],
  },
  {
    name: 'parallel',
    per: 'flow',
    title: '30,000 flows at a time wait for an event from outside and are completed',
    sizes: [60_000, million],
    targets: [
      ...must({ [fiber]: 1 / 20 }),
      ...goal(60, { [fiber]: 1800, [asio]: 329, [malloc]: 18, [pool]: 10 }),
    ],
  },
  {
    name: 'parallel_loops',
    per: 'switch',
    title: '30,000 flows in endless loops, each iteration waits and is completed from outside',
    sizes: [150_000, 5 * million],
    targets: [
      ...must({ [fiber]: 1 / 8, [asio]: 1 }),
      ...goal(36, { [fiber]: 362, [asio]: 62, [malloc]: 6.5, [pool]: 6.5 }),
    ],
  },
  {
    name: 'step',
    per: 'step',
    title: 'a flow of 100 steps',
    sizes: [million, 10 * million],
    targets: goal(7, { [asio]: 14, [malloc]: 9.8, [pool]: 3.9 }),
  },
  {
    name: 'step_c',
    per: 'step',
    title: 'the same with bodies of C, through the C interface',
    sizes: [million, 10 * million],
    targets: [{ demand: 'must', scenario: 'step', ratio: 1.3 }],
  },
  {
    name: 'observed',
    per: 'step',
    title: '`step`, while an observer is told of it, which counts the events',
    sizes: [million, 10 * million],
  },
  {
    name: 'recorded',
    per: 'step',
    title: '`step`, while a recorder keeps its last events',
    sizes: [million, 10 * million],
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
    targets: goal(9, { [asio]: 11, [malloc]: 9.9, [pool]: 3.7 }),
  },
  {
    name: 'error_thrown',
    per: 'error',
    title: 'an error thrown three levels deep, recovered at the top',
    sizes: [10_000, 200_000],
    targets: goal(1250, { [fiber]: 1294, [asio]: 4933, [malloc]: 3600, [pool]: 3600 }),
  },
  {
    name: 'error_nothrow',
    per: 'error',
    title: 'the same way without an exception',
    sizes: [100_000, 2 * million],
    targets: goal(45, { [malloc]: 41, [pool]: 23 }),
  },
  {
    name: 'parallel10',
    per: 'parallel',
    title: 'a flow that waits for ten branches',
    sizes: [20_000, 500_000],
    targets: goal(180, { [fiber]: 1917, [asio]: 2586, [malloc]: 122, [pool]: 49 }),
  },
  {
    name: 'map',
    per: 'item',
    title: 'items that are ready at once, 256 at a time',
    sizes: [100_000, 5 * million],
  },
  {
    name: 'timer_cancel',
    per: 'timer',
    title: 'a step sets its deadline and succeeds, beside 1,000 other timers',
    sizes: [300_000, 5 * million],
    targets: goal(8, { [fiber]: 245, [asio]: 66, libuv: 51 }),
  },
  {
    name: 'deferred_cancel',
    per: 'timer',
    title: 'the bare timer, beside 1,000 others: a call is deferred and cancelled',
    sizes: [300_000, 5 * million],
    targets: goal(8, { [asio]: 66, libuv: 51 }),
  },
  {
    name: 'timer_fired',
    per: 'timer',
    title: 'a million timers fire',
    sizes: [50_000, million],
    targets: goal(60, { [fiber]: 7226, [asio]: 690, libuv: 1833 }),
  },
  {
    name: 'waiting_bytes',
    per: 'flow',
    title: 'bytes for a flow that waits in one step, with what wakes it',
    sizes: [30_000, 100_000],
    figure: 'bytes',
    targets: [
      { demand: 'goal', atMost: 320 },
      ...goal(320, { [fiber]: 13_700, [asio]: 635, [malloc]: 107, [pool]: 139 }),
    ],
  },
  {
    name: 'completion_thread',
    per: 'completion',
    title: 'a step is completed from another thread',
    sizes: [30_000, 500_000],
    threads: true,
    floors: ['libuv'],
    targets: goal(150, { [fiber]: 319, 'Asio awaitable, threads': 388, libuv: 46 }),
  },
  {
    name: 'lock',
    per: 'section',
    title: 'a loop of guarded sections whose lock nobody else wants',
    sizes: [300_000, 10 * million],
    targets: goal(20, { [fiber]: 22, [asio]: 105 }),
  },
  {
    name: 'lock_contended',
    per: 'section',
    title: '1,000 flows in endless loops wait for one lock, and get it in turn',
    sizes: [300_000, 5 * million],
    targets: goal(40, { [fiber]: 190, [asio]: 185 }),
  },
  {
    name: 'tcp_echo',
    per: 'echo',
    title:
      'a TCP server echoes 64 bytes to each of 100 clients, with an idle timeout for each read',
    sizes: [20_000, 200_000],
    targets: goal(1, { [asio]: 1, [asioTimer]: 1 }),
  },
  {
    name: 'limiter',
    per: 'section',
    title: 'a loop of sections of a limiter whose limits are never hit',
    sizes: [300_000, 5 * million],
  },
];
