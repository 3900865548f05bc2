// The step forms of a case, added by the call that each stands for.

import type { IAdder, IAsyncSteps, ISteps, RetryOptions } from 'steptree';
import { perform } from './actions.js';
import { isSource, sourceOf } from './sources.js';
import { withArguments } from './text.js';
import { type Action, type Form, found, type World } from './world.js';

const ofBranches = ['parallel', 'race', 'any'] as const;
const names = [
  'step',
  'loop',
  'repeat',
  'forEach',
  'map',
  ...ofBranches,
  'await',
  'sync',
  'shield',
  'delay',
  'retry',
  'successStep',
];

/** The form that an action or branch is, if it is one. */
export function formOf(action: Action): string | undefined {
  if (action === 'relinquish') return action;
  return typeof action === 'string' ? undefined : names.find((name) => name in action);
}

export function addForms(world: World, steps: ISteps, forms: Form[]): void {
  for (const form of forms) addForm(world, steps, form);
}

export function addForm(world: World, steps: IAdder, form: Form): void {
  const kind = formOf(form);
  if (kind === 'relinquish') (steps as ISteps).relinquish();
  else if (kind === undefined || typeof form === 'string') throw new Error(`no form: ${form}`);
  else addObject(world, steps, kind, form);
}

function addObject(world: World, steps: IAdder, kind: string, form: { [key: string]: any }): void {
  const body = bodyOf(world, form[kind], form['do'] ?? []);
  const onerror = form['catch'] && handlerOf(world, form[kind], form['catch']);
  switch (kind) {
    case 'step':
      steps.add(body, onerror, form['name']);
      return;
    case 'loop':
      steps.loop(body, form['label']);
      return;
    case 'repeat':
      steps.repeat(form['times'], body, form['label']);
      return;
    case 'forEach':
      steps.forEach(collectionOf(form['of'], world), body, form['label']);
      return;
    case 'map':
      steps.map(
        collectionOf(form['of'], world),
        mapOptions(world, form),
        itemBodyOf(world, form),
        onerror,
      );
      return;
    case 'await':
      steps.await(
        form['flow'] === undefined ? world.promise(form['on']).promise : world.flow(form['flow']),
        onerror,
      );
      return;
    case 'sync':
      steps.sync(world.guard(form['guard']), body, onerror);
      return;
    case 'shield':
      steps.shield(Number(form['limit']), body, onerror);
      return;
    case 'delay':
      steps.delay(Number(form['delay']));
      return;
    case 'retry':
      steps.retry(retryOptions(world, form), body, onerror);
      return;
    case 'successStep':
      (steps as ISteps).successStep(...form[kind]);
      return;
    default:
      addBranches(world, steps as ISteps, kind as (typeof ofBranches)[number], form, onerror);
  }
}

function addBranches(
  world: World,
  steps: ISteps,
  kind: (typeof ofBranches)[number],
  form: any,
  onerror: any,
): void {
  const branches = steps[kind](onerror, form.name);
  for (const branch of form.branches ?? []) addForm(world, branches, branch);
}

function retryOptions(world: World, { max, backoff, on, budget }: any): RetryOptions {
  const entries = Object.entries(backoff ?? {}).map(([name, value]) => [name, Number(value)]);
  return {
    max: Number(max),
    backoff: Object.fromEntries(entries),
    on: on === undefined || Array.isArray(on) ? on : answers(on),
    budget: budget && found(world.budgets, budget, 'budget'),
  };
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

function collectionOf(of: any, world: World): any {
  if (isSource(of)) return sourceOf(world, of);
  const isMap = typeof of === 'object' && of !== null && Array.isArray(of.map);
  return isMap ? new Map(of.map) : of;
}

export function bodyOf(world: World, id: string, actions: Action[]) {
  return (asi: IAsyncSteps, ...values: unknown[]) => {
    if (id !== '') world.log(withArguments(id, values));
    return perform(world, { asi, id }, actions);
  };
}

/** Of a map: an item may have actions of its own. */
function itemBodyOf(world: World, form: { [key: string]: any }) {
  return (asi: IAsyncSteps, item: unknown, index: number) => {
    const actions = [...(form['do'] ?? []), ...(form['at']?.[index] ?? [])];
    return bodyOf(world, form['map'], actions)(asi, item, index);
  };
}

function handlerOf(world: World, id: string, actions: Action[]) {
  return (asi: IAsyncSteps, code: string) => {
    if (id !== '') world.log(`${id}! ${code}`);
    return perform(world, { asi, id }, actions);
  };
}
