// The step forms of a case: those that have a call are added by that, the others by the step value that each stands for.

import {
  all,
  any,
  delay,
  forEach,
  hedge,
  type HedgeOptions,
  type IAdder,
  type IAsyncSteps,
  type ISteps,
  loop,
  map,
  race,
  repeat,
  retry,
  type RetryOptions,
  shield,
  type Step,
  step,
  steps,
  sync,
} from 'steptree';
import { answer, perform } from './actions.js';
import { isSource, sourceOf } from './sources.js';
import { withArguments } from './text.js';
import { type Action, type Form, found, type World } from './world.js';

type Parts = { [key: string]: any };

/** Forms that a call of its own adds. The lower half makes no values: in the place of one stands a step that makes the call. */
const calls: {
  [kind: string]: (world: World, to: any, form: Parts, body: any, onerror: any) => unknown;
} = {
  step: (_, to: IAdder, form, body, onerror) => to.add(body, onerror, form['name']),
  loop: (_, to: IAdder, form, body) => to.loop(body, form['label']),
  repeat: (_, to: IAdder, form, body) => to.repeat(form['times'], body, form['label']),
  forEach: (world, to: IAdder, form, body) =>
    to.forEach(collectionOf(form, world), body, form['label']),
  sync: (world, to: IAdder, form, body, onerror) =>
    to.sync(world.guard(form['guard'], form['places'], form['key']), body, onerror),

  await: (world, to: IAdder, { on, flow }, _, onerror) =>
    to.await(flow === undefined ? world.promise(on).promise : world.flow(flow), onerror),
  successStep: (_, to: ISteps, form) => to.successStep(...form['successStep']),
  relinquish: (_, to: ISteps) => to.relinquish(),
  parallel: (world, to: ISteps, form, _, onerror) => {
    const branches = to.parallel(onerror, form['name']);
    for (const branch of form['branches'] ?? []) addForm(world, branches, branch);
  },
};

const values: { [kind: string]: (world: World, form: Parts, body: any) => Step } = {
  step: (_world, _form, body) => step(body),
  steps: (world, form) => (steps as any)(...partsOf(world, form['parts'])),
  loop: (_, form, body) => loop(body, form['label']),
  repeat: (_, form, body) => repeat(form['times'], body, form['label']),
  forEach: (world, form, body) => forEach(collectionOf(form, world), body, form['label']),
  sync: (world, form, body) => sync(world.guard(form['guard'], form['places'], form['key']), body),
  map: (world, form, body) => map(collectionOf(form, world), mapOptions(world, form), body),
  all: (world, form) => (all as any)(...partsOf(world, form['branches'])),
  race: (world, form) => (race as any)(...partsOf(world, form['branches'])),
  any: (world, form) => (any as any)(...partsOf(world, form['branches'])),
  shield: (_, form, body) => shield(Number(form['limit']), body),
  delay: (_, form) => delay(Number(form['delay'])),
  retry: (world, form, body) => retry(retryOptions(world, form), body),
  hedge: (world, form, body) => hedge(hedgeOptions(world, form), body),
  wrapped: (world, form) => {
    const inner = valueFrom(world, form['wrapped']);
    return form['wraps'].reduce((value: Step, wrap: Parts) => wrapped(world, value, wrap), inner);
  },
};

/** Whether there is a function that makes a value of it. */
export function hasValue(kind: string): boolean {
  return Object.hasOwn(values, kind);
}

/** The form that an action or branch is, if it is one. */
export function formOf(action: Action): string | undefined {
  if (action === 'relinquish') return action;
  const name = typeof action === 'string' ? '' : Object.keys(action)[0]!;
  return Object.hasOwn(values, name) || Object.hasOwn(calls, name) ? name : undefined;
}

export function addForms(world: World, to: ISteps, forms: Form[]): void {
  for (const form of forms) addForm(world, to, form);
}

export function addForm(world: World, to: IAdder, action: Form): void {
  const value = world.added.get(action);
  if (value !== undefined) return void to.add(value);
  const kind = formOf(action);
  if (kind === undefined) throw new Error(`no form: ${action}`);
  const call = calls[kind];
  if (call === undefined) return void to.add(valueFrom(world, action));
  const form: Parts = typeof action === 'string' ? {} : action;
  const onerror = form['catch'] && handlerOf(world, form[kind], form['catch']);
  call(world, to, form, insideOf(world, kind, form), onerror);
}

