// Lets nobody in for a while when too much of what it let in has failed. How long and after what is the circuit's business; here stand the
// lines that are in, each with the phase of the circuit in which it came, and those that wait.
//
// - Somebody waits only while it is half-open and has no place for a probe: who leaves, and so changes that, sees to those who wait.
// - A line under a probe is in, but in no phase.

import { LastCalls, RecentCalls } from './callwindow.js';
import { type BreakerState, Circuit } from './circuit.js';
import type { Code } from './declared.js';
import {
  badArgument,
  checkFunction,
  checkOptions,
  codeOf,
  exceptionOf,
  type Failure,
  LoopControl,
} from './error.js';
import { HeldGuard, hold, holdOf } from './holds.js';
import { hostOf } from './path.js';
import type { Step } from './step.js';
import { enterLeaving, refusePromise } from './thenable.js';
import type { ToolCore } from './toolcore.js';
import type { Closing, Line } from './tree.js';
import {
  checkLimit,
  checkName,
  checkQueue,
  type GuardOptions,
  refuse,
  reject,
  waitAmong,
  Waiters,
} from './waiters.js';

/** Of a `Breaker`. */
export interface BreakerOptions extends GuardOptions {
  /** The share of failed calls from which it opens: more than 0, at most 1. Default: 0.5. */
  rate?: number | undefined;
  /** So many of the last calls are judged, 1 to 1,000,000. Not beside `period`. Default: 20, if there is no `period`. */
  calls?: number | undefined;
  /** The calls that ended in the last so many milliseconds are judged, in ten slices; 1 or more. Default: none. */
  period?: number | undefined;
  /** Fewer calls aren't judged, 1 or more, at most `calls`. Default: 10, or `calls` if that is less. */
  minCalls?: number | undefined;
  /** For how many milliseconds it is open, before it lets in a probe; 1 or more. Default: 10,000. */
  openFor?: number | undefined;
  /** How many sections have to succeed, all of which may be in at once, before it closes; 1 or more. Default: 1. */
  probes?: number | undefined;
  /**
   * Whether an error is a failure, of its code and of what was thrown. What it throws is reported, and the section a failure; so is any
   * answer but `true` and `false`. Called when the section has closed. Default: every error is.
   *
   *     on: (code) => code !== 'NotFound'
   */
  on?: ((code: Code, error: unknown) => boolean) | undefined;
}

const KNOWN = 'rate calls period minCalls openFor probes on maxQueue name';
const MOST_CALLS = 1_000_000;
const NO_PHASE = -1;
const IS_OPEN = 'it is open';
const IS_FULL = 'it is half-open, its probe still runs, and the queue is full';

/**
 * A circuit breaker: opens when too many of its sections fail, so that nobody waits for what is broken, and nobody burdens it. Closed it
 * lets everybody in; open nobody, for `openFor` ms: who comes fails at once with `DefenseRejected`, whose `retry_after` says in how many
 * milliseconds it will be half-open. Then it lets in as many as `probes`, closes when these have succeeded and opens again when one fails.
 *
 * Who comes while probes run waits for them, at most `maxQueue` lines; one more fails with `DefenseRejected`, without `retry_after`, as nobody
 * knows when a probe ends. (Of branches that each enter it one may be the probe, and one that is refused cancels it: `maxQueue` is at least
 * their number less one.) When it closes all that wait are let in, when it opens again all are refused; a probe that tells nothing leaves
 * its place to the first that waits. A line that waits leaves the queue when its step closes: by a cancel, a timeout, a failed sibling.
 *
 * Errors that leave a section are failures, by `on` some of them. A section that is cancelled, or closed by a deadline further out, tells
 * nothing: so a deadline that is to count stands inside, a fallback outside, as its success would count. A probe that never ends keeps
 * everybody waiting: it needs a deadline, too. A line that is in enters sections inside at once, uncounted, and so do the branches of a
 * probe.
 *
 * It may stand around what fans out, which is one call then, or in its branches, each of which is. Inside of a limiter, not around one, as a
 * full queue is an error, too; or let `on` say that it's no failure. Guide: docs/limits.md#which-guard
 *
 *     const breaker = new Breaker({ rate: 0.5, period: 10_000, openFor: 5_000 });
 *     const asked = sync(breaker, ask.timeout(500)).onError(fallback);
 */
export class Breaker extends HeldGuard {
  /** @internal What is abandoned has been counted. */
  readonly keeps = false;
  readonly #circuit: Circuit;
  readonly #on: BreakerOptions['on'];
  readonly #maxQueue: number;
  readonly #waiters = new Waiters();
  #active = 0;
  /** Of the last call. */
  #tool: ToolCore | null = null;

  /** `InternalError` for a bad option. */
  constructor(options: BreakerOptions = {}) {
    super(checkName('Breaker', checkOptions('Breaker', options, KNOWN).name));
    const { on, maxQueue = Infinity } = options;
    if (on !== undefined) checkFunction('Breaker: on', on);
    this.#on = on;
    this.#maxQueue = checkQueue('Breaker', maxQueue);
    this.#circuit = circuitOf(options);
  }

