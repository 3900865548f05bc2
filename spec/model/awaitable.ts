/** A promise of somebody else's: it is settled once, and tells those who wait after the callback in which that happened. */
import type { Tool } from './tool.js';

/** `values`: those of a flow, which may have ended with any number. */
export type Settled =
  { ok: true; value: unknown; values?: readonly unknown[] } | { ok: false; reason: unknown };

/** Who waits for it; another one may take over its place in their order. */
export interface Listener {
  hear: (settled: Settled) => void;
}

export interface Awaitable {
  tool: Tool;
  settled: Settled | undefined;
  waiting: Listener[];
  /** How many steps await it. */
  awaiters: number;
  /** Begins its work when the step that awaits it opens; throws if it can't. */
  start: (() => void) | undefined;
  /** Only what can be cancelled has it. */
  cancel: (() => void) | undefined;
  /** It takes time to stop: asked to, it goes on until it settles ([cleanup-100]). */
  lasts: boolean;
  /** What it failed with when nobody awaited it has been told ([promise-38]). */
  reported: boolean;
}

export function makeAwaitable(tool: Tool, cancel?: () => void, lasts = false): Awaitable {
  return {
    tool,
    settled: undefined,
    waiting: [],
    awaiters: 0,
    start: undefined,
    cancel,
    lasts,
    reported: false,
  };
}

/** [promise-20] */
export function settle(awaitable: Awaitable, settled: Settled): void {
  if (awaitable.settled !== undefined) return;
  awaitable.settled = settled;
  for (const listener of awaitable.waiting) awaitable.tool.after.push(() => listener.hear(settled));
}

/** [promise-13]: settled already or not, it is heard after this callback. */
export function whenSettled(awaitable: Awaitable, hear: Listener['hear']): Listener {
  const { settled, tool, waiting } = awaitable;
  const listener = { hear };
  if (settled === undefined) waiting.push(listener);
  else tool.after.push(() => listener.hear(settled));
  return listener;
}
