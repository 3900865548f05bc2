// Figures of a tool, for who asks now and then: sums of what its events tell.
//
// - The clock is the real one, also of a `VirtualTool`: what is measured is the time of the program.
// - How long others wait in the loop is found out by a callback of the platform's, asked for in a turn, one at a time. Who idles has none,
//   and the tool's own queue is left alone.

import { clock, macrotask } from './clock.js';
import { outside } from './context.js';
import { badArgument } from './error.js';
import type { EndedEvent, FlowEvent } from './ievent.js';
import type { GuardSnapshot } from './isnapshot.js';
import type { Known } from './lane.js';
import { watchOf } from './observe.js';
import { runningOf, snapshot } from './snapshot.js';
import type { Sink } from './telling.js';
import { type Handle, ToolCore } from './toolcore.js';

/** What a `Metrics` gives. Sums are since it was made, in milliseconds; each `max` is since the last `read()`. */
export interface MetricsRead {
  /** Flows that run now. */
  alive: number;
  /** Flows that were executed. */
  begun: number;
  /** How they have ended. */
  ended: { ok: number; error: number; cancelled: number };
  /** Steps that were told as `opened`. */
  opened: number;
  /** By their codes: each once on its way outwards, also one that a handler recovers. Behind 1,000 codes the rest is `other`. */
  errors: Record<string, number>;
  /** Of lines. */
  turns: number;
  /** How long they took. */
  turn: { sum: number; max: number };
  /** How long callbacks of the platform's, asked for in a turn, had to wait for the loop; `count`: how many. */
  lag: { count: number; sum: number; max: number };
  /** Those that a snapshot shows: that a line has, or waits for. */
  guards: Omit<GuardSnapshot, 'id' | 'holders'>[];
}

const MOST_CODES = 1000;

/**
 * Counts and measures what the flows of a tool do, from now on until it's cancelled: how many run, how they end, errors by code, how long
 * turns take and how long others wait for the loop, queues of guards. Nothing is paid before. What is no tool: `InternalError`.
 * Guide: docs/production.md#what-to-measure
 *
 *     const metrics = new Metrics(defaultTool);
 *     log(metrics.read().errors['Timeout']);
 */
export class Metrics implements Handle {
  readonly #tool: ToolCore;
  readonly #watch: ReturnType<typeof watchOf>;
  readonly #sink: Sink = {
    bodies: false,
    put: (what, _time, _sequence, _flow, known, outcome, code) =>
      this.#hear(what, known, outcome, code),
    over: () => this.#turned(),
  };
  #valid = true;
  /** Of the flows that ran when it was made. */
  #alive: number;
  #begun = 0;
  readonly #ended = { ok: 0, error: 0, cancelled: 0 };
  #opened = 0;
  readonly #errors = new Map<string, number>();
  /** Of open steps: the code of the error that they had last, or that a step right inside had when it closed. */
  readonly #passing = new Map<number, string>();
  #turns = 0;
  /** 0: no turn goes on. */
  #turnBegan = 0;
  readonly #turn = { sum: 0, max: 0 };
  #isProbing = false;
  readonly #lag = { count: 0, sum: 0, max: 0 };

  /** Counts from now on. `InternalError` for what is no tool. */
  constructor(tool: ToolCore) {
    if (!ToolCore.is(tool)) badArgument('Metrics', 'a tool', tool);
    this.#tool = tool;
    this.#watch = watchOf(tool);
    this.#alive = runningOf(tool).filter((flow) => flow !== this.#watch.ends).length;
    this.#watch.addSink(this.#sink);
  }

  /** The figures of now, as plain data. Takes a snapshot, so some time for each flow that runs; on the way nothing is asked. */
  read(): MetricsRead {
    const { ok, error, cancelled } = this.#ended;
    const figures = {
      alive: this.#alive + this.#begun - ok - error - cancelled,
      begun: this.#begun,
      ended: { ok, error, cancelled },
      opened: this.#opened,
      errors: Object.fromEntries(this.#errors),
      turns: this.#turns,
      turn: { ...this.#turn },
      lag: { ...this.#lag },
      guards: snapshot(this.#tool).guards.map(({ id: _, holders: __, ...shown }) => shown),
    };
    this.#turn.max = this.#lag.max = 0;
    return figures;
  }

  /** Nothing is counted any more; what was stays readable. */
  cancel(): void {
    this.#valid = false;
    this.#watch.removeSink(this.#sink);
  }

  /** Whether it counts. */
  valid(): boolean {
    return this.#valid;
  }

  #hear(what: FlowEvent['what'], at: Known | null, outcome = '', code = ''): void {
    switch (what) {
      case 'begun':
        this.#begun++;
        return;
      case 'turn':
        return this.#turnBegins();
      case 'opened':
        this.#opened++;
        return;
      case 'handler':
        return this.#seen(at!.number, code);
      case 'closed':
        return this.#closed(at!, outcome, code);
      case 'ended':
        this.#ended[outcome as EndedEvent['outcome']]++;
    }
  }

  #turnBegins(): void {
    this.#turns++;
    const now = clock();
    this.#turnBegan = now;
    if (this.#isProbing) return;
    this.#isProbing = true;
    outside(macrotask, () => {
      this.#isProbing = false;
      if (!this.#valid) return;
      const waited = clock() - now;
      this.#lag.count++;
      add(this.#lag, waited);
    });
  }

  /** It may be one that nobody was told of. */
  #turned(): void {
    if (this.#turnBegan === 0) return;
    add(this.#turn, clock() - this.#turnBegan);
    this.#turnBegan = 0;
  }

  /** The step has an error now. */
  #seen(step: number, code: string): void {
    if (this.#passing.get(step) === code) return;
    this.#passing.set(step, code);
    this.#countError(code);
  }

  #closed({ number, parent }: Known, outcome: string, code: string): void {
    if (outcome === 'error') {
      this.#seen(number, code);
      if (parent > 0) this.#passing.set(parent, code);
    }
    if (this.#passing.size > 0) this.#passing.delete(number);
  }

  #countError(code: string): void {
    const errors = this.#errors;
    const entry = errors.has(code) || errors.size < MOST_CODES ? code : 'other';
    errors.set(entry, (errors.get(entry) ?? 0) + 1);
  }
}

function add(to: { sum: number; max: number }, time: number): void {
  to.sum += time;
  if (time > to.max) to.max = time;
}
