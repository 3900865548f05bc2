/** Waits that last are told to `report` of their flow. The rules of the observe chapter from observe-60 on. */
import { type Event, observe, type Observer, unobserve } from './observe.js';
import type { Line } from './shape.js';
import { waitOf } from './snapshot.js';
import { StepError } from './thrown.js';
import { alarm, cancelEntry, type Timer, type Tool } from './tool.js';

export interface Stalls {
  tool: Tool;
  observer: Observer;
  /** Of each line that waits. */
  alarms: Map<Line, Timer>;
}

/** [observe-60] */
export function watchStalls(tool: Tool, wait: number): Stalls {
  const alarms = new Map<Line, Timer>();
  const tell = ({ step, what }: Event) => {
    const line = step?.line;
    if (line === undefined) return;
    const before = alarms.get(line);
    if (before !== undefined) cancelEntry(tool, before); // [observe-61]
    if (!what.startsWith('waits ')) return;
    const noted = alarm(tool, wait, () => lasts(line));
    alarms.set(line, noted);
  };
  const observer = { bodies: false, tell };
  observe(tool, observer);
  return { tool, observer, alarms };
}

function lasts(line: Line): void {
  const waits = waitOf(line);
  if (waits === undefined || waits === 'turn' || waits === 'code') return;
  line.flow.hooks.report(new StepError('StalledWait'));
}

export function endStalls({ tool, observer, alarms }: Stalls): void {
  unobserve(tool, observer);
  for (const each of alarms.values()) cancelEntry(tool, each);
}
