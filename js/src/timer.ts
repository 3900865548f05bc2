// Timers of a tool, and the timeout of a step.
//
// A binary heap ordered by (due, order of arming); every timer knows its place, so taking one out is as cheap as putting one in:
// nothing for the usual cases, the youngest timer and the one with the latest due time.

import { errors } from './codes.js';
import { badArgument, nextOrder, StepError } from './error.js';
import { BUSY, LATCHED } from './phase.js';
import type { Step } from './step.js';
import { optionsOf } from './tree.js';
import { cancelFlow } from './cancel.js';
import { cancelInside, dropLatch, unwind } from './unwind.js';

export interface Timer {
  due: number;
  order: number;
  /** Its index in the heap; -1 when it isn't armed. */
  place: number;
  fire(): void;
}

export class TimerHeap {
  readonly #heap: Timer[] = [];
  /** Timers armed so far. */
  armed = 0;

  get size(): number {
    return this.#heap.length;
  }

  first(): Timer | undefined {
    return this.#heap[0];
  }

  /** Takes the first timer if it is due and was armed before the `end`-th. */
  takeDue(now: number, end: number): Timer | null {
    const timer = this.#heap[0];
    if (timer === undefined || timer.due > now || timer.order >= end) return null;
    this.remove(timer);
    return timer;
  }

  push(timer: Timer, due: number): void {
    timer.due = due;
    timer.order = this.armed++;
    const heap = this.#heap;
    heap.push(timer);
    this.#rise(timer, heap.length - 1);
  }

  remove(timer: Timer): void {
    const heap = this.#heap;
    const { place } = timer;
    timer.place = -1;
    const last = heap.pop()!;
    if (last === timer) return;
    this.#sink(last, place);
    if (last.place === place) this.#rise(last, place);
  }

  #rise(timer: Timer, from: number): void {
    const heap = this.#heap;
    let place = from;
    while (place > 0) {
      const above = (place - 1) >> 1;
      const parent = heap[above]!;
      if (!isBefore(timer, parent)) break;
      heap[place] = parent;
      parent.place = place;
      place = above;
    }
    heap[place] = timer;
    timer.place = place;
  }

  #sink(timer: Timer, from: number): void {
    const heap = this.#heap;
    let place = from;
    for (;;) {
      let below = 2 * place + 1;
      if (below >= heap.length) break;
      if (below + 1 < heap.length && isBefore(heap[below + 1]!, heap[below]!)) below++;
      const child = heap[below]!;
      if (!isBefore(child, timer)) break;
      heap[place] = child;
      child.place = place;
      place = below;
    }
    heap[place] = timer;
    timer.place = place;
  }
}

function isBefore(a: Timer, b: Timer): boolean {
  return a.due < b.due || (a.due === b.due && a.order < b.order);
}

/** Whole milliseconds, rounded up; what isn't a delay is refused. */
export function checkDelay(call: string, ms: unknown): number {
  if (typeof ms !== 'number' || !(ms >= 0)) badArgument(call, 'milliseconds, 0 or more', ms);
  return Math.ceil(ms);
}

export class StepTimer implements Timer {
  declare due: number;
  declare order: number;
  declare place: number;
  declare private readonly step: Step;

  constructor(step: Step) {
    this.due = 0;
    this.order = 0;
    this.place = -1;
    this.step = step;
  }

  fire(): void {
    fireTimeout(this.step);
  }
}

/** Arms the step's timer in place of the one before. */
export function armStep(step: Step, ms: number): void {
  const delay = checkDelay('setTimeout', ms);
  disarmStep(step);
  const timer = new StepTimer(step);
  optionsOf(step).timer = timer;
  step.line.flow.settings.tool.arm(timer, delay);
}

/** The step has options. */
export function disarmStep(step: Step): void {
  const options = step.options!;
  if (options === null || options.timer === null) return;
  step.line.flow.settings.tool.disarm(options.timer);
  options.timer = null;
}

/** The closing happens here, in the timer pass: inside first, without error handlers, then `Timeout` at the owner. */
function fireTimeout(step: Step): void {
  const { line } = step;
  const { flow } = line;
  step.options!.timer = null;
  flow.bits |= BUSY;
  flow.settings.tool.remove(line);
  const timeout = new StepError(errors.Timeout).raisedBy(step, nextOrder());
  cancelInside(line, step, timeout);
  dropLatch(line, timeout);
  const recovered = unwind(line, timeout);
  flow.bits &= ~BUSY;
  if (flow.bits & LATCHED) cancelFlow(flow);
  else if (recovered !== null) flow.settings.tool.enqueue(recovered);
}
