/** What of a program can be run in every order. */
import type { Program } from './case.js';

const mostSteps = 6;
const forms = [
  'step',
  'repeat',
  'forEach',
  'map',
  'parallel',
  'race',
  'any',
  'all',
  'await',
  'sync',
];
const steps = new Set([...forms, 'shield', 'delay', 'retry', 'hedge', 'successStep', 'relinquish']);
/** What runs for long. */
const endless = new Set(['loop', 'times', 'endless']);
/** Data of the program, not program. */
const data = new Set(['success', 'successStep', 'of', 'set', 'value']);

/**
 * An accessor that is kept may be used too late in another order, which no adapter in C++ can know; and which flow a snapshot of a tool
 * shows first is free there. [observe-1]
 */
export function movesFreely({ flows, guards, start, events }: Program): boolean {
  const parts = [flows, guards, start, events];
  return count(parts, new Set(['keep'])) === 0 && !/"snapshot":true/.test(JSON.stringify(parts));
}

export function isSmall({ flows, guards, start, events }: Program): boolean {
  const parts = [flows, guards, start, events];
  return count(parts, endless) === 0 && count(parts, steps) <= mostSteps;
}

/** How often such keys occur. */
function count(part: unknown, keys: ReadonlySet<string>): number {
  if (part === 'relinquish') return keys.has(part) ? 1 : 0;
  if (Array.isArray(part)) return part.reduce((sum, item) => sum + count(item, keys), 0);
  if (typeof part !== 'object' || part === null) return 0;
  return Object.entries(part).reduce((sum, [key, value]) => {
    const inside = data.has(key) && key !== 'of' ? 0 : count(value, keys);
    return sum + inside + (keys.has(key) ? 1 : 0);
  }, 0);
}
