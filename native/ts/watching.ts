// Who observes native steps: `observe` of JavaScript, on tools whose steps have called.

import type { Known, ToolInside, WatchInside as Watch } from './engine.js';

export function watchOf({ watching }: ToolInside): Watch | null {
  return watching?.openSteps === undefined ? null : watching;
}

/** As `Binding.observe` takes it. */
export function levelOf(tool: ToolInside): number {
  const watch = watchOf(tool);
  if (watch === null) return 0;
  return watch.bodies ? 2 : 1;
}

/** Native steps that are told and open. */
const openIn = new WeakMap<Watch, Set<Known>>();

/** Steps whose calls are heard. */
export const heardSteps = new WeakSet<object>();

/** From now on recorders find them there, too; and what a step that calls waits for is told by native steps. */
export function openOf(watch: Watch): Set<Known> {
  const known = openIn.get(watch);
  if (known !== undefined) return known;
  const inside = new Set<Known>();
  const openSteps = watch.openSteps!.bind(watch);
  watch.openSteps = () =>
    new Map([...openSteps(), ...[...inside].map((known) => [known.number, known] as const)]);
  const waits = watch.waits.bind(watch);
  watch.waits = (line) => {
    if (!heardSteps.has(line.top as object)) waits(line);
  };
  openIn.set(watch, inside);
  return inside;
}
