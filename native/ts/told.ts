// What native code tells JavaScript. That is inside of its tool, where nothing of the program may run: it's done in a microtask.

import type { IAsyncSteps } from 'steptree';
import type { Binding, Described, Heard } from './binding.js';
import { type Settings, settingsOf, stepOf, usualSettings } from './engine.js';
import { errorOf, joined, type Place } from './errors.js';
import { HeardCall } from './events.js';
import { hear } from './hearing.js';
import { reportLater } from './reports.js';
import { waiting } from './running.js';
import { type Around, type Offered, Served } from './services.js';

/** Whose call is on the stack: native code that doesn't wait yet is of this one. */
let calling: { readonly asi: IAsyncSteps; readonly name: string } | null = null;
/** Of the flow that has called last: for what native code does without a call. */
let last = usualSettings();

/** Gives whose call was on the stack before, which is to be put back. */
export function callBegins(asi: IAsyncSteps, name: string, settings: Settings): typeof calling {
  const before = calling;
  calling = { asi, name };
  last = settings;
  return before;
}

export function callLeft(before: typeof calling): void {
  calling = before;
}

/** The step of a call, and where it stands. */
function callerOf(call: number): { asi: IAsyncSteps; place: Place } | undefined {
  const running = waiting.get(call);
  if (running !== undefined || calling === null) return running;
  const { asi, name } = calling;
  return { asi, place: { path: stepOf(asi).toPath(), name } };
}

function tell(call: number, ended: number, value: unknown): void {
  const running = waiting.get(call)!;
  running.told();
  queueMicrotask(() => running.over(ended, value));
}

/** To the hook of the flow whose step has called; if that has gone, to that of the last one. */
function report(call: number, described: Described): void {
  const caller = callerOf(call);
  const place = caller?.place ?? null;
  const { report } = caller === undefined ? last : settingsOf(caller.asi);
  const error = errorOf(described, place, false);
  const path = place === null ? described.path : joined(place, described.path);
  reportLater(() => report(described.code, described.info, error, path));
}

function heardBy(call: number, ...event: Heard): void {
  hear(call, !waiting.has(call), heardOf, event);
}

/** The call that is heard for the first time. */
function heardOf(call: number): HeardCall | undefined {
  const caller = callerOf(call);
  return caller && new HeardCall(caller.asi, caller.place.path, caller.place.name);
}

const served = new Map<number, Served>();

/** What a flow of the plug-in's own calls has the tool of the last call, and nothing else of that. */
function aroundOf(call: number): Around {
  const asi = call < 0 ? undefined : callerOf(call)?.asi;
  if (asi === undefined) return { settings: { tool: last.tool } };
  return { asi, settings: settingsOf(asi) };
}

export interface Told {
  readonly tell: typeof tell;
  readonly report: typeof report;
  readonly heardBy: typeof heardBy;
  serve(offered: Offered, number: number, call: number, ms: number, values: any[]): void;
  cancelServed(number: number): boolean;
}

/** `native`: who tells. */
export function toldBy(native: () => Binding): Told {
  return {
    tell,
    report,
    heardBy,
    serve(offered, number, call, ms, values) {
      const around = aroundOf(call);
      const begun = new Served(native(), number, served);
      queueMicrotask(() => begun.begin(offered, around, ms, values));
    },
    cancelServed: (number) => served.get(number)?.cancel() ?? false,
  };
}
