/** The forms of steps, each with what may stand in it. */
import * as data from './data.js';
import { type Action, inside, type Makes, type Making, type Scope } from './making.js';

/** What a branch of a parallel may be too. */
/** A promise, or where it's known by then a flow. */
function awaited(making: Making, { place }: Scope): object {
  const { chance, flows } = making;
  return place !== 'root' && chance.percent(20)
    ? { flow: chance.pick(flows) }
    : { on: making.promise() };
}

export const ofBranches: Makes = {
  step: (making, scope) => [
    {
      step: making.id(),
      ...does(making, scope),
      ...catches(making, scope),
      ...making.chance.maybe(5, 'name', () => 'n'),
    },
  ],
  loop: (making, scope) => {
    const { id, label, within } = looping(making, scope);
    return [{ loop: id, do: ending(making, making.body(within)), ...label }];
  },
  repeat: (making, scope) => {
    const { id, label, within } = looping(making, scope);
    const times = making.chance.weighted([
      [20, making.chance.int(1, 3)],
      [2, 0],
      [1, -1],
      [1, 1.5],
    ]);
    return [withPart(making, scope, { repeat: id, times, do: making.body(within), ...label })];
  },
  forEach: (making, scope) => {
    const { id, label, within } = looping(making, scope);
    const what = collected(making) ?? { of: data.collection(making.chance) };
    return [withPart(making, scope, { forEach: id, ...what, do: making.body(within), ...label })];
  },
  map: (making, scope) => [withPart(making, scope, mapped(making, scope))],
  await: (making, scope) => [
    {
      await: making.id(),
      ...awaited(making, scope),
      ...catches(making, scope),
    },
  ],
  sync: (making, scope) =>
    making.guards.length === 0
      ? []
      : [
          withPart(making, scope, {
            sync: making.id(),
            ...guarded(making),
            ...does(making, scope),
            ...catches(making, scope),
          }),
        ],
  shield: (making, scope) => [
    withPart(making, scope, {
      shield: making.id(),
      limit: isTold(scope) ? data.delay(making.chance) : making.chance.int(0, 12),
      ...does(making, scope),
      ...catches(making, scope),
    }),
  ],
  delay: ({ chance }, scope) => [{ delay: data.delay(chance, isTold(scope)) }],
  retry: (making, scope) => [withPart(making, scope, retried(making, scope))],
  hedge: (making, scope) => [withPart(making, scope, hedged(making, scope))],
  steps: (making, scope) => [
    {
      steps: making.id(),
      parts: making.branches(inside(scope, scope.place)),
      ...catches(making, scope),
      ...making.chance.maybe(5, 'name', () => 'n'),
    },
  ],
  wrapped: (making, scope) => {
    const form = making.value(inside(scope, scope.place));
    return form === undefined ? [] : [{ wrapped: form, wraps: wraps(making, scope) }];
  },
};

export const ofLevels: Makes = {
  ...ofBranches,
  parallel: (making, scope) => [branching(making, scope, 'parallel')],
  race: (making, scope) => [branching(making, scope, 'race')],
  any: (making, scope) => [branching(making, scope, 'any')],
  all: (making, scope) => [branching(making, scope, 'all')],
  successStep: ({ chance }) => [{ successStep: data.values(chance) }],
  relinquish: () => ['relinquish'],
};

/** At the root there is nobody whom a bad argument could be told. */
function isTold({ place }: Scope): boolean {
  return place !== 'root';
}

function does(making: Making, scope: Scope): object {
  const actions = making.body(inside(scope, 'body'));
  return actions.length === 0 ? {} : { do: actions };
}

function wraps(making: Making, scope: Scope): object[] {
  const { chance } = making;
  return chance.list(chance.int(0, 3), () =>
    chance.weighted<() => object>([
      [3, () => ({ timeout: isTold(scope) ? data.delay(chance) : chance.int(0, 12) })],
      [3, () => ({ catch: making.id(), do: making.body(handling(scope)) })],
      [1, () => ({ name: 'w' })],
      [1, () => ({ with: data.values(chance).slice(0, isTold(scope) ? 5 : 4) })],
    ])(),
  );
}

/** Sometimes a value stands in the place of a body, and has a name. */
function withPart(making: Making, scope: Scope, form: Action): Action {
  if (typeof form === 'string' || !making.chance.percent(10)) return form;
  const { do: _, at: __, ...rest } = form;
  const once = 'sync' in form || 'shield' in form;
  const repeated = scope.repeated || !once;
  const body = making.value(inside(scope, 'root', { labels: [], repeated }));
  if (body === undefined) return form;
  const isNamed = making.chance.percent(30);
  return { ...rest, body: isNamed ? { wrapped: body, wraps: [{ name: 'n' }] } : body };
}

/** At the root mostly one that recovers, or else there is no more of the flow to be seen. */
function catches(making: Making, scope: Scope): object {
  const { chance } = making;
  const share = scope.place === 'root' ? 85 : 50;
  return chance.maybe(share, 'catch', () => making.body(handling(scope)));
}

function handling(scope: Scope): Scope {
  return inside(scope, 'handler', { depth: Math.max(scope.depth + 1, 4) });
}

function looping(making: Making, scope: Scope) {
  const label = making.chance.maybe(30, 'label', () => data.label(making.chance));
  const labels = [...scope.labels, String(label['label'] ?? '')];
  const within = inside(scope, 'body', { repeated: true, labels });
  return { id: making.id(), label, within };
}

