/** Which loop a `break` or `continue` means. */
import type { Step } from './shape.js';

/** [loop-25] [loop-26] [loop-27] [loop-31]: looked for from the caller to the root of its line; the iteration of that loop. */
export function findLoop(step: Step, label: string): Step | undefined {
  for (let frame: Step | undefined = step; frame !== undefined; frame = frame.parent) {
    if (frame.kind === 'root' || frame.kind === 'deferred') return undefined; // [cleanup-17]
    if (frame.kind === 'iteration' && (label === '' || frame.loop!.label === label)) return frame;
  }
  return undefined;
}
