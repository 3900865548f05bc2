// In the worker that runs a program: what happens there is told to the page, in order, some of it at a time.

import { type AsyncTool, observe, snapshot, type VirtualTool } from 'steptree';
import { lineOf } from '../../../js/conformance/events.js';
import type { Moment } from '../player/record.js';

/** A line of output, or a moment of a tool; of a moment, how many lines had been printed. */
export type Told =
  { readonly line: string; readonly isError: boolean } | { readonly moment: Moment };

const mostMoments = 2_000;
const mostLines = 5_000;
let moments = 0;
let lines = 0;
let told: Told[] = [];

export function print(line: string, isError = false): void {
  if (lines++ < mostLines) tell({ line, isError });
}

export function watch(tool: AsyncTool | VirtualTool): void {
  let looks = false;
  const keep = (what: string) => {
    if (moments++ >= mostMoments) return;
    const { time, flows, guards } = snapshot(tool);
    const traced = Math.min(lines, mostLines);
    tell({ moment: { time, what, traced, chosen: 0, flows, guards } });
  };
  observe(tool, (event) => {
    keep(lineOf(event).trim());
    if (event.what !== 'ended' || looks) return;
    // It is gone when it has said so.
    looks = true;
    setTimeout(() => {
      looks = false;
      keep('then');
    });
  });
}

function tell(what: Told): void {
  told.push(what);
  if (told.length === 1) setTimeout(hand, 30);
  if (told.length >= 500) hand();
}

export function hand(): void {
  if (told.length === 0) return;
  self.postMessage(told);
  told = [];
}