/** An endless loop ends by itself, but for a few. What it does before has to be a step of its own, or is dropped. */
function ending(making: Making, actions: Action[]): Action[] {
  const { chance } = making;
  if (chance.percent(2)) return actions;
  const ends = actions.filter((action) => !isReturn(action));
  return [
    ...ends,
    chance.weighted<Action>([
      [6, { step: making.id(), do: ['break'] }],
      [2, { step: making.id(), do: ['breakNoThrow'] }],
      [2, { step: making.id(), do: [{ error: 'E' }] }],
      [2, { step: making.id(), do: [{ setTimeout: 3 }], catch: ['break'] }],
      [ends.length === 0 ? 4 : 1, 'break'],
    ]),
  ];
}

function branching(making: Making, scope: Scope, kind: string): Action {
  const within = inside(scope, scope.place, { labels: [] });
  return {
    [kind]: making.id(),
    branches: making.branches(within),
    ...catches(making, scope),
    ...making.chance.maybe(5, 'name', () => 'n'),
  };
}

function guarded({ chance, guards, mutexes, keyeds }: Making): object {
  const guard = chance.pick(guards);
  if (keyeds.includes(guard)) return { guard, key: data.key(chance) };
  const places = mutexes.includes(guard) && chance.percent(30);
  return places ? { guard, places: chance.int(1, 2) } : { guard };
}

function retried(making: Making, scope: Scope): Action {
  const { chance } = making;
  const max = chance.weighted<number | string>([
    [12, chance.int(1, 4)],
    [isTold(scope) ? 1 : 0, 0],
    [isTold(scope) ? 1 : 0, 'NaN'],
  ]);
  const backoff = {
    base: chance.int(0, 6),
    ...chance.maybe(40, 'factor', () => chance.pick([1, 1.5, 2, 3])),
    ...chance.maybe(20, 'cap', () => chance.pick([0, 5, 'Infinity'])),
    ...chance.maybe(70, 'jitter', () => chance.pick([0, 0, 0.5, 1])),
  };
  return {
    retry: making.id(),
    max,
    backoff,
    ...chance.maybe(45, 'on', () => data.on(chance)),
    ...budgeted(making),
    do: making.body(inside(scope, 'body', { repeated: true })),
    ...catches(making, scope),
  };
}

function hedged(making: Making, scope: Scope): Action {
  const { chance } = making;
  const max = () =>
    chance.weighted<number | string>([
      [12, chance.int(1, 4)],
      [isTold(scope) ? 1 : 0, 0],
      [isTold(scope) ? 1 : 0, 'Infinity'],
    ]);
  // Attempts of attempts are too many for flows of a fixed size, which may not tell: a hedge takes their errors.
  const attempt = inside(scope, 'body', { repeated: true, labels: [], depth: scope.depth + 3 });
  return {
    hedge: making.id(),
    after: data.delay(chance, isTold(scope)),
    ...chance.maybe(60, 'max', max),
    ...chance.maybe(45, 'on', () => data.on(chance)),
    ...budgeted(making),
    do: making.body(attempt),
    ...catches(making, scope),
  };
}

function budgeted({ chance, budgets }: Making): object {
  return budgets.length > 0 && chance.percent(40) ? { budget: chance.pick(budgets) } : {};
}

function mapped(making: Making, scope: Scope): Action {
  const { chance } = making;
  const within = inside(scope, 'body', { repeated: true, labels: [] });
  const at = chance.maybe(30, 'at', () => numbered(making, within));
  const actions = making.body(within);
  return {
    map: making.id(),
    ...(collected(making) ?? {
      of: chance.percent(60) ? source(making, scope) : data.collection(chance),
    }),
    limit: chance.weighted([
      [12, chance.int(1, 3)],
      [isTold(scope) ? 1 : 0, 0],
    ]),
    ...chance.maybe(40, 'ordered', () => chance.percent(20)),
    ...chance.maybe(40, 'sink', () => making.actions(inside(scope, 'outside'), 2)),
    do: 'at' in at ? actions.filter((action) => !isReturn(action)) : actions,
    ...at,
    ...catches(making, scope),
  };
}

function isReturn(action: Action): boolean {
  if (typeof action !== 'object') return false;
  return 'return' in action || 'returnValue' in action || 'returnStep' in action;
}

function numbered(making: Making, within: Scope): { [number: string]: Action[] } {
  return { [making.chance.int(0, 3)]: making.actions(within, 2) };
}

/** Sometimes a channel is gone through, if there is one. */
function collected({ chance, channels }: Making): object | undefined {
  return channels.length > 0 && chance.percent(60) ? { from: chance.pick(channels) } : undefined;
}

/** One without an end fails at some time, or the map does. */
function source(making: Making, scope: Scope): object {
  const { chance } = making;
  const endless = chance.percent(15);
  const at = chance.maybe(30, 'at', () => numbered(making, inside(scope, 'outside')));
  const last = { [chance.int(1, 6)]: [{ throw: 'no more' }] };
  return {
    source: making.id(),
    ...(endless
      ? { endless: true, at: { ...at['at'], ...last } }
      : { items: chance.list(chance.int(0, 5), () => data.value(chance)), ...at }),
  };
}
