// JavaScript drives the native tool: the next timer of that is one of a tool of JavaScript. What other threads do wakes JavaScript.

import { AsyncTool, type Handle, type VirtualTool } from 'steptree';

/** A tool of its own, or that of a test. */
let tool: AsyncTool | VirtualTool = new AsyncTool();
tool.keepContext = false;
let timer: Handle | null = null;

/** `tick` is called so many milliseconds later, and no sooner; below 0: not at all. */
export function schedule(ms: number, tick: () => void): void {
  timer?.cancel();
  timer = null;
  if (ms < 0) return;
  const due = () => {
    timer = null;
    tick();
  };
  timer = ms === 0 ? tool.immediate(due) : tool.deferred(ms, due);
}

/** From now on that tool drives it; nothing is scheduled yet. */
export function driveBy(other: VirtualTool): void {
  timer?.cancel();
  timer = null;
  tool = other;
}

export const now = () => tool.now();
