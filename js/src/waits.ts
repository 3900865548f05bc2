// What a line waits for: the table of the chapter, which the engine's states and what kinds say of themselves fill.

import type { Hosts, Waits } from './kind.js';
import {
  AWAITING,
  BODY,
  CANCEL,
  CLAIMED,
  CLOSED,
  HANDLER,
  HOSTS,
  KNOWN,
  WAITING,
} from './phase.js';
import { shelterIf } from './shelter.js';
import { kindIf, kindOf } from './step.js';
import type { Line } from './tree.js';

/** The table, from above. `own` is what the last step that is shown says; null: for the lines inside. */
export function waitsOf({ slot, top }: Line, own: Waits | null): Waits | null {
  if (slot >= 0 || top === null || top.bits & CLAIMED) return { for: 'turn' };
  const { bits } = top;
  const inner = kindIf(top)?.waits?.(top);
  if (inner?.for === 'turn') return inner;
  if (bits & (BODY | HANDLER | CANCEL | CLOSED)) return { for: 'code' };
  if (shelterIf(top)?.stop) return { for: 'stop' };
  if (bits & HOSTS && !inner && !linesRun(kindOf(top) as Hosts)) return { for: 'code' };
  if (own !== null) return own;
  if (bits & AWAITING) return { for: 'awaitable' };
  if (bits & WAITING) return { for: bits & KNOWN ? 'completion' : 'success' };
  return bits & HOSTS ? null : { for: 'code' };
}

function linesRun({ first, tail }: Hosts): boolean {
  for (let branch = first; branch !== null; branch = branch.sibling)
    if (isOpen(branch)) return true;
  return !!tail;
}

/** One that has failed, and an item whose result waits for those before it, are not. */
export function isOpen({ top, tail, slot }: Line): boolean {
  return top !== null || tail !== null || slot >= 0;
}