  /** What a line that comes now would find: half-open begins by the clock of the flow that has opened it. */
  get state(): BreakerState {
    return this.#circuit.state(this.#tool?.now() ?? 0);
  }

  /** @internal */
  get kind(): string {
    return 'breaker';
  }

  /** How many lines are in. */
  get active(): number {
    return this.#active;
  }

  /** How many lines wait for what probes find out. */
  get waiting(): number {
    return this.#waiters.length;
  }

  /** @internal */
  override isNew(now?: number): boolean {
    if (now === undefined || this.#active > 0 || this.#waiters.length > 0) return false;
    return this.#circuit.isNew(now);
  }

  /** @internal */
  admit(line: Line): boolean {
    const held = holdOf(line, this);
    if (held !== null) {
      held.times++;
      return true;
    }
    const circuit = this.#circuit;
    const state = circuit.state(nowOf(line));
    if (state === 'halfOpen' && this.#isUnderProbe(line)) this.#take(line, NO_PHASE);
    else if (circuit.admits()) this.#take(line, circuit.enter());
    else return false;
    return true;
  }

  /** @internal Time may have passed since it wasn't let in. */
  queue(lock: Step): void {
    const { line } = lock;
    if (this.admit(line)) return;
    const delay = this.#circuit.delay(nowOf(line));
    if (delay !== undefined) reject(lock, this, delay, IS_OPEN);
    if (this.#waiters.length >= this.#maxQueue) reject(lock, this, undefined, IS_FULL);
    waitAmong(this.#waiters, lock, this);
  }

  /** @internal The line's outermost section is a call, if it tells anything. */
  override leave(
    line: Line,
    section?: Step,
    failure: Failure | null = null,
    closing: Closing | null = null,
  ): void {
    const { times, places: phase } = holdOf(line, this)!;
    const circuit = this.#circuit;
    if (times > 1) return super.leave(line);
    const counts = closing === null && circuit.counts(phase);
    const failed = counts ? this.#isFailure(section!, failure) : null;
    super.leave(line);
    if (counts) this.#tool = line.flow.settings.tool;
    const now = nowOf(line);
    circuit.left(phase, failed, now);
    if (this.#waiters.length > 0) this.#grant(now);
  }

  /** @internal */
  free(): void {
    this.#active--;
  }

  #take(line: Line, phase: number): void {
    hold(line, this, phase);
    this.#active++;
  }

  /** Somebody has left: what that means to those who wait. */
  #grant(now: number): void {
    const waiters = this.#waiters;
    const circuit = this.#circuit;
    const opensIn = circuit.delay(now);
    for (let waiter = waiters.first(); waiter !== null; waiter = waiters.first()) {
      const { line } = waiter.step!;
      if (opensIn === undefined && waiter.valid() && !circuit.admits()) return;
      waiters.remove(waiter);
      if (opensIn !== undefined) refuse(waiter, this, opensIn, IS_OPEN);
      else if (waiter.success()) this.#take(line, circuit.enter());
    }
  }

  /** Half-open: what a probe fans out is part of it. */
  #isUnderProbe(line: Line): boolean {
    for (let host = hostOf(line); host !== null; host = hostOf(host.line)) {
      const held = holdOf(host.line, this);
      if (held !== null && this.#circuit.counts(held.places)) return true;
    }
    return false;
  }

  #isFailure(section: Step, failure: Failure | null): boolean {
    const on = this.#on;
    if (failure === null || LoopControl.is(failure)) return false;
    if (on === undefined) return true;
    const ask = (): boolean => {
      const answer: unknown = on(codeOf(failure), exceptionOf(failure));
      refusePromise(section, 'on', answer);
      return typeof answer === 'boolean'
        ? answer
        : badArgument('Breaker: on', 'true or false', answer);
    };
    return enterLeaving(section, ask) ?? true;
  }
}

function nowOf(line: Line): number {
  return line.flow.settings.tool.now();
}

function circuitOf(options: BreakerOptions): Circuit {
  const { rate = 0.5, period, calls, openFor = 10_000, probes = 1 } = options;
  if (typeof rate !== 'number' || !(rate > 0 && rate <= 1))
    badArgument('Breaker: rate', 'a number above 0, at most 1', rate);
  checkLimit('Breaker: openFor', openFor, 1);
  checkLimit('Breaker: probes', probes, 1);
  const most = period === undefined ? callsOf(calls) : Infinity;
  const { minCalls = Math.min(most, 10) } = options;
  if (checkLimit('Breaker: minCalls', minCalls, 1) > most)
    badArgument('Breaker: minCalls', `a whole number from 1 to ${most}`, minCalls);
  if (period === undefined)
    return new Circuit({ rate, minCalls, openFor, probes }, new LastCalls(most));
  if (calls !== undefined) badArgument('Breaker: calls', 'no period beside it', calls);
  const window = new RecentCalls(checkLimit('Breaker: period', period, 1));
  return new Circuit({ rate, minCalls, openFor, probes }, window);
}

function callsOf(calls = 20): number {
  if (checkLimit('Breaker: calls', calls, 1) > MOST_CALLS)
    badArgument('Breaker: calls', `a whole number from 1 to ${MOST_CALLS}`, calls);
  return calls;
}
