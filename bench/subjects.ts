/** What is compared with what, and how a program of it is started. */
import { fileURLToPath } from 'node:url';
import { pathOf } from '../tools/nodes.js';
import type { Language } from './scenario.js';

export interface Subject {
  readonly lang: Language;
  readonly name: string;
  readonly command: string;
  readonly args: readonly string[];
  /** The subject of the same language whose figures stand above its own in the ratios. */
  readonly baseline: string;
  /** What comes after the size. */
  readonly flags: readonly string[];
  /** Its sizes are divided by this: it takes very long. */
  readonly slowness: number;
  /** Has so much less to do that it is a floor, not a peer: its rows are shown and marked, a loss to it is counted apart. */
  readonly floor: boolean;
  /** The same as another one, in other surroundings: left to the full run, and to scenarios of a fixed shape. */
  readonly loaded: boolean;
}

const root = fileURLToPath(new URL('..', import.meta.url));
const main = `${root}build/bench-js/main.js`;
export const own = 'steptree';
/** The line of Node that is beside the newest. */
export const oldest = '20';
const nitroSteps = 'steptree NitroSteps';

function cpp(stem: string, name: string, slowness = 1): Subject {
  const command = `${root}build/bench/bench/cpp/bench-${stem}`;
  const common = { args: [], baseline: own, flags: [], loaded: false, floor: false };
  return { lang: 'cpp', name, command, slowness, ...common };
}

const floor = (subject: Subject): Subject => ({ ...subject, floor: true });

/** Node's own settings are what users have: nobody gets others. It is the newest. */
function js(stem: string, name = stem): Subject {
  const args = ['--expose-gc', main, stem];
  const common = { slowness: 1, baseline: own, flags: [], loaded: false, floor: false };
  return { lang: 'js', name, command: pathOf(), args, ...common };
}

/** On the oldest Node that steptree supports, beside steptree there. */
function older(stem: string, name = stem): Subject {
  const suffix = ` (Node ${oldest})`;
  const place = { baseline: own + suffix, command: pathOf(oldest), loaded: true };
  return { ...js(stem, name + suffix), ...place };
}

/** In one process with all peers' libraries; it is compared with steptree in the same position. */
function loaded(stem: string, name = stem): Subject {
  const suffix = ' (all loaded)';
  const place = { baseline: own + suffix, flags: ['--loaded'], loaded: true };
  return { ...js(stem, name + suffix), ...place };
}

export const subjects: readonly Subject[] = [
  cpp('steptree', own),
  cpp('nitro', nitroSteps),
  cpp('fiber', 'Boost.Fiber pooled'),
  cpp('fiber-protected', 'Boost.Fiber protected', 20),
  cpp('fiber-unlocked', 'Boost.Fiber pooled, no lock'),
  floor(cpp('context', 'Boost.Context')),
  cpp('asio', 'Asio awaitable'),
  floor(cpp('asio-inline', 'Asio awaitable, inline')),
  cpp('asio-timer', 'Asio awaitable, one timer'),
  cpp('asio-watchdog', 'Asio awaitable, watchdog'),
  cpp('asio-threads', 'Asio awaitable, threads'),
  cpp('tbb', 'TBB'),
  cpp('libuv', 'libuv'),
  floor(cpp('coroutine', 'C++20 coroutine inline, malloc')),
  floor(cpp('coroutine-pool', 'C++20 coroutine inline, pool')),
  js('steptree'),
  js('async-await', 'async/await'),
  js('futoin-asyncsteps'),
  js('effect', 'Effect'),
  js('cockatiel'),
  js('async-mutex'),
  js('p-limit'),
  js('p-queue'),
  js('rate-limiter-flexible'),
  js('idiomatic', 'p-limit, p-retry, AbortSignal'),
  loaded('steptree'),
  loaded('async-await', 'async/await'),
  loaded('futoin-asyncsteps'),
  older('steptree'),
  older('async-await', 'async/await'),
  older('effect', 'Effect'),
];
