/** Actions that need no accessor. */
import type { Chance } from './chance.js';
import * as data from './data.js';
import { type Action, inside, type Make, type Makes, type Making, type Scope } from './making.js';

export const thrown: Make = ({ chance }) => [
  { ...foreign(chance), ...chance.maybe(20, 'cause', () => foreign(chance)) },
];

const foreign = (chance: Chance): object => ({
  throw: 'message',
  ...chance.maybe(40, 'code', () => chance.pick(['ECONNREFUSED', 'ENOENT'])),
});

const flow = ({ chance, flows }: Making) => chance.pick(flows);
const channel = (making: Making, make: (name: string) => Action): Action[] =>
  making.channels.length === 0 ? [] : [make(making.chance.pick(making.channels))];

/** Of every program. */
export const scopes: readonly string[] = ['S1', 'S2'];

export const anywhere: Makes = {
  log: (making) => [{ log: making.id() }],
  try: (making, scope) => [{ try: making.actions(inside(scope, scope.place), 2) }],
  done: ({ chance }) => [
    {
      done: `c${chance.int(1, 4)}`,
      ...chance.weighted<object>([
        [5, { success: data.values(chance) }],
        [4, { error: data.code(chance) }],
        [1, { error: 'E', info: 'i' }],
        [1, { valid: true }],
      ]),
    },
  ],
  with: (making, scope) => {
    if (scope.kept.length === 0) return [];
    const within = inside(scope, 'handler', { labels: [] });
    return [{ with: making.chance.pick(scope.kept), do: making.actions(within, 2) }];
  },
  execute: (making) => [{ execute: flow(making), ...making.chance.maybe(20, 'done', () => false) }],
  promise: (making) => [{ promise: flow(making) }],
  cancel: (making) => [{ cancel: flow(making), ...making.chance.maybe(40, 'reason', () => 'r') }],
  running: (making) => [{ running: flow(making) }],
  closed: (making) => [{ closed: flow(making) }],
  addTo: (making, scope) => {
    const within = inside(scope, 'body', { labels: [], kept: [], repeated: true });
    return [{ addTo: flow(making), steps: making.level(within, 2) }];
  },
  start: starting,
  closeScope: (making) => [
    { closeScope: scopeOf(making), ...making.chance.maybe(30, 'reason', () => 'r') },
  ],
  drainScope: (making) => [
    {
      drainScope: scopeOf(making),
      ms: making.chance.percent(3) ? -1 : making.chance.int(0, 12),
      ...making.chance.maybe(30, 'reason', () => 'r'),
    },
  ],
  settle: (making) => [
    {
      settle: making.promise(),
      ...making.chance.weighted<object>([
        [3, { value: data.value(making.chance) }],
        [2, {}],
        [3, { error: 'E' }],
        [1, { error: 'F', info: 'i' }],
      ]),
    },
  ],
  immediate: (making, scope) => [
    { immediate: outside(making, scope), ...making.chance.maybe(30, 'as', () => handle(making)) },
  ],
  deferred: (making, scope) => [
    {
      deferred: making.chance.percent(3) ? -1 : making.chance.int(0, 12),
      do: outside(making, scope),
      ...making.chance.maybe(30, 'as', () => handle(making)),
    },
  ],
  cancelHandle: (making) => [{ cancelHandle: handle(making) }],
  validHandle: (making) => [{ validHandle: handle(making) }],
  times: (making, scope) => [
    {
      times: making.chance.int(0, 3),
      do: making.actions(inside(scope, scope.place, { repeated: true }), 2),
    },
  ],
  now: () => [{ now: true }],
  busy: ({ chance }) => [{ busy: chance.percent(3) ? -1 : chance.int(0, 12) }],
  random: () => [{ random: true }],
  armedTimers: () => [{ armedTimers: true }],
  snapshot: (making) => [{ snapshot: making.chance.percent(60) || flow(making) }],
  runTool: ({ chance }) => (chance.percent(50) ? ['runTool'] : [{ try: ['runTool'] }]),
  makeGuard: makesGuard,
  makeChannel: makesChannel,
  trySend: (making) =>
    channel(making, (name) => ({ trySend: name, value: data.value(making.chance) })),
  tryReceive: (making) => channel(making, (name) => ({ tryReceive: name })),
  close: (making) => channel(making, (name) => ({ close: name })),
  channelClosed: (making) => channel(making, (name) => ({ channelClosed: name })),
  readChannel: (making) => channel(making, (name) => ({ readChannel: name })),
  lose: ({ chance, leased }) =>
    leased.length === 0
      ? []
      : [{ lose: chance.pick(leased), ...chance.maybe(60, 'in', () => data.delay(chance)) }],
  openGate: ({ chance, gates }) => (gates.length === 0 ? [] : [{ openGate: chance.pick(gates) }]),
  closeGate: ({ chance, gates }) => (gates.length === 0 ? [] : [{ closeGate: chance.pick(gates) }]),
  readGuard: ({ chance, ownGuards, keyeds }) => {
    if (ownGuards.length === 0) return [];
    const readGuard = chance.pick(ownGuards);
    const ofKey = keyeds.includes(readGuard) && chance.percent(50);
    return [ofKey ? { readGuard, key: data.key(chance) } : { readGuard }];
  },
  throw: thrown,
};

function outside(making: Making, scope: Scope): Action[] {
  return making.actions(inside(scope, 'outside', { labels: [] }), 2);
}

function scopeOf({ chance }: Making): string {
  return chance.pick(scopes);
}

/** What a tool owns alone ends by itself; scopes are closed in the end. */
function starting(making: Making, scope: Scope): Action[] {
  const { chance } = making;
  const start = making.fresh('f');
  if (chance.percent(10)) return [{ start, runs: { delay: chance.int(0, 9) } }];
  const runs = making.value(inside(scope, 'body', { labels: [], kept: [], repeated: true }));
  if (runs === undefined) return [];
  const more = {
    ...chance.pick([{}, {}, {}, { done: false }, { asPromise: true }]),
    ...chance.maybe(20, 'burst', () => 1),
  };
  return [{ start, scope: scopeOf(making), runs, grace: chance.int(0, 15), ...more }];
}

function handle({ chance }: Making): string {
  return `h${chance.int(1, 2)}`;
}

/** Its maker is told what is wrong with it, or locks it at once. */
function makesGuard(making: Making, { place, repeated }: Scope): Action[] {
  const { chance } = making;
  const name = making.fresh('g');
  if (repeated || place !== 'body' || chance.percent(40)) {
    return [{ makeGuard: name, ...data.badGuard(chance) }];
  }
  const guard = 'mutex' in data.guard(chance) ? { mutex: {} } : { throttle: { max: 1, period: 5 } };
  return [
    { makeGuard: name, ...guard },
    { sync: making.id(), guard: name },
  ];
}

function makesChannel(making: Making, { place, repeated }: Scope): Action[] {
  const { chance } = making;
  const name = making.fresh('q');
  const capacity = chance.pick<number | string>([0, 1, 'Infinity', -1, 0.5, 'NaN']);
  const made = { makeChannel: name, capacity };
  if (repeated || place !== 'body' || capacity === -1) return [made];
  return [made, { trySend: name, value: 1 }];
}
