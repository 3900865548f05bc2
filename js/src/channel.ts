// Values on their way from lines to lines, in order.
//
// - While a receiver waits there is nothing in the buffer, and nobody waits to send. While a sender waits the buffer is full.
// - A value that was handed to a receiver is his when his step has ended with ok. If that closes in another way, it comes back.

import { type AsyncStepsOptions, runAs } from './asyncsteps.js';
import { errors } from './codes.js';
import { checkOptions, type StepError } from './error.js';
import type { CancelHandler, IAsyncSteps, RunOptions } from './iasyncsteps.js';
import type { Success } from './istep.js';
import type { Waits } from './kind.js';
import { Reader, type Reading } from './reader.js';
import { signalIn } from './signal.js';
import { Step } from './step.js';
import { Taking } from './taking.js';
import { checkLimit, checkName, infoOf, refusal, reject, Waiter, Waiters } from './waiters.js';

const WHY = 'it is closed';
/** What a sender has whose value was taken. */
const SENT = {};

/** A value in the buffer. */
class Item {
  declare readonly value: unknown;
  declare next: Item | null;

  constructor(value: unknown, next: Item | null) {
    this.value = value;
    this.next = next;
  }
}

/** Neither is it too late for the step, then, nor is the value lost. */
function hasTaken(step: Step): void {
  const { tool } = step.line.flow.settings;
  if (tool.attentive) tool.taken = step;
}

/** One that is told when the channel is closed. */
interface Told {
  close(): void;
}

class StepWaiter extends Waiter implements Told {
  declare private readonly channel: Channel;
  declare private readonly call: 'send' | 'receive';

  constructor(
    step: Step,
    channel: Channel,
    call: 'send' | 'receive',
    undo: CancelHandler,
    value?: unknown,
  ) {
    super(step, undo, value);
    this.channel = channel;
    this.call = call;
  }

  override waits(): Waits {
    return { for: this.call, on: this.channel };
  }

  close(): void {
    const { step, channel } = this;
    if (this.error(errors.Closed, infoOf(channel, WHY)))
      refusal(step!.line.latch as StepError, channel);
  }
}

/** A loop: that there will be nothing more is no error of it. [channel-42] */
class LoopWaiter extends Waiter implements Told {
  override waits(): Waits {
    return { for: 'receive', on: this.what as Channel };
  }

  close(): void {
    this.success();
  }
}

/** Of a `Channel`. */
export interface ChannelOptions {
  /** How many values it holds that nobody has received, 0 or more; `Infinity`: nobody waits to send. */
  capacity: number;
  /** What its errors call it. Default: none. */
  name?: string | undefined;
}

/**
 * Takes values from lines and gives each to one other line, in the order of sending. Holds up to `capacity` that nobody has received yet; 0:
 * who sends waits for who receives; `Infinity`: nobody waits to send.
 *
 * `forEach` and `map` go through it: they receive value by value, and end when it is closed and empty. Guide: docs/limits.md#channels
 *
 *     const jobs = new Channel<{ id: number }>({ capacity: 16 });
 *     flow.add(map(jobs, { limit: 4 }, (asi, job) => work(job)));
 */
