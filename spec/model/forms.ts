/** The step forms of a case, added by the call that each stands for. */
import { perform } from './actions.js';
import {
  type Adder,
  addAwait,
  addBranches,
  addDelay,
  addForEach,
  addLoop,
  addMap,
  addRelinquish,
  addRepeat,
  addRetry,
  addShield,
  addStep,
  addSuccess,
  addSync,
} from './adding.js';
import { awaitableOf } from './child.js';
import { itemBodyOf, sinkOf, sourceOf } from './mapped.js';
import { makeRetrying, type On } from './retry.js';
import type { Body, Handler, Step } from './shape.js';
import { withValues } from './text.js';
import { type Action, fault, found, log, promiseOf, type World } from './world.js';

type Form = { [key: string]: any };
type Adds = (world: World, to: Adder, form: Form, body: Body, handler?: Handler) => void;

const forms: { [kind: string]: Adds } = {
  step: (_, to, form, body, handler) => addStep(to, body, handler, form['name']),
  loop: (_, to, form, body) => addLoop(to, body, form['label']),
  repeat: (_, to, form, body) => addRepeat(to, form['times'], body, form['label']),
  forEach: (_, to, form, body) => addForEach(to, collectionOf(form['of']), body, form['label']),
  await: (world, to, form, _, handler) => {
    const { on, flow } = form;
    const awaited =
      flow === undefined ? promiseOf(world, on) : awaitableOf(found(world, world.flows, flow));
    addAwait(to, awaited, handler);
  },
  sync: (world, to, form, body, handler) =>
    addSync(to, found(world, world.guards, form['guard']), body, handler),
  shield: (_, to, form, body, handler) => addShield(to, Number(form['limit']), body, handler),
  delay: (_, to, form) => addDelay(to, Number(form['delay'])),
  successStep: (_, to, form) => addSuccess(to, form['successStep']),
  map: (world, to, form, _, handler) => {
    const { map: id, of, limit, ordered = true, sink } = form;
    const open = () => sourceOf(world, of);
    const writes = sink && sinkOf(world, id, sink);
    addMap(to, { limit, ordered, sink: writes, open }, itemBodyOf(world, form), handler);
  },
  retry: (world, to, form, body, handler) => {
    const { max, backoff = {}, budget } = form;
    const on = onOf(form['on']);
    const numbers = Object.entries(backoff).map(([name, value]) => [name, Number(value)]);
    const tokens = budget === undefined ? undefined : found(world, world.budgets, budget);
    addRetry(to, makeRetrying(Number(max), Object.fromEntries(numbers), on, tokens), body, handler);
  },
  parallel: branches('all'),
  race: branches('first'),
  any: branches('any'),
};

/** [flow-112] */
function onOf(given: any): On {
  if (given === undefined || Array.isArray(given)) return given;
  return ({ code, retryAfter }) => {
    const answer = given[code] ?? false;
    if (answer === 'retry_after') return retryAfter ?? false;
    return typeof answer === 'string' ? Number(answer) : answer;
  };
}

function branches(wants: Step['wants']): Adds {
  return (world, to, form, _, handler) => {
    const added = addBranches(to, wants, handler, form['name']);
    for (const branch of form['branches'] ?? []) addForm(world, added, branch);
  };
}

/** The form that an action is, if it is one. */
export function formOf(action: Action): string | undefined {
  if (action === 'relinquish') return action;
  const name = typeof action === 'string' ? '' : Object.keys(action)[0]!;
  return Object.hasOwn(forms, name) ? name : undefined;
}

export function addForm(world: World, to: Adder, form: Action): void {
  const kind = formOf(form);
  if (typeof form === 'string') return addRelinquish(to);
  if (kind === undefined) throw fault(world, `no form: ${JSON.stringify(form)}`);
  const id = form[kind];
  const handler = form['catch'] && handlerOf(world, id, form['catch']);
  forms[kind]!(world, to, form, bodyOf(world, id, form['do'] ?? []), handler);
}

export function addForms(world: World, to: Adder, list: readonly Action[]): void {
  for (const form of list) addForm(world, to, form);
}

function collectionOf(of: any): unknown {
  const isMap = typeof of === 'object' && of !== null && Array.isArray(of.map);
  return isMap ? new Map(of.map) : of;
}

export function bodyOf(world: World, id: string, actions: readonly Action[]): Body {
  return (step, ...values) => {
    if (id !== '') log(world, withValues(id, values));
    return perform(world, { step, id }, actions);
  };
}

function handlerOf(world: World, id: string, actions: readonly Action[]): Handler {
  return (step, code) => {
    if (id !== '') log(world, `${id}! ${code}`);
    return perform(world, { step, id }, actions);
  };
}
