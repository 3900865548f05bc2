/** Values, times and limits of generated programs. Small ones, so that things meet. */
import type { Chance } from './chance.js';

const someValues = [1, 2, 'x', true, null, [1, 2], { a: 1 }];

export const codes = ['E', 'F', 'Timeout', 'InternalError'];
export const labels = ['l', 'm'];

export function value(chance: Chance): unknown {
  return chance.pick(someValues);
}

/** Up to four are allowed. */
export function values(chance: Chance): unknown[] {
  const count = chance.weighted([
    [4, 0],
    [8, 1],
    [3, 2],
    [1, 4],
    [1, 5],
  ]);
  return chance.list(count, () => value(chance));
}

export function code(chance: Chance): string {
  return chance.weighted([
    [8, 'E'],
    [4, 'F'],
    [1, 'Timeout'],
    [1, 'InternalError'],
    [1, ''],
  ]);
}

/** A delay in milliseconds; now and then one that is never over, or, where somebody is told, none at all. */
export function delay(chance: Chance, told = true): number | string {
  const bad = chance.percent(4) ? chance.pick(['Infinity', 'NaN', -1]) : 0;
  return bad === 0 || (bad !== 'Infinity' && !told) ? chance.int(0, 12) : bad;
}

/** Of a retry: codes, or what a function answers. */
export function on(chance: Chance): string[] | { [code: string]: unknown } {
  if (chance.percent(50)) return [chance.pick(codes), chance.pick(codes)];
  const answer = (): unknown =>
    chance.weighted<unknown>([
      [6, chance.int(0, 8)],
      [3, true],
      [1, false],
      [1, chance.pick([1.5, -1, 'NaN', 'Infinity'])],
    ]);
  return {
    E: answer(),
    ...chance.maybe(50, 'Timeout', answer),
    ...chance.maybe(30, 'InternalError', answer),
    ...chance.maybe(30, 'DefenseRejected', () => 'retry_after'),
  };
}

export function label(chance: Chance): string {
  return chance.weighted([
    [2, 'l'],
    [2, 'm'],
    [1, ''],
  ]);
}

export function collection(chance: Chance): unknown {
  return chance.weighted<() => unknown>([
    [
      8,
      () =>
        chance.list(
          chance.weighted([
            [1, 0],
            [9, chance.int(1, 4)],
          ]),
          () => value(chance),
        ),
    ],
    [2, () => ({ a: 1, b: 2 })],
    [2, () => ({ map: chance.list(chance.int(0, 3), (i) => [`k${i}`, value(chance)]) })],
    [2, () => 'xyz'.slice(0, chance.int(0, 3))],
    [1, () => 5],
  ])();
}

function limit(chance: Chance, least: number, most: number): number | string {
  return chance.percent(4) ? 'Infinity' : chance.int(least, most);
}

export function guard(chance: Chance): { [kind: string]: object } {
  return chance.weighted<() => { [kind: string]: object }>([
    [5, () => ({ mutex: mutex(chance) })],
    [4, () => ({ throttle: throttle(chance) })],
    [4, () => ({ limiter: limiter(chance) })],
    [5, () => ({ rwlock: rwlock(chance) })],
    [2, () => ({ gate: gate(chance) })],
    [4, () => ({ breaker: breaker(chance) })],
    [4, () => ({ keyed: keyed(chance) })],
  ])();
}

/** What each key of a Keyed gets. */
function keyed(chance: Chance): { [kind: string]: object } {
  return chance.weighted<() => { [kind: string]: object }>([
    [3, () => ({ mutex: mutex(chance) })],
    [4, () => ({ throttle: throttle(chance) })],
    [4, () => ({ limiter: limiter(chance) })],
    [3, () => ({ breaker: breaker(chance) })],
    [1, () => ({ mutex: { max: 0 } })],
  ])();
}

/** Few, so that lines meet. */
export function key(chance: Chance): string {
  return chance.pick(['a', 'a', 'b', 'c']);
}

/** What becomes of places while what was abandoned goes on. */
function abandoned(chance: Chance): object {
  return chance.maybe(15, 'abandoned', () => 'release');
}

