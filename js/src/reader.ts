// Who receives outside of steps: an async iterator, each of whose calls waits as a step would.
//
// A value is the iterator's from the moment on in which somebody reads it. What it was given before goes back when it's left.

import { errors } from './codes.js';
import { StepError } from './error.js';
import type { ISignal } from './iasyncsteps.js';
import { Waiter } from './waiters.js';

type Result<V> = IteratorResult<V, undefined>;

/** One call of `next()`. */
export class Reading extends Waiter {
  /** Before it is settled otherwise. */
  declare readonly fail: (error: StepError) => void;
  declare private readonly settle: (result: Result<any>) => void;
  declare private readonly ended: () => void;
  isUnread = false;

  constructor(
    settle: (result: Result<any>) => void,
    fail: (error: StepError) => void,
    ended: () => void,
  ) {
    super(null, null);
    this.settle = settle;
    this.fail = fail;
    this.ended = ended;
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
    this.ended();
  }

  giveBack(take: (value: unknown) => void): void {
    if (!this.isUnread) return;
    this.isUnread = false;
    take(this.what);
    this.what = undefined;
  }
}

export class Reader<V> implements AsyncIterableIterator<V, undefined> {
  declare private readonly begin: (reading: Reading) => void;
  declare private readonly leave: (reading: Reading) => void;
  /** Calls that wait, or whose value nobody may have read. */
  private readings: Reading[] = [];
  private left = false;
  private signal: ISignal | undefined;
  /** By its signal. */
  private canceled: StepError | undefined;
  private readonly ended = (): void => {
    this.signal?.removeEventListener('abort', this);
    this.signal = undefined;
  };

  constructor(begin: (reading: Reading) => void, leave: (reading: Reading) => void) {
    this.begin = begin;
    this.leave = leave;
  }

  [Symbol.asyncIterator](): this {
    return this;
  }

  next(): Promise<Result<V>> {
    return new Promise((settle, fail) => {
      if (this.canceled) return fail(this.canceled);
      const reading = new Reading(settle, fail, this.ended);
      if (this.left) return reading.close();
      this.readings = this.readings.filter((known) => known.among !== null || known.isUnread);
      this.readings.push(reading);
      return this.begin(reading);
    });
  }

  return(): Promise<Result<V>> {
    this.end();
    this.canceled = undefined;
    return Promise.resolve({ done: true, value: undefined });
  }

  /** It is left when the signal is aborted, as that may be already. */
  leaveBy(signal: ISignal, aborted: boolean): void {
    this.signal = signal;
    if (aborted) this.handleEvent();
    else signal.addEventListener('abort', this);
  }

  /** The signal is aborted: calls that wait fail. */
  handleEvent(): void {
    const { reason } = this.signal ?? {};
    const info = typeof reason === 'string' ? reason : undefined;
    const canceled = (this.canceled = new StepError(errors.Canceled, info, reason));
    for (const reading of this.readings) if (reading.among !== null) reading.fail(canceled);
    this.end();
  }

  private end(): void {
    this.left = true;
    this.ended();
    for (const reading of this.readings.reverse()) this.leave(reading);
    this.readings = [];
  }
}
