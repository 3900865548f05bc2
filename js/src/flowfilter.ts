// Which flows a page asks for, and in which order.

import type { FlowEntry } from './flowentry.js';
import type { View } from './imessages.js';

/** Whether it's among those, at that time of the tool. */
export function filterOf(view: View, now: number): (entry: FlowEntry) => boolean {
  const { state, waits, code, guard, age, since } = view;
  const words = (view.text ?? '').toLowerCase().split(/\s+/).filter(Boolean);
  return ({ seen, begun, code: handled, name }) => {
    if (state !== undefined && (seen?.state ?? 'running') !== state) return false;
    if (waits !== undefined && seen?.waits?.for !== waits) return false;
    if (code !== undefined && handled !== code) return false;
    if (age !== undefined && now - begun < age) return false;
    if (since !== undefined && !(now - (seen?.since ?? Infinity) >= since)) return false;
    if (guard !== undefined && !hasToDoWith(seen, guard)) return false;
    const text = seen?.text ?? name.toLowerCase();
    return words.every((word) => text.includes(word));
  };
}

function hasToDoWith(seen: FlowEntry['seen'], guard: number): boolean {
  return seen?.guards.some(({ shown }) => shown.id === guard) ?? false;
}

/** What is less stands before what is more, of the same the older one; what isn't known comes last. */
export function orderOf({ sort, reverse }: View): (a: FlowEntry, b: FlowEntry) => number {
  const key = KEYS[sort];
  const sign = reverse ? -1 : 1;
  if (sort === 'name') {
    return (a, b) => sign * (a.name < b.name ? -1 : a.name > b.name ? 1 : 0) || a.run - b.run;
  }
  return (a, b) => {
    const [x, y] = [key(a), key(b)];
    if (x === y) return a.run - b.run;
    if (x === Infinity || y === Infinity) return x < y ? -1 : 1;
    return sign * (x - y);
  };
}

const KEYS: Record<View['sort'], (entry: FlowEntry) => number> = {
  since: ({ seen }) => seen?.since ?? Infinity,
  age: ({ begun }) => begun,
  id: ({ id }) => id,
  name: () => 0,
  deadline: ({ seen }) => seen?.due ?? Infinity,
  lines: ({ seen }) => -(seen?.lines ?? 1),
};
