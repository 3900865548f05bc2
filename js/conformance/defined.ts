// The steps of a case as values: made before it runs, once, and then run twice. What can't be a value is added by its call, as ever.

import { parallel, type Step, step, sync } from 'steptree';
import { formOf, handled, handlerOf, hasValue, insideOf, valueFrom } from './forms.js';
import { type Answer, type Case, runOnce, worldOf } from './run.js';
import { standForBudget, standForGuard } from './standing.js';
import { visitCase } from './visit.js';
import type { Action, Form, World } from './world.js';

type Parts = { [key: string]: any };

type DefinedAnswer = (Answer & { share: World['share'] }) | { unfit: string };

export async function runDefined(program: Case): Promise<DefinedAnswer> {
  const world = define(program);
  const share = { ...world.share };
  if (share.values === 0) return { unfit: 'none of its steps can be a value' };
  const first = await runOnce(world, program);
  if (world.ended) return { ...first, share };
  const again = await runOnce(world, program);
  const same = JSON.stringify(first) === JSON.stringify(again);
  const trace = same ? first.trace : [...first.trace, 'again:', ...again.trace];
  return { ...first, trace, share };
}

/** What has no value, since its guard isn't there yet or an argument is refused, is told so where it's added. */
export function define(program: Case): World {
  const world = worldOf(program);
  const seen = lookAt(program);
  for (const [name, form] of Object.entries(program.guards ?? {})) {
    if (!seen.remade.has(name)) standForGuard(world, name, form);
  }
  for (const name of Object.keys(program.budgets ?? {})) standForBudget(world, name);
  world.describes = (kind) => seen.alone || rounds.has(kind);
  visitCase(program, (action, isPart) => {
    const kind = formOf(action);
    if (kind === undefined) return;
    world.share.steps++;
    try {
      if (isPart && hasValue(kind)) {
        world.parts.set(action, valueFrom(world, action));
      } else {
        const value = addedValue(world, action, seen);
        if (value === undefined) return;
        world.added.set(action, value);
      }
      world.share.values++;
    } catch {}
  });
  return world;
}

/** Their rounds count against the burst in any case. [model-53] */
const rounds = new Set(['loop', 'repeat', 'forEach']);
/** What makes lines, or many steps. */
const crowded = ['parallel', 'all', 'race', 'any', 'hedge', 'map', 'newInstance', 'times', 'loop'];

/** What a value of a part of the program depends on. */
interface Seen {
  /** Guards that are made while it runs. */
  readonly remade: Set<unknown>;
  /** Only one line runs, and not for long: nobody sees when it gives way to others. */
  alone: boolean;
  /** Time passes only while nothing runs. */
  idle: boolean;
  /** A section may lose its lock, of which a handler further in hears nothing. */
  loses: boolean;
}

function lookAt(program: Case): Seen {
  const flows = [...Object.keys(program.flows), ...Object.values(program.options ?? {})];
  const seen: Seen = { remade: new Set(), alone: flows.length === 1, idle: true, loses: false };
  visitCase(program, (action) => {
    if (typeof action === 'string') return;
    seen.remade.add(action['makeGuard']);
    if (crowded.some((kind) => action[kind] !== undefined)) seen.alone = false;
    if (action['lose'] !== undefined) seen.loses = true;
    if (action['busy'] !== undefined) seen.idle = false;
    if (action['snapshot'] !== undefined) seen.alone = seen.idle = false; // It sees when they open.
  });
  return seen;
}

/** The value that leaves the same trace as the call that adds the form. */
function addedValue(world: World, action: Form, seen: Seen): Step | undefined {
  const form = action as Parts;
  const { step: body, sync: section, parallel: branches, successStep, await: on } = form;
  if (action === 'relinquish' || on !== undefined) return undefined;
  if (body !== undefined && isLimited(form, seen)) return limited(world, form);
  if (section !== undefined && form['catch'] !== undefined) {
    return seen.alone && !seen.loses ? guarded(world, form) : undefined;
  }
  if (successStep !== undefined) return step((asi) => asi.success(...successStep));
  if (branches === undefined) return valueFrom(world, action);
  const parts = (form['branches'] ?? []).map((branch: Form) => world.added.get(branch));
  return parts.includes(undefined) ? undefined : handled(world, parallel(...parts), form, branches);
}

/**
 * It sets a limit, and does nothing then but add steps, so that it would wait without the limit, too. The limit of a value begins when
 * that opens, which may be a turn before the body is called. The handler of a value stands around it: the steps that it adds aren't
 * numbered behind those of the body.
 */
function isLimited(form: Parts, { alone, idle }: Seen) {
  const { do: [first, ...rest] = [] as Action[], catch: actions = [] as Action[] } = form;
  if (typeof first !== 'object' || rest.length === 0 || actions.some(isForm)) return false;
  return (
    first.setTimeout !== undefined &&
    (alone || (idle && first.setTimeout !== 0)) &&
    rest.every(isForm)
  );
}

function isForm(action: Action): boolean {
  return formOf(action) !== undefined;
}

function limited(world: World, form: Parts): Step {
  const [{ setTimeout: ms, code }, ...rest] = form['do'];
  const body = insideOf(world, 'step', { ...form, do: rest });
  return handled(world, step(body).timeout(Number(ms), code), form, form['step']);
}

/** The handler of the call hears of what fails inside of the lock, that of the value stands around it. */
function guarded(world: World, form: Parts): Step {
  const { sync: id, guard, places, key, catch: actions } = form;
  const body = step(insideOf(world, 'sync', form)).onError(handlerOf(world, id, actions));
  return sync(world.guard(guard, places, key), body);
}
