// Who receives outside of steps: an async iterator, each of whose calls waits as a step would.
//
// A value is the iterator's from the moment on in which somebody reads it. What it was given before goes back when it's left.

import { Waiter } from './waiters.js';

type Result<V> = IteratorResult<V, undefined>;

/** One call of `next()`. */
export class Reading extends Waiter {
  declare private readonly settle: (result: Result<any>) => void;
  isUnread = false;

  constructor(settle: (result: Result<any>) => void) {
    super(null, null);
    this.settle = settle;
  }

  override valid(): boolean {
    return true;
  }

  /** Somebody reads it when he does; till then it can go back. */
  override success(value?: unknown): boolean {
    const reading = this;
    this.what = value;
    this.isUnread = true;
    this.settle({
      done: false,
      get value() {
        reading.isUnread = false;
        return reading.what;
      },
    });
    return true;
  }

  /** There is nothing more. */
  close(): void {
    this.settle({ done: true, value: undefined });
  }

  giveBack(take: (value: unknown) => void): void {
    if (!this.isUnread) return;
    this.isUnread = false;
    take(this.what);
    this.what = undefined;
  }
}

export class Reader<V> implements AsyncIterator<V, undefined> {
  declare private readonly begin: (reading: Reading) => void;
  declare private readonly leave: (reading: Reading) => void;
  /** Calls that wait, or whose value nobody may have read. */
  private readings: Reading[] = [];
  private left = false;

  constructor(begin: (reading: Reading) => void, leave: (reading: Reading) => void) {
    this.begin = begin;
    this.leave = leave;
  }

  next(): Promise<Result<V>> {
    return new Promise((settle) => {
      const reading = new Reading(settle);
      if (this.left) return reading.close();
      this.readings = this.readings.filter((known) => known.waits || known.isUnread);
      this.readings.push(reading);
      return this.begin(reading);
    });
  }

  return(): Promise<Result<V>> {
    this.left = true;
    for (const reading of this.readings.reverse()) this.leave(reading);
    this.readings = [];
    return Promise.resolve({ done: true, value: undefined });
  }
}
