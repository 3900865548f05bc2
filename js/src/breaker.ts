// Lets nobody in for a while when too much of what it let in has failed. How long and after what is the circuit's business; here stand the
// lines that are in, each with the phase of the circuit in which it came.

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
import type { Step } from './step.js';
import { enterLeaving, refusePromise } from './thenable.js';
import type { ToolCore } from './toolcore.js';
import type { Closing, Line } from './tree.js';
import { checkLimit, checkName, type GuardOptions, reject } from './waiters.js';

export interface BreakerOptions extends Pick<GuardOptions, 'name'> {
  /** The share of failed calls from which it opens: more than 0, at most 1. Default: 0.5. */
  rate?: number | undefined;
  /** So many of the last calls are judged, 1 to 1,000,000. Not beside `period`. Default: 20, if there is no `period`. [sync-153] */
  calls?: number | undefined;
  /** The calls that ended in the last so many milliseconds are judged, in ten slices; 1 or more. Default: none. [sync-154] */
  period?: number | undefined;
  /** Fewer calls aren't judged, 1 or more, at most `calls`. Default: 10, or `calls` if that is less. */
  minCalls?: number | undefined;
  /** For how many milliseconds it is open, before it lets in a probe; 1 or more. Default: 10,000. */
  openFor?: number | undefined;
  /** How many sections have to succeed, all of which may be in at once, before it closes; 1 or more. Default: 1. */
  probes?: number | undefined;
  /**
   * Whether an error is a failure, of its code and of what was thrown. What it throws is reported, and the section a failure; so is any
   * answer but `true` and `false`. Called when the section has closed. Default: every error is. [sync-156, sync-168]
   *
   *     on: (code) => code !== 'NotFound'
   */
  on?: ((code: Code, error: unknown) => boolean) | undefined;
}

const KNOWN = 'rate calls period minCalls openFor probes on name';
const MOST_CALLS = 1_000_000;

/**
 * A circuit breaker: opens when too many of its sections fail, so that nobody waits for what is broken, and nobody burdens it. Closed it
 * lets everybody in; open nobody, for `openFor` ms; then, half-open, as many as `probes`, closes when these have succeeded and opens
 * again when one fails. Who isn't let in fails at once with `DefenseRejected`, whose `retry_after` says in how many milliseconds it will be
 * half-open; while it is, nobody knows, and there is none.
 *
 * Errors that leave a section are failures, by `on` some of them. A section that is cancelled, or closed by a deadline further out, tells
 * nothing: so a deadline that is to count stands inside, a fallback outside, as its success would count. A probe that never ends keeps
 * everybody out: it needs a deadline, too. A line that is in enters sections inside at once, uncounted. [sync-150 to sync-170]
 *
 * Put it around what fans out, not into its branches: while it is half-open one of these is the probe, and a sibling that isn't let in
 * cancels it, again and again. Inside of a limiter, not around one, as a full queue is an error, too; or let `on` say that it's no failure.
 *
 *     const breaker = new Breaker({ rate: 0.5, period: 10_000, openFor: 5_000 });
 *     const asked = sync(breaker, ask.timeout(500)).onError(fallback);
 */
export class Breaker extends HeldGuard {
  /** @internal What is abandoned has been counted. */
  readonly keeps = false;
  readonly #circuit: Circuit;
  readonly #on: BreakerOptions['on'];
  #active = 0;
  /** Of the last call. */
  #tool: ToolCore | null = null;

  /** `InternalError` for a bad option. [sync-45, sync-49, sync-169] */
  constructor(options: BreakerOptions = {}) {
    super(checkName(checkOptions('Breaker', options, KNOWN).name));
    const { on } = options;
    if (on !== undefined) checkFunction('on', on);
    this.#on = on;
    this.#circuit = circuitOf(options);
  }

  /** What a line that comes now would find: half-open begins by the clock of the flow that has opened it. [sync-160, sync-170] */
  get state(): BreakerState {
    return this.#circuit.state(this.#tool?.now() ?? 0);
  }

  /** How many lines are in. [sync-130] */
  get active(): number {
    return this.#active;
  }

  /** Nobody waits: 0. [sync-150] */
  get waiting(): number {
    return 0;
  }

  /** @internal */
  admit(line: Line): boolean {
    const held = holdOf(line, this);
    if (held !== null) {
      held.times++;
      return true;
    }
    if (!this.#circuit.admits(nowOf(line))) return false;
    hold(line, this, this.#circuit.enter());
    this.#active++;
    return true;
  }

  /** @internal Time may have passed since it wasn't let in. */
  queue(lock: Step): void {
    const { line } = lock;
    if (!this.admit(line))
      reject(lock, 'breaker', this, this.#circuit.delay(nowOf(line)), 'it is open');
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
    circuit.left(phase, failed, nowOf(line));
  }

  /** @internal */
  free(): void {
    this.#active--;
  }

  #isFailure(section: Step, failure: Failure | null): boolean {
    const on = this.#on;
    if (failure === null || LoopControl.is(failure)) return false;
    if (on === undefined) return true;
    const ask = (): boolean => {
      const answer: unknown = on(codeOf(failure), exceptionOf(failure));
      refusePromise(section, 'on', answer);
      return typeof answer === 'boolean' ? answer : badArgument('on', 'true or false', answer);
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
    badArgument('rate', 'a number above 0, at most 1', rate);
  checkLimit('openFor', openFor, 1);
  checkLimit('probes', probes, 1);
  const most = period === undefined ? callsOf(calls) : Infinity;
  const { minCalls = Math.min(most, 10) } = options;
  if (checkLimit('minCalls', minCalls, 1) > most)
    badArgument('minCalls', `a whole number from 1 to ${most}`, minCalls);
  if (period === undefined)
    return new Circuit({ rate, minCalls, openFor, probes }, new LastCalls(most));
  if (calls !== undefined) badArgument('calls', 'no period beside it', calls);
  const window = new RecentCalls(checkLimit('period', period, 1));
  return new Circuit({ rate, minCalls, openFor, probes }, window);
}

function callsOf(calls = 20): number {
  if (checkLimit('calls', calls, 1) > MOST_CALLS)
    badArgument('calls', `a whole number from 1 to ${MOST_CALLS}`, calls);
  return calls;
}
