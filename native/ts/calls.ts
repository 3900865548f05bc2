// Calls of native steps, and how JavaScript drives their tool.
//
// - A call that ends at once is a call of a function. One that doesn't is awaited: its step's closing cancels it, and waits for its end.
// - What native code tells is told inside of its tool, where nothing of the program may run: it's done in a microtask.
// - The next timer of the native tool is one of a JavaScript tool. What other threads do wakes JavaScript.

import {
  AsyncTool,
  errors,
  type Handle,
  type Hook,
  type IAsyncSteps,
  type Step,
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
import { HeardCall, levelOf, type ToolWatched } from './events.js';
import { addInside } from './inside.js';
import { Served } from './services.js';

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

/** Whose call begins. */
let calling: { asi: IAsyncSteps; name: string } | null = null;
let isBeginning = false;

/** To the hook of the flow whose step has called. */
function report(call: number, described: Described): void {
  const running = waiting.get(call);
  const asi = (running?.asi ?? calling!.asi) as unknown as Within;
  const place = running?.place ?? { path: asi.toPath(), name: calling!.name };
  const error = errorOf(described, place, false);
  const { report } = asi.line.flow.settings;
  const path = joined(place, described.path);
  queueMicrotask(() => report(described.code, described.info, error, path));
}

const served = new Map<number, Served>();

function serve(step: Step, number: number, call: number, ms: number, values: any[]): void {
  const asi = waiting.get(call)?.asi ?? (call < 0 ? undefined : calling?.asi);
  const settings = (asi as unknown as Within | undefined)?.line.flow.settings;
  const around = asi && settings && { asi, settings };
  const begun = new Served(native, number, served);
  queueMicrotask(() => begun.begin(step, around, ms, values));
}

const cancelServed = (number: number) => served.get(number)?.cancel() ?? false;

/** Tools whose steps have calls that are open. */
const tools = new Set<ToolWatched>();
/** What is heard of native steps, as `Binding.observe` takes it. */
let level = 0;
let isHearing = false;
const heard = new Map<number, HeardCall>();
const unsettled = new Set<HeardCall>();

/** Native code is about to be entered, for a step of that tool: whether somebody observes. */
function attend(own?: ToolWatched): void {
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

function hear(number: number, ...event: Heard): void {
  const running = waiting.get(number);
  const call = heard.get(number) ?? heardOf(number, running);
  if (call === undefined) return;
  const isWithin = isHearing;
  isHearing = true;
  const isTold = call.hear(running === undefined, ...event);
  isHearing = isWithin;
  if (event[0] === 'ended') {
    call.end();
    heard.delete(number);
  }
  if (!isTold) return;
  if (unsettled.size === 0) queueMicrotask(settle);
  unsettled.add(call);
}

function heardOf(number: number, running: Running | undefined): HeardCall | undefined {
  const asi = running?.asi ?? (isBeginning ? calling!.asi : undefined);
  if (asi === undefined) return;
  const { path, name } = running?.place ?? {
    path: (asi as unknown as Within).toPath(),
    name: calling!.name,
  };
  const call = new HeardCall(asi, path, name);
  heard.set(number, call);
  return call;
}

function settle(): void {
  const calls = [...unsettled];
  unsettled.clear();
  for (const call of calls) call.settle();
}

function open(time?: Float64Array): Binding {
  const pump = () => native.pump();
  const binding = openNative(pump, schedule, tell, report, serve, cancelServed, hear, time);
  const { cancel, counts, pump: run, served } = binding;
  const attentive =
    <A extends unknown[], R>(call: (...args: A) => R) =>
    (...args: A): R => {
      attend();
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
  attend();
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

/** Events of what is no call that waits are those of this one. */
function callHeard(handler: number, ms: number, grace: number, values: unknown[]): any {
  isBeginning = true;
  try {
    return native.call(ended, handler, ms, grace, ...values);
  } finally {
    isBeginning = false;
  }
}

/** The body of a step that calls it. */
export function bodyOf(handler: number, name: string) {
  return (asi: IAsyncSteps, ...values: unknown[]): any => {
    calling = { asi, name };
    const { grace, tool } = (asi as unknown as Within).line.flow.settings;
    if (tool.watching !== null || level > 0) attend(tool);
    const result = callHeard(handler, asi.remaining(), grace, values);
    const how = ended[0];
    if (how === ONE) return result === undefined ? undefined : asi.success(result);
    ended[0] = ONE;
    if (how === MANY) return asi.success(...result);
    const place = { path: (asi as unknown as Within).toPath(), name };
    if (how === OPEN) return new Running(asi, result, place);
    throw errorOf(result, place);
  };
}
