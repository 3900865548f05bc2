// What snapshots show of a native call: its lines, inside of the step that calls it.

import type { FlowSnapshot, LineSnapshot } from 'steptree';

export interface Inside {
  line: LineSnapshot;
  deadline?: number | undefined;
  /** Of the step itself: its limit. */
  step?: { timeout?: number } | undefined;
}

/** Without what JavaScript's step shows already. Of one that has ended just now: the turn of that is next. */
export function insideOf(flow: FlowSnapshot | undefined, name: string): Inside {
  const line = flow?.line;
  if (line === undefined) return { line: { steps: [], waits: { for: 'turn' }, lines: [] } };
  const at = line.steps.findIndex(({ element }) => element === name);
  const { timeout } = line.steps.splice(0, at + 1).at(-1) ?? {};
  const next = [line];
  for (let inner = next.pop(); inner !== undefined; inner = next.pop()) {
    // Numbers of native guards may be those of JavaScript's.
    delete inner.waits?.guard;
    next.push(...inner.lines);
  }
  return { line, deadline: flow!.deadline, step: timeout === undefined ? {} : { timeout } };
}
