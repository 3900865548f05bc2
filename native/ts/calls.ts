// Calls of native steps, and how JavaScript drives their tool.
//
// - A call that ends at once is a call of a function. One that doesn't is awaited: its step's closing cancels it, and waits for its end.
// - What native code tells is told inside of its tool, where nothing of the program may run: it's done in a microtask.
// - The next timer of the native tool is one of a JavaScript tool. What other threads do wakes JavaScript.

import {
  AsyncSteps,
  AsyncTool,
  errors,
  type Handle,
  type Hook,
  type IAsyncSteps,
  StepError,
  type VirtualTool,
} from 'steptree';
import {
  type Binding,
  CLOSED,
  type Described,
  FAILED,
  type Heard,
  MANY,
  ONE,
  OPEN,
  openNative,
} from './binding.js';
import { errorOf, joined, type Place } from './errors.js';
import { HeardCall, type ToolWatched } from './events.js';
import { attend, hear, isObserving, tools } from './hearing.js';
import { addInside, waitsInside } from './inside.js';
import { type Offered, Served } from './services.js';

/** What drives it: a tool of its own, or that of a test. */
let driver: AsyncTool | VirtualTool = new AsyncTool();
driver.keepContext = false;
let timer: Handle | null = null;

function schedule(ms: number): void {
  timer?.cancel();
  if (ms < 0) timer = null;
  else timer = ms === 0 ? driver.immediate(tick) : driver.deferred(ms, tick);
}

function tick(): void {
  timer = null;
  native.pump(true);
}

const waiting = new Map<number, Running>();

function tell(call: number, ended: number, value: unknown): void {
  const running = waiting.get(call)!;
  running.told();
  queueMicrotask(() => running.over(ended, value));
}

/** Whose call begins: it is on the stack. */
let calling: { asi: IAsyncSteps; name: string } | null = null;
let isBeginning = false;

/** Who hears of what is told when the call has ended. */
const nobody = new AsyncSteps();

/** To the hook of the flow whose step has called. */
function report(call: number, described: Described): void {
  const running = waiting.get(call);
  const asi = (running?.asi ?? calling?.asi ?? nobody) as unknown as Within;
  const place = running?.place ?? { path: asi.toPath(), name: calling?.name ?? '' };
  const error = errorOf(described, place, false);
  const { report } = asi.line.flow.settings;
  const path = joined(place, described.path);
  queueMicrotask(() => report(described.code, described.info, error, path));
}

const served = new Map<number, Served>();

function serve(offered: Offered, number: number, call: number, ms: number, values: any[]): void {
  const asi = waiting.get(call)?.asi ?? (call < 0 ? undefined : calling?.asi);
  const settings = (asi as unknown as Within | undefined)?.line.flow.settings;
  const around = asi && settings && { asi, settings };
  const begun = new Served(native, number, served);
  queueMicrotask(() => begun.begin(offered, around, ms, values));
}

const cancelServed = (number: number) => served.get(number)?.cancel() ?? false;

function heardBy(number: number, ...event: Heard): void {
  hear(number, !waiting.has(number), heardOf, event);
}

/** The call that is heard for the first time. */
function heardOf(number: number): HeardCall | undefined {
  const running = waiting.get(number);
  const asi = running?.asi ?? (isBeginning ? calling?.asi : undefined);
  if (asi === undefined) return;
  const { path, name } = running?.place ?? {
    path: (asi as unknown as Within).toPath(),
    name: calling!.name,
  };
  return new HeardCall(asi, path, name);
}

function open(time?: Float64Array): Binding {
  const pump = () => native.pump();
  const binding = openNative(pump, schedule, tell, report, serve, cancelServed, heardBy, time);
  const { cancel, counts, pump: run, served } = binding;
  const attentive =
    <A extends unknown[], R>(call: (...args: A) => R) =>
    (...args: A): R => {
      attend(binding);
      return call(...args);
    };
  return Object.assign(binding, {
    cancel: attentive(cancel),
    counts: attentive(counts),
    pump: attentive(run),
    served: attentive(served),
  });
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
  schedule(-1);
  driver = tool;
  begun = time[0]! - tool.now();
  native.pump(true);
}

