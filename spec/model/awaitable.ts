/** A promise of somebody else's: it is settled once, and tells those who wait after the callback in which that happened. */
import type { Tool } from './tool.js';

export type Settled = { ok: true; value: unknown } | { ok: false; reason: unknown };

export interface Awaitable {
  tool: Tool;
  settled: Settled | undefined;
  waiting: ((settled: Settled) => void)[];
  /** Only what can be cancelled has it. */
  cancel: (() => void) | undefined;
}

export function makeAwaitable(tool: Tool, cancel?: () => void): Awaitable {
  return { tool, settled: undefined, waiting: [], cancel };
}

/** [promise-20] */
export function settle(awaitable: Awaitable, settled: Settled): void {
  if (awaitable.settled !== undefined) return;
  awaitable.settled = settled;
  for (const hear of awaitable.waiting) awaitable.tool.after.push(() => hear(settled));
}

/** [promise-13]: settled already or not, it is heard after this callback. */
export function whenSettled(awaitable: Awaitable, hear: (settled: Settled) => void): void {
  const { settled, tool, waiting } = awaitable;
  if (settled === undefined) waiting.push(hear);
  else tool.after.push(() => hear(settled));
}
