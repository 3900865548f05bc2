/** Runs one case and gives its trace. */
import { outside } from './actions.js';
import { adderOfFlow } from './adding.js';
import { addForms } from './forms.js';
import { addChannel, addGuard } from './makeguard.js';
import { makeBudget } from './retry.js';
import { deferred, run } from './tool.js';
import { type Action, log, makeWorld, newFlow, type Options, type World } from './world.js';

export interface Program {
  flows: { [name: string]: Action[] };
  options?: { [name: string]: Options };
  guards?: { [name: string]: { [kind: string]: { [name: string]: any } } };
  channels?: { [name: string]: { capacity: number | string; name?: string } };
  budgets?: { [name: string]: { capacity: number; ratio: number } };
  seed?: number;
  /** Of the tool: its seed, or what it chooses. */
  order?: number | number[];
  cancellable?: string[];
  operations?: string[];
  start?: Action[];
  events?: { at: number; do: Action[] }[];
}

export function runCase(program: Program): string[] {
  return runWorld(program).trace;
}

export function runWorld(program: Program): World {
  const { cancellable = [], operations = [], seed, order } = program;
  const world = makeWorld(cancellable, operations, seed, order);
  for (const [name, form] of Object.entries(program.guards ?? {})) {
    addGuard(world, name, form);
  }
  for (const [name, budget] of Object.entries(program.budgets ?? {})) {
    world.budgets.set(name, makeBudget(budget));
  }
  for (const [name, form] of Object.entries(program.channels ?? {})) {
    addChannel(world, name, form);
  }
  for (const [name, level] of Object.entries(program.flows)) {
    const flow = newFlow(world, name, program.options?.[name]);
    addForms(world, adderOfFlow(flow), level);
  }
  for (const event of program.events ?? []) {
    deferred(world.tool, event.at, () => outside(world, event.do));
  }
  outside(world, program.start ?? [{ execute: 'main' }]);
  run(world.tool);
  for (const [name, flow] of world.flows) {
    if (flow.running) log(world, `${name} waiting`);
  }
  if (world.fault !== undefined) throw world.fault;
  return world;
}

/** The trace; and what there was to choose from, if the case has a list of choices. */
export function answerOf({ trace, tool }: World): { trace: string[]; alternatives?: number[] } {
  const alternatives = tool.order?.alternatives;
  return alternatives === undefined ? { trace } : { trace, alternatives };
}