export function valueFrom(world: World, action: Form): Step {
  const known = world.parts.get(action);
  if (known !== undefined) return known;
  const kind = formOf(action)!;
  const form = action as Parts;
  const make = values[kind];
  if (make === undefined) return step((asi) => addForm(world, asi, action));
  return handled(world, make(world, form, insideOf(world, kind, form)), form, form[kind]);
}

/** With the handler and the name that the form has. */
export function handled(world: World, value: Step, { catch: actions, name }: Parts, id: string) {
  const heard = actions ? value.onError(handlerOf(world, id, actions)) : value;
  return name === undefined ? heard : heard.named(name);
}

function partsOf(world: World, forms: Form[] = []): Step[] {
  return forms.map((form) => valueFrom(world, form));
}

/** A body, or what stands in its place. */
export function insideOf(world: World, kind: string, form: Parts): any {
  if (form['body'] !== undefined) return valueFrom(world, form['body']);
  if (kind === 'map') return itemBodyOf(world, form);
  const actions = form['do'] ?? [];
  const described = form[kind] === '' && world.describes(kind);
  return (described && sequenceOf(world, actions)) || bodyOf(world, form[kind], actions);
}

/** Of a body that does nothing but add steps that are values. The first of them gets nothing, as in a body. */
function sequenceOf(world: World, actions: Action[]): Step | undefined {
  const parts = actions.map((action) => world.added.get(action));
  if (parts.includes(undefined)) return undefined;
  world.share.bodies++;
  return (steps as any)(...parts).with();
}

function wrapped(world: World, value: Step, wrap: Parts): Step {
  const { timeout, code, catch: id, do: actions = [], name, with: bound } = wrap;
  if (timeout !== undefined) return value.timeout(Number(timeout), code);
  if (id !== undefined) return value.onError(handlerOf(world, id, actions));
  return name === undefined ? value.with(...bound) : value.named(name);
}

function retryOptions(world: World, { max, backoff, on, budget }: any): RetryOptions {
  const entries = Object.entries(backoff ?? {}).map(([name, value]) => [name, Number(value)]);
  return {
    max: Number(max),
    backoff: Object.fromEntries(entries),
    on: onFrom(on),
    budget: budget && found(world.budgets, budget, 'budget'),
  };
}

function hedgeOptions(world: World, { after, max, on, budget }: any): HedgeOptions {
  return {
    after: Number(after),
    max: max === undefined ? max : Number(max),
    on: onFrom(on),
    budget: budget && found(world.budgets, budget, 'budget'),
  };
}

function onFrom(on: any): RetryOptions['on'] {
  return on === undefined || Array.isArray(on) ? on : answers(on);
}

function answers(on: { [code: string]: boolean | number | string }) {
  return (code: string, error: any): boolean | number | undefined => {
    const answer = on[code];
    if (answer === 'retry_after') return error.retry_after;
    return typeof answer === 'string' ? Number(answer) : answer;
  };
}

/** A sink writes what it gets, then does its actions. */
function mapOptions(world: World, { map: id, limit, ordered, sink }: any) {
  if (sink === undefined) return { limit, ordered };
  const write = (value: unknown, index: number) => {
    if (id !== '') world.log(`${id}> ${JSON.stringify(value ?? null)} ${index}`);
    perform(world, { asi: null, id }, sink);
  };
  return { limit, ordered, sink: write };
}

/** In values a function gives the channel: each run of a case has its own. */
function collectionOf({ of, from }: Parts, world: World): any {
  if (from !== undefined) return world.tool ? world.channel(from) : () => world.channel(from);
  if (isSource(of)) return sourceOf(world, of);
  const isMap = typeof of === 'object' && of !== null && Array.isArray(of.map);
  return isMap ? new Map(of.map) : of;
}

export function bodyOf(world: World, id: string, actions: Action[]) {
  return (asi: IAsyncSteps, ...values: unknown[]) => {
    if (id !== '') world.log(withArguments(id, values));
    return answer(world, { asi, id }, actions);
  };
}

/** Of a map: an item may have actions of its own. */
function itemBodyOf(world: World, form: { [key: string]: any }) {
  return (asi: IAsyncSteps, item: unknown, index: number) => {
    const actions = [...(form['do'] ?? []), ...(form['at']?.[index] ?? [])];
    return bodyOf(world, form['map'], actions)(asi, item, index);
  };
}

export function handlerOf(world: World, id: string, actions: Action[]) {
  return (asi: IAsyncSteps, code: string): any => {
    if (id !== '') world.log(`${id}! ${code}`);
    return answer(world, { asi, id }, actions);
  };
}
