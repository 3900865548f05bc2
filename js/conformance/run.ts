// Runs one case and gives its trace; and what there was to choose from, if it has a list of choices.

import { Channel, RetryBudget, type RetryBudgetOptions } from 'steptree';
import { addForms } from './forms.js';
import { external } from './actions.js';
import { addGuard, type GuardForm } from './guards.js';
import { type Action, type FlowOptions, type Form, World } from './world.js';

export interface Case {
  flows: { [name: string]: Form[] };
  options?: { [name: string]: FlowOptions };
  guards?: { [name: string]: GuardForm };
  channels?: { [name: string]: { capacity: number | string; name?: string } };
  cancellable?: string[];
  operations?: string[];
  seed?: number;
  order?: number | number[];
  budgets?: { [name: string]: RetryBudgetOptions };
  start?: Action[];
  events?: { at: number; do: Action[] }[];
}

export interface Answer {
  trace: string[];
  alternatives?: readonly number[];
}

export function runCase(program: Case): Promise<Answer> {
  return runOnce(worldOf(program), program);
}

export function worldOf({ cancellable = [], operations = [] }: Case): World {
  return new World(cancellable, operations);
}

/** One run of the case in its world. */
export async function runOnce(world: World, program: Case): Promise<Answer> {
  world.begin({ seed: program.seed, order: program.order });
  for (const [name, guard] of Object.entries(program.guards ?? {})) {
    addGuard(world, name, guard);
  }
  for (const [name, { capacity, ...more }] of Object.entries(program.channels ?? {})) {
    world.channels.set(name, new Channel({ capacity: Number(capacity), ...more }));
  }
  for (const [name, options] of Object.entries(program.budgets ?? {})) {
    world.budgets.set(name, new RetryBudget(options));
  }
  for (const [name, level] of Object.entries(program.flows)) {
    addForms(world, world.makeFlow(name, program.options?.[name]), level);
  }
  for (const event of program.events ?? []) {
    world.tool.deferred(event.at, () => external(world, event.do));
  }
  external(world, program.start ?? [{ execute: 'main' }]);
  await Promise.race([world.tool.run(), world.truncated]);
  for (const [name, flow] of world.flows) {
    if (flow.running()) world.log(`${name} waiting`);
  }
  const { trace, tool } = world;
  return Array.isArray(program.order) ? { trace, alternatives: tool.alternatives() } : { trace };
}