export class Channel<V = any> implements AsyncIterable<V> {
  /** What errors call it, as it was given; `''`: nothing. */
  readonly name: string;
  readonly #capacity: number;
  readonly #senders = new Waiters();
  readonly #receivers = new Waiters();
  #first: Item | null = null;
  #last: Item | null = null;
  #length = 0;
  #closed = false;
  readonly #unsent = (asi: IAsyncSteps): void => {
    this.#senders.remove((asi as Step).work);
  };
  readonly #unreceived = (asi: IAsyncSteps): void => {
    this.#receivers.remove((asi as Step).work);
  };
  readonly #unread = (reading: Reading): void => {
    if (this.#receivers.remove(reading)) reading.close();
    else reading.giveBack((value) => this.#takeBack(value));
  };
  readonly #returned = (asi: IAsyncSteps): void => {
    this.#takeBack(((asi as Step).work as Waiter).what);
  };

  /** `InternalError` for a bad option. */
  constructor(options: ChannelOptions) {
    const { capacity, name } = checkOptions('Channel', options, 'capacity name');
    this.name = checkName('Channel', name);
    this.#capacity = checkLimit('Channel: capacity', capacity, 0, ', or Infinity');
  }

  /**
   * Adds a step that sends the value: it ends at once if there is room or a receiver waits, else when the value is taken. Closed before, it
   * takes the value along. `Closed` if the channel is closed, before or while it waits.
   *
   * Without an accessor, outside of steps: a `run` of such a step. Its promise is settled when that has ended; `Canceled` after `signal` was
   * aborted, before the value was taken: then nothing is sent. Guide: docs/limits.md#channels
   *
   *     server.on('upload', (file) => jobs.send(file, { signal: AbortSignal.timeout(500) }).catch(refuse));
   */
  send(asi: IAsyncSteps, value: V): void;
  send(value: V, options?: AsyncStepsOptions & RunOptions): Promise<void>;
  send(asi: any, value: any): any {
    if (asi instanceof Step) asi.add((step) => void this.#send(step as Step, value));
    else return this.#sendAlone(asi, value);
  }

  /**
   * Adds a step whose result is the next value: at once if there is one, else when one is sent. `Closed` if the channel is closed and empty.
   * A value that has come to a step that is closed before its line moves goes on to the next.
   *
   * Without an accessor, outside of steps: a `run` of such a step, and a promise of the value; `Canceled` after `signal` was aborted: then it
   * has received nothing. Guide: docs/limits.md#channels
   *
   *     const job = await jobs.receive({ signal });
   */
  receive(asi: IAsyncSteps): Success<[V]>;
  receive(options?: AsyncStepsOptions & RunOptions): Promise<V>;
  receive(asi?: any): any {
    if (asi instanceof Step) asi.add((step) => this.#receive(step as Step));
    else return runAs('receive', (step) => this.#receive(step as Step), asi);
  }

  /**
   * For `for await`: gives each value that comes to it, and ends when the channel is closed and empty. (`forEach` and `map` receive as steps
   * do.) Left early, it takes nothing along: what it was given and nobody has read goes on to the next. With a `signal` it is left when that
   * is aborted: a call that waits fails with `Canceled`, whose `cause` is the signal's reason. An async body needs that, `asi.signal`: nobody
   * else leaves the loop when its step is closed. Guide: docs/limits.md#channels
   *
   *     for await (const job of jobs.values({ signal: asi.signal })) await work(job);
   */
  values(options: RunOptions = {}): AsyncIterableIterator<V, undefined> {
    const { signal, aborted } = signalIn('values', checkOptions('values', options, 'signal'));
    const reader = new Reader<V>((reading) => this.#read(reading), this.#unread);
    if (signal !== undefined) reader.leaveBy(signal, aborted);
    return reader;
  }

  /** `values()` without a signal. */
  [Symbol.asyncIterator](): AsyncIterator<V, undefined> {
    return this.values();
  }

  /**
   * Sends if nobody has to wait for that; whether it did. From anywhere. Guide: docs/limits.md#channels
   *
   *     if (!jobs.trySend(job)) console.log('full');
   */
  trySend(value: V): boolean {
    return !this.#closed && this.#put(value);
  }

  /**
   * Receives if nobody has to wait for that; undefined if there is nothing. From anywhere. Guide: docs/limits.md#channels
   *
   *     const next = jobs.tryReceive()?.value;
   */
  tryReceive(): { value: V } | undefined {
    const item = this.#take();
    return item === null ? undefined : { value: item.value as V };
  }

  /**
   * From now on nothing is sent: who waits fails with `Closed`. What is in the buffer can be received. Guide: docs/limits.md#channels
   *
   *     await run(produce);
   *     jobs.close(); // the workers end with the last job
   */
  close(): void {
    this.#closed = true;
    this.#end(this.#senders);
    this.#end(this.#receivers);
  }

  /** @internal */
  get kind(): string {
    return 'channel';
  }

  /** How many values it holds that nobody has received. */
  get size(): number {
    return this.#length;
  }

  /** For how many more there is room. */
  get available(): number {
    return Math.max(0, this.#capacity - this.#length);
  }

  /** How many steps wait to send. */
  get senders(): number {
    return this.#senders.length;
  }

  /** How many wait to receive: steps, and reads of iterators. */
  get receivers(): number {
    return this.#receivers.length;
  }

  /** Whether it's closed. There may be values left. */
  get closed(): boolean {
    return this.#closed;
  }

  /** @internal By this key it's known: of a class with a symbol of ours as a key bundlers don't know that it does nothing. */
  'steptree.taking'(): Taking {
    return new Taking(
      () => this.#take() ?? (this.#closed ? null : undefined),
      (step) => this.#receivers.push(new LoopWaiter(step, this.#unreceived, this)),
    );
  }

  #read(reading: Reading): void {
    const item = this.#take();
    if (item !== null) reading.success(item.value);
    else if (this.#closed) reading.close();
    else this.#receivers.push(reading);
  }

  #sendAlone(value: V, options?: AsyncStepsOptions & RunOptions): Promise<void> {
    let sender: Waiter | null | undefined;
    const run = runAs('send', (step) => void (sender = this.#send(step as Step, value)), options);
    return run.catch((error) => {
      if (sender !== null && sender?.what !== SENT) throw error;
    });
  }

  /** Null: it is taken at once. */
  #send(step: Step, value: V): Waiter | null {
    if (this.#closed) this.#fail(step);
    if (this.#put(value)) {
      hasTaken(step);
      return null;
    }
    const sender = new StepWaiter(step, this, 'send', this.#unsent, value);
    this.#senders.push(sender);
    return sender;
  }

  #receive(step: Step): void {
    const item = this.#take();
    if (item !== null) {
      step.success(item.value);
      return hasTaken(step);
    }
    if (this.#closed) this.#fail(step);
    this.#receivers.push(new StepWaiter(step, this, 'receive', this.#unreceived));
  }

  /** Hands it to somebody, or into the buffer. */
  #put(value: unknown): boolean {
    if (this.#hand(value)) return true;
    if (this.#length >= this.#capacity) return false;
    this.#append(value);
    return true;
  }

  /** To the first who can still take it. */
  #hand(value: unknown): boolean {
    for (let waiter = this.#receivers.first(); waiter; waiter = this.#receivers.first()) {
      this.#receivers.remove(waiter);
      if (!waiter.success(value)) continue;
      waiter.what = value;
      waiter.undo = this.#returned;
      return true;
    }
    return false;
  }

  #take(): Item | null {
    const item = this.#first;
    if (item === null) return this.#sent();
    this.#first = item.next;
    this.#length--;
    while (this.#length < this.#capacity) {
      const next = this.#sent();
      if (next === null) break;
      this.#append(next.value);
    }
    return item;
  }

  /** What the first who can still say so has waited to send. */
  #sent(): Item | null {
    for (let waiter = this.#senders.first(); waiter; waiter = this.#senders.first()) {
      this.#senders.remove(waiter);
      if (!waiter.success()) continue;
      const item = new Item(waiter.what, null);
      waiter.what = SENT;
      return item;
    }
    return null;
  }

  #append(value: unknown): void {
    const item = new Item(value, null);
    if (this.#first === null) this.#first = item;
    else this.#last!.next = item;
    this.#last = item;
    this.#length++;
  }

  /** It is older than all that is in the buffer. */
  #takeBack(value: unknown): void {
    if (this.#hand(value)) return;
    this.#first = new Item(value, this.#first);
    this.#last = this.#length++ === 0 ? this.#first : this.#last;
  }

  #fail(step: Step): never {
    return reject(step, this, undefined, WHY, errors.Closed);
  }

  #end(waiters: Waiters): void {
    for (let waiter = waiters.first(); waiter !== null; waiter = waiters.first()) {
      waiters.remove(waiter);
      (waiter as Waiter & Told).close();
    }
  }
}
