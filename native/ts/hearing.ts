// Whether native code tells its events, and to whom.

import type { Binding, Heard } from './binding.js';
import type { ToolInside } from './engine.js';
import type { HeardCall } from './events.js';
import { levelOf } from './watching.js';

/** Tools whose steps have calls that are open. */
export const tools = new Set<ToolInside>();
/** What is heard of native steps, as `Binding.observe` takes it. */
let level = 0;
let isHearing = false;
const heard = new Map<number, HeardCall>();
const unsettled = new Set<HeardCall>();

export function isObserving(): boolean {
  return level > 0;
}

/** Native code is about to be entered, for a step of that tool: whether somebody observes. */
export function attend(native: Binding, own?: ToolInside): void {
  if (isHearing) return;
  let next = own === undefined ? 0 : levelOf(own);
  for (const tool of tools) next = Math.max(next, levelOf(tool));
  if (next === level) return;
  level = next;
  native.observe(next);
  if (next > 0) return;
  for (const call of heard.values()) call.end();
  heard.clear();
}

/** `isCalling`: the call doesn't wait yet. `heardOf` makes what hears it, if somebody does. */
export function hear(
  number: number,
  isCalling: boolean,
  heardOf: (number: number) => HeardCall | undefined,
  event: Heard,
): void {
  const call = heard.get(number) ?? heardOf(number);
  if (call === undefined) return;
  heard.set(number, call);
  const isWithin = isHearing;
  isHearing = true;
  const isTold = call.hear(isCalling, ...event);
  isHearing = isWithin;
  if (event[0] === 'ended') {
    call.end();
    heard.delete(number);
  }
  if (!isTold) return;
  if (unsettled.size === 0) queueMicrotask(settle);
  unsettled.add(call);
}

function settle(): void {
  const calls = [...unsettled];
  unsettled.clear();
  for (const call of calls) call.settle();
}
