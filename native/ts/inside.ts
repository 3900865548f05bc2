// What snapshots show of a native call: its lines, inside of the step that calls it.

import type { FlowSnapshot, LineSnapshot } from 'steptree';

/** Without what JavaScript's step shows already. Undefined: nothing of it is open. */
export function lineInside(flow: FlowSnapshot | undefined, name: string): LineSnapshot | undefined {
  const line = flow?.line;
  if (line === undefined) return undefined;
  const at = line.steps.findIndex(({ element }) => element === name);
  line.steps.splice(0, at + 1);
  const next = [line];
  for (let inner = next.pop(); inner !== undefined; inner = next.pop()) {
    // Numbers of native guards may be those of JavaScript's.
    delete inner.waits?.guard;
    next.push(...inner.lines);
  }
  return line;
}
