/** Actions on an accessor. */
import { thrown } from './anywhere.js';
import * as data from './data.js';
import { type Action, inside, type Make, type Makes, type Making, type Scope } from './making.js';

export const going: Makes = {
  errorNoThrow: ({ chance }) => [
    { errorNoThrow: data.code(chance), ...chance.maybe(20, 'info', () => 'i') },
  ],
  breakNoThrow: (making, scope) => control(making, scope, 'breakNoThrow'),
  continueNoThrow: (making, scope) => control(making, scope, 'continueNoThrow'),
  waitExternal: (making) => [
    making.chance.percent(85) ? { waitExternal: making.completion() } : 'waitExternal',
  ],
  setTimeout: ({ chance }) => [
    { setTimeout: data.delay(chance), ...chance.maybe(15, 'code', () => 'Slow') },
  ],
  outcome: () => ['outcome'],
  setCancel: (making, scope) => [
    { setCancel: making.actions(inside(scope, 'cancel handler', { labels: [] }), 2) },
  ],
  defer: (making, scope) => {
    const within = inside(scope, 'body', { labels: [] });
    return [{ defer: making.id(), do: making.body(within) }];
  },
  remaining: () => ['remaining'],
  keep: keeping,
  newInstance: instance,
  send: ({ chance, channels }) =>
    channels.length === 0 ? [] : [{ send: chance.pick(channels), value: data.value(chance) }],
  receive: ({ chance, channels }) =>
    channels.length === 0 ? [] : [{ receive: chance.pick(channels) }],
  waitAt: ({ chance, gates, barriers }) =>
    gates.length + barriers.length === 0 ? [] : [{ waitAt: chance.pick([...gates, ...barriers]) }],
  show: ({ chance }) => [
    {
      show: chance.pick([
        ['code', 'path'],
        ['also', 'cause', 'causes'],
        ['info'],
        ['retry_after', 'guard'],
        ['waits'],
      ]),
    },
  ],
  local: ({ chance }) => [
    { local: chance.pick(['u', 'v']), ...chance.maybe(50, 'set', () => data.value(chance)) },
  ],
  state: ({ chance }) => [
    { state: chance.pick(['s', 't']), ...chance.maybe(50, 'set', () => data.value(chance)) },
  ],
  valid: () => ['valid'],
};

/** Those that end the body that calls them stand at the end, most of the time. */
export const throwing: Makes = {
  error: ({ chance }) => [{ error: data.code(chance), ...chance.maybe(20, 'info', () => 'i') }],
  break: (making, scope) => control(making, scope, 'break'),
  continue: (making, scope) => control(making, scope, 'continue'),
  throw: thrown,
  throwValue: () => [{ throwValue: 5 }],
};

/** Waits for what comes from outside, as most of a program should at most times. */
export const waiting: Make = (making, scope) => {
  const { chance } = making;
  const within = inside(scope, 'cancel handler', { labels: [] });
  return [
    { waitExternal: making.completion() },
    ...(chance.percent(50) ? [{ setCancel: making.actions(within, 2) }] : []),
    ...(chance.percent(60) ? [{ setTimeout: chance.int(0, 12) }] : []),
  ];
};

export const success: Makes = {
  success: ({ chance }) => [chance.percent(50) ? 'success' : { success: data.values(chance) }],
};

/** Loops that are there, mostly: what finds none is an error. */
function control({ chance }: Making, { labels }: Scope, kind: string): Action[] {
  if (labels.length === 0 && !chance.percent(15)) return [];
  if (chance.percent(60)) return [kind];
  const isKnown = chance.percent(85) && labels.length > 0;
  return [{ [kind]: isKnown ? chance.pick(labels) : data.label(chance) }];
}

/** Kept, and used some time later, from elsewhere. */
function keeping(making: Making, scope: Scope): Action[] {
  const { chance } = making;
  const name = making.fresh('k');
  scope.kept.push(name);
  const use = (): Action => ({
    with: name,
    do: making.actions(inside(scope, 'handler', { labels: [] }), 2),
  });
  const later = chance.weighted<() => Action[]>([
    [3, () => []],
    [2, () => [{ immediate: [use()] }]],
    [2, () => [{ deferred: chance.int(0, 3), do: [use()] }]],
  ])();
  return [{ keep: name }, ...later];
}

/** Made once: a flow that is replaced is another's business in each language. */
function instance(making: Making, scope: Scope): Action[] {
  const { chance } = making;
  if (scope.repeated) return [];
  const name = making.fresh('n');
  const steps = making.level(inside(scope, 'root', { labels: [], kept: [] }), 2);
  const later = chance.weighted<Action[]>([
    [3, []],
    [1, [{ cancel: name, reason: 'r' }]],
    [1, [{ immediate: [{ cancel: name }] }]],
    [1, [{ deferred: chance.int(0, 4), do: [{ cancel: name }, { running: name }] }]],
  ]);
  return [
    { newInstance: name, steps },
    chance.pick([{ execute: name }, { promise: name }]),
    ...later,
  ];
}
