/** What may stand where in a generated program, and how often. */
import { anywhere } from './anywhere.js';
import type { Chance, Weighted } from './chance.js';
import { ofBranches, ofLevels } from './forms.js';
import type { Grammar, Make, Makes, Place } from './making.js';
import { going, success, throwing, waiting } from './own.js';

type Table = Weighted<Make>;

const weights: { readonly [name: string]: number } = {
  step: 14,
  loop: 3,
  repeat: 3,
  forEach: 2,
  map: 5,
  await: 4,
  sync: 7,
  shield: 4,
  delay: 4,
  retry: 4,
  hedge: 4,
  parallel: 5,
  race: 4,
  any: 3,
  steps: 4,
  all: 4,
  wrapped: 4,
  successStep: 2,
  setTimeout: 5,
  setCancel: 5,
  defer: 6,
  waitExternal: 6,
  success: 10,
  error: 6,
  throw: 2,
  break: 2,
  continue: 2,
  log: 3,
  done: 14,
  execute: 4,
  cancel: 7,
  start: 5,
  closeScope: 1,
  drainScope: 2,
  settle: 7,
  immediate: 4,
  deferred: 6,
  try: 4,
  keep: 2,
  with: 8,
  send: 2,
  receive: 2,
  waitAt: 2,
  lose: 4,
  openGate: 2,
  addTo: 2,
  times: 2,
  busy: 2,
  snapshot: 5,
  trySend: 2,
  tryReceive: 2,
};

/** Misuse ends a program early: most are without. */
const misuse = ['throwValue', 'runTool', 'makeGuard', 'makeChannel', 'addTo', 'with'];

/**
 * Steps are most of what a body is made of. Each program has its own preferences, some things are never in it: what
 * needs many of one kind would else hardly come about.
 */
export function grammarOf(chance: Chance): Grammar {
  const isTame = chance.percent(60);
  const shares = Object.fromEntries(
    Object.keys({ ...ofLevels, ...going, ...throwing, ...success, ...anywhere }).map((name) => [
      name,
      isTame && misuse.includes(name) ? 0 : chance.pick([0, 1, 2, 2, 2, 8]),
    ]),
  );
  const always = new Set(['step', 'log', 'success', 'valid', 'now']);
  const weigh = (makes: Makes, share = 1): Table =>
    Object.entries(makes).map(([name, make]) => {
      const own = always.has(name) ? Math.max(1, shares[name] as number) : (shares[name] as number);
      return [(weights[name] ?? 1) * own * share, make] as const;
    });
  const forms = weigh(ofLevels);
  const all = weigh(anywhere);
  const { snapshot: _, ...inUnlock } = anywhere; // The section may be gone already.
  const own = weigh(going);
  const ends: Table = [...weigh(throwing), ...weigh(success), [30, waiting]];
  const show = going['show'] as Make;
  return {
    branches: weigh(ofBranches),
    ends,
    handlerEnds: [...weigh(throwing), [80, success['success'] as Make]],
    isForm: (action) => action === 'relinquish' || Object.keys(action)[0]! in ofLevels,
    actions: {
      root: forms,
      body: [...weigh(ofLevels, 4), ...weigh(going, 2), ...all],
      handler: [...weigh(ofLevels, 2), ...weigh(going, 2), [60, show], ...all],
      'cancel handler': [...own, ...ends, ...forms, ...weigh(anywhere, 4)],
      lock: [...forms, ...weigh(going, 2), ...ends, ...all],
      unlock: [...own, ...ends, ...forms, ...weigh(inUnlock, 4)],
      outside: all,
    },
  };
}

/** What may stand in such a place, by name. */
export function namesIn(place: Place): readonly string[] {
  if (place === 'root') return Object.keys(ofLevels);
  const onAccessor = place === 'outside' ? {} : { ...ofLevels, ...going, ...throwing, ...success };
  return Object.keys({ ...onAccessor, ...anywhere });
}
