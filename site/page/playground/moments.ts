// In the worker that runs a program: what happens there is told to the page, in order, some of it at a time.

import { type AsyncTool, observe, snapshot, type VirtualTool } from 'steptree';
import { lineOf } from '../../../js/conformance/events.js';
import type { Moment } from '../player/record.js';

/** A line of output, or a moment of a tool; of a moment, how many lines had been printed. */
export type Told =
  { readonly line: string; readonly isError: boolean } | { readonly moment: Moment };

/** So many are told each; those behind them now and then. */
const mostMoments = 2_000;
const restMs = 50;
const mostLines = 5_000;
let moments = 0;
let lines = 0;
let told: Told[] = [];

export function print(line: string, isError = false): void {
  if (lines++ < mostLines) tell({ line, isError });
}

export function watch(tool: AsyncTool | VirtualTool): void {
  let looksLater = false;
  let last = 0;
  const keep = (what: string) => {
    last = performance.now();
    moments++;
    const { time, flows, guards } = snapshot(tool);
    const traced = Math.min(lines, mostLines);
    tell({ moment: { time, what, traced, chosen: 0, flows, guards } });
  };
  const keepLater = (ms: number) => {
    if (looksLater) return;
    looksLater = true;
    setTimeout(() => {
      looksLater = false;
      keep('then');
    }, ms);
  };
  observe(tool, (event) => {
    const isRare = moments >= mostMoments;
    if (!isRare || performance.now() - last >= restMs) keep(lineOf(event).trim());
    else keepLater(restMs);
    // A flow is gone when it has said so.
    if (event.what === 'ended') keepLater(0);
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
