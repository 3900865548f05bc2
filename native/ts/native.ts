// The native half of this thread, as all else calls it, and the time that its steps live in.

import { errors, StepError, type VirtualTool } from 'steptree';
import { type Binding, openNative } from './binding.js';
import { driveBy, now, schedule } from './driver.js';
import { attend } from './hearing.js';
import { toldBy } from './told.js';

const tick = () => native.pump(true);

function open(time?: Float64Array): Binding {
  const pump = () => native.pump();
  const { tell, report, serve, cancelServed, heardBy } = toldBy(() => native);
  const scheduled = (ms: number) => schedule(ms, tick);
  const binding = openNative(pump, scheduled, tell, report, serve, cancelServed, heardBy, time);
  const { cancel, counts, pump: run, served } = binding;
  return around(binding, { cancel, counts, pump: run, served }, () => attend(binding));
}

/** Before each of these calls of it something is done. */
function around(binding: Binding, calls: Partial<Binding>, before: () => void): Binding {
  for (const [name, call] of Object.entries(calls) as [string, (...args: unknown[]) => unknown][])
    Object.assign(binding, {
      [name](...args: unknown[]) {
        before();
        return call(...args);
      },
    });
  return binding;
}

export let native: Binding = open();

/** Milliseconds of the native tool, and what they were when those of the test's tool were none. */
let time: Float64Array | null = null;
let begun = 0;

/**
 * For tests: the native steps of this thread live in the time of this tool from now on, as the flows that run on it. Before the first
 * plug-in is loaded; another one may follow as soon as no native step is open. Else: `InternalError`.
 *
 *     const tool = new VirtualTool();
 *     useTool(tool);
 *     const greeter = await load('./greeter.so');
 */
export function useTool(tool: VirtualTool): void {
  if (time === null ? native.list().length > 0 : native.counts().calls > 0)
    throw new StepError(
      errors.InternalError,
      `useTool: expected ${time === null ? 'no plug-in to be loaded yet' : 'no native step to be open'}`,
    );
  attend(native);
  if (time === null) {
    time = new Float64Array(1);
    native = inTime(open(time));
  }
  driveBy(tool);
  begun = time[0]! - tool.now();
  native.pump(true);
}

/** It's told the time whenever it is called. */
function inTime(binding: Binding): Binding {
  const { call, cancel, look, pump, served, unload } = binding;
  return around(binding, { call, cancel, look, pump, served, unload }, () => {
    time![0] = begun + now();
  });
}
