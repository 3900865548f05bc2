// Calls of native steps that wait: what the steps of JavaScript that call them await. The closing of such a step cancels its call, and
// waits for the end of that.

import type { IAsyncSteps } from 'steptree';
import { type Binding, CLOSED, FAILED, MANY } from './binding.js';
import { settingsOf, stepOf, type ToolInside } from './engine.js';
import { errorOf, type Place } from './errors.js';
import { tools } from './hearing.js';
import { addInside, waitsInside } from './inside.js';
import { reportNow } from './reports.js';

/** By the numbers of their calls. */
export const waiting = new Map<number, Running>();

export class Running implements PromiseLike<unknown> {
  declare private readonly native: Binding;
  declare readonly asi: IAsyncSteps;
  /** Of the call; -1: it's over. */
  declare private number: number;
  declare readonly place: Place;
  declare private readonly tool: ToolInside;
  private resolve: (() => void) | null = null;
  private reject: ((error: unknown) => void) | null = null;
  private closed: (() => void) | null = null;

  constructor(native: Binding, asi: IAsyncSteps, number: number, place: Place) {
    this.native = native;
    this.asi = asi;
    this.number = number;
    this.place = place;
    waiting.set(number, this);
    this.tool = settingsOf(asi).tool;
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
    const isClosed = this.number < 0 || this.native.cancel(this.number);
    reportNow();
    if (isClosed) {
      // Till it has settled it keeps the places that its step had in guards.
      queueMicrotask(() => this.resolve?.());
      return this.forget();
    }
    // Each of its cleanups has the grace: there is none for all of them.
    queueMicrotask(() => stepOf(this.asi).options?.timer?.disarm());
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
