// Timers of a tool: a binary heap ordered by (due, order of arming). Every timer knows its place, so taking one out is as cheap
// as putting one in: nothing for the usual cases, the youngest timer and the one with the latest due time.

import { badArgument } from './error.js';

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
