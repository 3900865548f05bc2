// Calls of native steps, and how JavaScript drives their tool.
//
// - A call that ends at once is a call of a function. One that doesn't is awaited: its step's closing cancels it, and waits for its end.
// - What native code tells is told inside of its tool, where nothing of the program may run: it's done in a microtask.
// - The next timer of the native tool is one of a JavaScript tool. What other threads do wakes JavaScript.

import { AsyncTool, type Handle, type Hook, type IAsyncSteps, type LineSnapshot } from 'steptree';
import {
  type Binding,
  CLOSED,
  type Described,
  FAILED,
  MANY,
  ONE,
  OPEN,
  openNative,
} from './binding.js';
import { errorOf, type Place } from './errors.js';
import { lineInside } from './inside.js';

const driver = new AsyncTool();
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
  running.forget();
  queueMicrotask(() => running.over(ended, value));
}

/** Whose call begins. */
let calling: IAsyncSteps | null = null;

/** To the hook of the flow whose step has called. */
function report(call: number, described: Described): void {
  const asi = waiting.get(call)?.asi ?? calling;
  const { line, toPath } = asi as unknown as Within;
  const path = toPath.call(asi);
  const error = errorOf(described, { path, name: '' });
  const { report } = line.flow.settings;
  queueMicrotask(() => report(described.code, described.info, error, path));
}

export const native: Binding = openNative(() => native.pump(), schedule, tell, report);

/** What the step awaits. */
class Running implements PromiseLike<unknown> {
  /** Of the call; -1: it's over. */
  declare private number: number;
  declare readonly asi: IAsyncSteps;
  declare private readonly place: Place;
  declare private readonly tool: ToolWithin;
  private resolve: (() => void) | null = null;
  private reject: ((error: unknown) => void) | null = null;
  private closed: (() => void) | null = null;

  constructor(asi: IAsyncSteps, number: number, place: Place) {
    this.asi = asi;
    this.number = number;
    this.place = place;
    waiting.set(number, this);
    this.tool = (asi as unknown as Within).line.flow.settings.tool;
    this.tool.inside ??= new Map();
    this.tool.inside.set(this, () => lineInside(native.look(this.number), place.name));
  }

  // biome-ignore lint/suspicious/noThenProperty: it is awaited
  then(resolve: any, reject: any): any {
    this.resolve = resolve;
    this.reject = reject;
  }

  /** Its step is left. Settles when nothing of it is open any more. */
  cancel(): Promise<void> | undefined {
    if (this.number < 0) return undefined;
    if (native.cancel(this.number)) return this.forget();
    return new Promise((resolve) => {
      this.closed = resolve;
    });
  }

  /** Its number is another call's from now on. */
  forget(): undefined {
    waiting.delete(this.number);
    this.tool.inside!.delete(this);
    this.number = -1;
  }

  /** A deadline that has passed is JavaScript's to tell: its step is about to be left. */
  over(ended: number, value: any): void {
    if (this.closed !== null) return this.closed();
    if (ended === CLOSED || !this.asi.valid()) return;
    if (ended === FAILED) return this.reject!(errorOf(value, this.place));
    if (ended === MANY) this.asi.success(...value);
    else if (value !== undefined) this.asi.success(value);
    this.resolve!();
  }
}

interface ToolWithin {
  inside?: Map<unknown, () => LineSnapshot | undefined>;
}

/** What the runtime knows of the step that calls it. */
interface Within {
  toPath(): string;
  readonly line: { flow: { settings: { report: Hook; tool: ToolWithin } } };
}

const ended = [ONE];

/** The body of a step that calls it. */
export function bodyOf(handler: number, name: string) {
  return (asi: IAsyncSteps, ...values: unknown[]): any => {
    calling = asi;
    const result = native.call(ended, handler, asi.remaining(), ...values);
    const how = ended[0];
    if (how === ONE) return result === undefined ? undefined : asi.success(result);
    ended[0] = ONE;
    if (how === MANY) return asi.success(...result);
    const place = { path: (asi as unknown as Within).toPath(), name };
    if (how === OPEN) return new Running(asi, result, place);
    throw errorOf(result, place);
  };
}