function rwlock(chance: Chance): object {
  return {
    ...chance.maybe(30, 'maxQueue', () => limit(chance, 0, 2)),
    ...abandoned(chance),
  };
}

function gate(chance: Chance): object {
  return {
    ...chance.maybe(50, 'open', () => false),
    ...chance.maybe(20, 'maxQueue', () => limit(chance, 0, 2)),
  };
}

/** One that opens soon, and not for long. */
function breaker(chance: Chance): object {
  const answer = (): unknown =>
    chance.weighted<unknown>([
      [4, true],
      [2, false],
      [1, 'throw'],
    ]);
  return {
    minCalls: chance.int(1, 2),
    openFor: chance.int(1, 12),
    ...chance.maybe(50, 'rate', () => chance.pick([0.3, 0.7, 1])),
    ...chance.maybe(30, 'probes', () => chance.int(1, 3)),
    ...chance.maybe(25, 'maxQueue', () => limit(chance, 0, 2)),
    ...chance.weighted<() => object>([
      [4, () => ({})],
      [2, () => ({ calls: chance.int(2, 4) })],
      [3, () => ({ period: chance.int(1, 25) })],
    ])(),
    ...chance.maybe(40, 'on', () => ({
      E: answer(),
      ...chance.maybe(50, 'Timeout', answer),
      ...chance.maybe(50, 'DefenseRejected', answer),
      ...chance.maybe(30, 'InternalError', answer),
    })),
  };
}

function mutex(chance: Chance): object {
  return {
    ...abandoned(chance),
    ...chance.maybe(40, 'max', () => chance.int(1, 2)),
    ...chance.maybe(30, 'maxQueue', () => limit(chance, 0, 2)),
  };
}

function throttle(chance: Chance): object {
  return {
    max: chance.int(1, 3),
    period: chance.int(1, 10),
    ...chance.maybe(80, 'maxQueue', () => limit(chance, 0, 3)),
    ...chance.weighted<() => object>([
      [4, () => ({})],
      [2, () => ({ algorithm: chance.pick(['fixed', 'sliding', 'bucket']) })],
      [2, () => ({ burst: chance.int(1, 4) })],
    ])(),
  };
}

function limiter(chance: Chance): object {
  const limits: { concurrent?: unknown; rate?: number; maxQueue?: unknown; period?: number } = {
    ...abandoned(chance),
    ...chance.maybe(80, 'concurrent', () => limit(chance, 1, 2)),
    ...chance.maybe(80, 'maxQueue', () => limit(chance, 0, 3)),
    period: chance.int(1, 10),
    ...chance.weighted<() => object>([
      [2, () => ({})],
      [5, () => ({ rate: chance.int(1, 3) })],
      [2, () => ({ rate: chance.int(1, 3), burst: chance.int(1, 3) })],
    ])(),
  };
  // A queue goes with a limit.
  if (limits.rate === undefined && typeof limits.concurrent !== 'number') delete limits.maxQueue;
  if (limits.rate === undefined) delete limits.period; // A period goes with a rate.
  return limits;
}

/** Of makeGuard and makeChannel, whose caller is told what is wrong with it. */
export function badGuard(chance: Chance): { [kind: string]: object } {
  const bad = chance.pick([0, -1, 1.5, 'NaN']);
  return chance.pick([
    { mutex: { max: bad } },
    { throttle: { max: bad } },
    { throttle: { max: 1, period: bad } },
    { throttle: { max: 1, algorithm: 'fixed', burst: 1 } },
    { limiter: { rate: bad } },
    { rwlock: { maxQueue: chance.pick([-1, 0.5, 'NaN']) } },
    { barrier: { parties: bad } },
    { breaker: { rate: chance.pick([0, -1, 1.5, 'NaN']) } },
    { breaker: { minCalls: 3, calls: 2 } },
    { breaker: { calls: 1, period: 1 } },
    { breaker: { openFor: bad } },
    { breaker: { maxQueue: chance.pick([-1, 0.5, 'NaN']) } },
  ]);
}
