/** The steps of a program as they stand in it, by id: what an invariant of traces can be told about. */
import type { Program } from '../case.js';

export interface Level {
  readonly steps: readonly StaticStep[];
}

export interface StaticStep {
  readonly id: string;
  /** What its body, its handlers and its cleanups add, list by list, and its branches. */
  readonly levels: readonly Level[];
  readonly branches: readonly StaticStep[];
}

type Part = { readonly [key: string]: unknown };

const repeats = new Set(['loop', 'repeat', 'forEach', 'map', 'retry', 'hedge']);
const ofBranches = new Set(['parallel', 'race', 'any', 'all']);
const forms = new Set([...repeats, ...ofBranches, 'step', 'steps', 'await', 'sync', 'shield']);

/** Flows that are executed once, from the start, with their steps; those of others may come several times. */
export function flowsRunOnce(program: Program): ReadonlyMap<string, Level> {
  const text = JSON.stringify(program);
  const times = (name: string) =>
    text.split(`"execute":"${name}"`).length + text.split(`"promise":"${name}"`).length - 2;
  const added = (name: string) => text.includes(`"addTo":"${name}"`);
  const started = JSON.stringify(program['start'] ?? []);
  return new Map(
    Object.entries(program.flows)
      .filter(([name]) => times(name) === 1 && started.includes(`"${name}"`) && !added(name))
      .map(([name, level]) => [name, levelOf(level as Part[])]),
  );
}

/** All steps under these, with themselves. */
export function idsUnder(steps: readonly StaticStep[]): string[] {
  return steps.flatMap(({ id, levels, branches }) => [
    id,
    ...idsUnder([...levels.flatMap((level) => level.steps), ...branches]),
  ]);
}

function levelOf(actions: readonly unknown[]): Level {
  return { steps: actions.flatMap(stepsOf) };
}

/** An action that isn't a form may have some in it; those that other steps or flows get are left out. */
function stepsOf(action: unknown): StaticStep[] {
  if (typeof action !== 'object' || action === null) return [];
  const part = action as Part;
  const kind = Object.keys(part)[0] as string;
  if (kind === 'try') return (part['try'] as unknown[]).flatMap(stepsOf);
  if (!forms.has(kind)) return [];
  return [stepOf(kind, part)];
}

function stepOf(kind: string, part: Part): StaticStep {
  const lists = ['do', 'parts', 'catch'].map((key) => (part[key] as unknown[] | undefined) ?? []);
  const inner = [...lists, ...lists.flatMap((list) => list.flatMap(cleanupsIn))].map(levelOf);
  const branches = levelOf((part['branches'] as unknown[] | undefined) ?? []).steps;
  const id = String(part[kind]);
  // What runs several times has no order of its own; all of it is in the step.
  if (!repeats.has(kind)) return { id, levels: inner, branches };
  return { id, levels: [], branches: inner.flatMap(({ steps }) => steps).map(flat) };
}

function flat(step: StaticStep): StaticStep {
  return { id: step.id, levels: [], branches: idsUnder([step]).slice(1).map(leaf) };
}

function leaf(id: string): StaticStep {
  return { id, levels: [], branches: [] };
}

function cleanupsIn(action: unknown): unknown[][] {
  if (typeof action !== 'object' || action === null) return [];
  const { defer, do: actions, try: tried } = action as Part;
  if (Array.isArray(tried)) return tried.flatMap(cleanupsIn);
  return defer !== undefined && Array.isArray(actions)
    ? [actions, ...actions.flatMap(cleanupsIn)]
    : [];
}