/** It's told the time whenever it is called. */
function inTime(binding: Binding): Binding {
  const told =
    <A extends unknown[], R>(call: (...args: A) => R) =>
    (...args: A): R => {
      time![0] = begun + driver.now();
      return call(...args);
    };
  const { call, cancel, look, pump, served, unload } = binding;
  const all = { call, cancel, look, pump, served, unload };
  return Object.assign(binding, {
    ...Object.fromEntries(Object.entries(all).map(([name, call]) => [name, told(call as any)])),
  });
}

/** What the step awaits. */
class Running implements PromiseLike<unknown> {
  /** Of the call; -1: it's over. */
  declare private number: number;
  declare readonly asi: IAsyncSteps;
  declare readonly place: Place;
  declare private readonly tool: ToolWatched;
  private resolve: (() => void) | null = null;
  private reject: ((error: unknown) => void) | null = null;
  private closed: (() => void) | null = null;

  constructor(asi: IAsyncSteps, number: number, place: Place) {
    this.asi = asi;
    this.number = number;
    this.place = place;
    waiting.set(number, this);
    this.tool = (asi as unknown as Within).line.flow.settings.tool;
    tools.add(this.tool);
    this.tool.inside ??= new Map();
    this.tool.waitsIn ??= waitsInside;
    this.tool.inside.set(asi, (shown, look) => {
      const flow = this.number < 0 ? undefined : native.look(this.number);
      addInside(shown, look, flow, place.name);
    });
  }

  // biome-ignore lint/suspicious/noThenProperty: it is awaited
  then(resolve: any, reject: any): any {
    this.resolve = resolve;
    this.reject = reject;
  }

  /** Its step is left. Settles when nothing of it is open any more. */
  cancel(): Promise<void> | undefined {
    if (this.number < 0 || native.cancel(this.number)) {
      // Till it has settled it keeps the places that its step had in guards.
      queueMicrotask(() => this.resolve?.());
      return this.forget();
    }
    // Each of its cleanups has the grace: there is none for all of them.
    queueMicrotask(() => (this.asi as unknown as Within).options?.timer?.disarm());
    return new Promise((resolve) => {
      this.closed = resolve;
    });
  }

  /** Its number is another call's from now on. */
  forget(): undefined {
    this.told();
    const { tool } = this;
    tool.inside!.delete(this.asi);
    if (tool.inside!.size === 0) tools.delete(tool);
  }

  /** How it ends, which is about to be heard. */
  told(): void {
    waiting.delete(this.number);
    this.number = -1;
  }

  /** A deadline that has passed is JavaScript's to tell: its step is about to be left. */
  over(ended: number, value: any): void {
    this.forget();
    if (this.closed !== null) {
      this.resolve?.();
      return this.closed();
    }
    if (ended === CLOSED || !this.asi.valid()) return;
    if (ended === FAILED) return this.reject!(errorOf(value, this.place));
    if (ended === MANY) this.asi.success(...value);
    else if (value !== undefined) this.asi.success(value);
    this.resolve!();
  }
}

/** What the runtime knows of the step that calls it. */
interface Within {
  toPath(): string;
  readonly line: { flow: { settings: { report: Hook; tool: ToolWatched; grace: number } } };
  readonly options: { timer: { disarm(): void } | null } | null;
}

const ended = [ONE];

/** What native code tells of a call that doesn't wait yet is of this one. */
function callFor(asi: IAsyncSteps, name: string, handler: number, values: unknown[]): any {
  const { grace, tool } = (asi as unknown as Within).line.flow.settings;
  calling = { asi, name };
  isBeginning = true;
  try {
    if (tool.watching !== null || isObserving()) attend(native, tool);
    return native.call(ended, handler, asi.remaining(), grace, ...values);
  } finally {
    isBeginning = false;
  }
}

/** The body of a step that calls it. */
export function bodyOf(handler: number, name: string) {
  return (asi: IAsyncSteps, ...values: unknown[]): any => {
    const result = callFor(asi, name, handler, values);
    const how = ended[0];
    if (how === ONE) return result === undefined ? undefined : asi.success(result);
    ended[0] = ONE;
    if (how === MANY) return asi.success(...result);
    const place = { path: (asi as unknown as Within).toPath(), name };
    if (how === OPEN) return new Running(asi, result, place);
    throw errorOf(result, place);
  };
}
