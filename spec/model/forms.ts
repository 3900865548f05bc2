/** The step forms of a case, each as the value that describes it. */
import { perform } from './actions.js';
import {
  type Adder,
  addParallel,
  adderOf,
  awaitOf,
  branchesOf,
  channelLoopOf,
  delayOf,
  forEachOf,
  hedgeOf,
  type Inside,
  loopOf,
  mapOf,
  relinquishOf,
  repeatOf,
  retryOf,
  shieldOf,
  stepOf,
  successOf,
  syncOf,
} from './adding.js';
import { awaitableOf } from './child.js';
import { makeHedging } from './hedge.js';
import { channelSource, itemBodyOf, sinkOf, sourceOf } from './mapped.js';
import { makeRetrying, type On } from './retry.js';
import type { Body, Handler } from './shape.js';
import { bind, named, onError, put, stepsOf, timeout, type Value } from './steps.js';
import { withValues } from './text.js';
import { type Action, fault, found, log, promiseOf, type World } from './world.js';

type Form = { [key: string]: any };
type Describe = (world: World, form: Form, inside: Inside) => Value;

const forms: { [kind: string]: Describe } = {
  step: (_world, _form, inside) => stepOf(inside),
  steps: (world, form) => stepsOf(partsOf(world, form['parts'])),
  loop: (_, form, inside) => loopOf(inside, form['label']),
  repeat: (_, form, inside) => repeatOf(form['times'], inside, form['label']),
  forEach: (world, { from, of, label }, inside) =>
    from === undefined
      ? forEachOf(collectionOf(of), inside, label)
      : channelLoopOf(found(world, world.channels, from), inside, label),
  await: (world, { on, flow }) => {
    return awaitOf(
      flow === undefined ? promiseOf(world, on) : awaitableOf(found(world, world.flows, flow)),
    );
  },
  sync: (world, { guard, places, key }, inside) => {
    const known = found(world, world.guards, guard);
    if (key !== undefined) return syncOf(known.of!(key), inside);
    return syncOf(places === undefined ? known : known.places!(Number(places)), inside);
  },
  shield: (_, form, inside) => shieldOf(Number(form['limit']), inside),
  delay: (_, form) => delayOf(Number(form['delay'])),
  successStep: (_, form) => successOf(form['successStep']),
  relinquish: () => relinquishOf(),
  map: (world, form, { part }) => {
    const { map: id, of, from, limit, ordered = true, sink } = form;
    const channel = from === undefined ? undefined : found(world, world.channels, from);
    const open = () => (channel === undefined ? sourceOf(world, of) : channelSource(channel));
    const writes = sink && sinkOf(world, id, sink);
    const body = itemBodyOf(world, form);
    return mapOf({ limit, ordered, sink: writes, open, channel }, { body, part });
  },
  retry: (world, form, inside) => {
    const { max, backoff = {}, budget } = form;
    const on = onOf(form['on']);
    const numbers = Object.entries(backoff).map(([name, value]) => [name, Number(value)]);
    const tokens = budget === undefined ? undefined : found(world, world.budgets, budget);
    const make = () => makeRetrying(Number(max), Object.fromEntries(numbers), on, tokens);
    return retryOf(make, inside);
  },
  hedge: (world, { after, max = 2, on, budget }, inside) => {
    const tokens = budget === undefined ? undefined : found(world, world.budgets, budget);
    return hedgeOf(() => makeHedging(Number(after), Number(max), onOf(on), tokens), inside);
  },
  all: (world, form) => branchesOf('all', partsOf(world, form['branches']), true),
  race: (world, form) => branchesOf('first', partsOf(world, form['branches'])),
  any: (world, form) => branchesOf('any', partsOf(world, form['branches'])),
  wrapped: (world, form) => {
    const inner = valueFrom(world, form['wrapped']);
    return form['wraps'].reduce((value: Value, wrap: Form) => wrapped(world, value, wrap), inner);
  },
};

/** [flow-112] */
function onOf(given: any): On {
  if (given === undefined || Array.isArray(given)) return given;
  return ({ code, refusal }) => {
    const answer = given[code] ?? false;
    if (answer === 'retry_after') return refusal.retryAfter ?? false;
    return typeof answer === 'string' ? Number(answer) : answer;
  };
}

function partsOf(world: World, list: Action[] = []): Value[] {
  return list.map((form) => valueFrom(world, form));
}

const calls = ['await', 'successStep', 'relinquish', 'parallel'];

function wrapped(world: World, value: Value, wrap: Form): Value {
  const { timeout: time, code, catch: id, do: actions = [], name, with: values } = wrap;
  if (time !== undefined) return timeout(value, Number(time), code);
  if (id !== undefined) return onError(value, handlerOf(world, id, actions));
  return name === undefined ? bind(value, values) : named(value, name);
}

/** The form that an action is, if it is one. */
export function formOf(action: Action): string | undefined {
  if (action === 'relinquish') return action;
  const name = typeof action === 'string' ? '' : Object.keys(action)[0]!;
  return Object.hasOwn(forms, name) || name === 'parallel' ? name : undefined;
}

/** What has a call of its own, but makes no value, stands in a step that makes that call. */
export function valueFrom(world: World, form: Action): Value {
  if (!calls.includes(formOf(form) ?? '')) return describe(world, form, onError);
  const body: Body = (step) => addForm(world, adderOf(step), form);
  return stepOf({ body, part: undefined });
}

type Hears = (value: Value, handler: Handler) => Value;

/** What it's made of, and who hears of its errors. */
function describe(world: World, action: Action, hears: Hears): Value {
  const kind = formOf(action);
  const form: Form = typeof action === 'string' ? {} : action;
  const make = forms[kind ?? ''];
  if (make === undefined) throw fault(world, `no form: ${JSON.stringify(action)}`);
  const value = make(world, form, insideOf(world, form[kind!], form));
  const { catch: actions, name } = form;
  const heard = actions ? hears(value, handlerOf(world, form[kind!], actions)) : value;
  return name === undefined ? heard : named(heard, name);
}

/** Calls that take a handler give it to their own step. */
export function addForm(world: World, to: Adder, form: Action): void {
  const byCall = ['step', 'await', 'sync'].includes(formOf(form) ?? '');
  const own: Hears = (value, handler) => ({ ...value, handler });
  if (formOf(form) === 'parallel') addBranches(world, to, form as Form);
  else put(to, describe(world, form, byCall ? own : onError));
}

function addBranches(world: World, to: Adder, form: Form): void {
  const { parallel: id, catch: actions, branches = [], name } = form;
  const added = addParallel(to, actions && handlerOf(world, id, actions), name);
  for (const branch of branches) addForm(world, added, branch);
}

export function addForms(world: World, to: Adder, list: readonly Action[]): void {
  for (const form of list) addForm(world, to, form);
}

function insideOf(world: World, id: string, { do: actions = [], body }: Form): Inside {
  const part = body === undefined ? undefined : partsOf(world, [body])[0];
  return { body: bodyOf(world, id, actions), part };
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
