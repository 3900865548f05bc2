// Bodies that hold the loop, and waits that last: told to `report` of their flow.
//
// - A body is measured by the platform's clock, a wait by the tool's time.
// - Waits stand in the order in which they have begun, by the number of their step: the next event at it ends them. All may last as long, so
//   there is one alarm, for the first. It's no timer of the tool's: it moves nothing, and keeps nothing running.
// - `report` is code of the program: of a body it's called as observers are, behind the event.

import type { AsyncSteps } from './asyncsteps.js';
import { clock, exact, type PlatformTimer, startTimer, stopTimer } from './clock.js';
import { errors } from './codes.js';
import { outside } from './context.js';
import { badArgument, checkBoolean, checkOptions, misuse, newError } from './error.js';
import { FlowLook, waitIn } from './flowlook.js';
import type { FlowEvent } from './ievent.js';
import type { Known, ShownFlow } from './lane.js';
import { watchOf } from './observe.js';
import { reportAt } from './report.js';
import { snapshotText } from './snapshottext.js';
import type { Sink } from './telling.js';
import type { Timer } from './timers.js';
import { type Handle, ToolCore } from './toolcore.js';
import type { Line } from './tree.js';
import { Watchdog } from './watchdog.js';
import { waitText } from './waittext.js';
import { type Locate, sourceBy, type SourceOf } from './written.js';

/** Of a `StallWatch`: one of both times, or both. */
export interface StallOptions {
  /** How long a body may hold the loop, in milliseconds of the platform's clock, more than 0. Default: as long as it likes. */
  body?: number | undefined;
  /** How long a line may wait, in milliseconds of the tool, more than 0, rounded up. Default: for ever. */
  wait?: number | undefined;
  /**
   * Whether a thread says on standard error which body holds the loop, while it does; each body then costs about a microsecond more.
   * Needs Node, and `body`. Default: `false`.
   */
  stuck?: boolean | undefined;
  /** Finds where the bodies of steps were written, for the trees that it tells, as of `snapshot`. Default: nobody does. */
  locate?: Locate | undefined;
}

/** The longest time of a platform's timer. */
const LONGEST = 0x7fffffff;
/** So many lines of a tree are shown. */
const LINES = 50;

/** A line that waits, at that step. */
interface Wait {
  readonly line: Line;
  readonly at: Known;
  readonly since: number;
}

/**
 * Tells `report` of a flow what holds it up: `Stalled`, a body that took longer than `body`, when it has returned; `StalledWait`, a line that
 * has waited longer than `wait`. Each once, with the path, and the tree of the flow. From now on until it's cancelled; a wait of a flow
 * keeps neither the process nor a tool running by that. What is no tool, and a bad option: `InternalError`.
 * Guide: docs/hangs.md#what-takes-too-long
 *
 *     const stalls = new StallWatch(defaultTool, { body: 50, wait: 10_000 });
 *     stalls.cancel();
 */
export class StallWatch implements Handle {
  readonly #tool: ToolCore;
  readonly #watch: ReturnType<typeof watchOf>;
  readonly #sink: Sink;
  readonly #body: number;
  readonly #wait: number;
  readonly #watchdog: Watchdog | null;
  readonly #sourceOf: SourceOf;
  #valid = true;
  /** Those that run, the innermost last: its step, and when it began. Only what calls native steps has others inside. */
  readonly #bodies: number[] = [];
  /** By the numbers of their steps, the oldest first. */
  readonly #waits = new Map<number, Wait>();
  readonly #alarm: Timer = { due: 0, order: 0, place: -1, fire: () => this.#ring() };
  #isArmed = false;
  #platform: PlatformTimer | null = null;

  /** Begins at once. Guide: docs/hangs.md#what-takes-too-long */
  constructor(tool: ToolCore, options: StallOptions) {
    if (!ToolCore.is(tool)) badArgument('StallWatch', 'a tool', tool);
    const known = checkOptions('StallWatch', options, 'body wait stuck locate');
    const { body, wait, stuck = false, locate } = known;
    this.#body = checkLimit('body', body);
    this.#wait = Math.ceil(checkLimit('wait', wait));
    checkBoolean('StallWatch: stuck', stuck);
    this.#sourceOf = sourceBy('StallWatch', locate);
    if (body === undefined && (stuck || wait === undefined))
      throw misuse(`StallWatch: expected ${stuck ? 'body' : 'body or wait'}`);
    this.#tool = tool;
    this.#watchdog = stuck ? new Watchdog(this.#body) : null;
    this.#sink = {
      bodies: body !== undefined,
      put: (what, _times, sequence, shown, known, _outcome, _code, line, _waits, flow) =>
        this.#hear(what, sequence, shown, known, line, flow),
      over: () => this.#ends(),
    };
    this.#watch = watchOf(tool);
    this.#watch.addSink(this.#sink);
  }

  /** Nothing is told any more. */
  cancel(): void {
    if (!this.#valid) return;
    this.#valid = false;
    this.#watch.removeSink(this.#sink);
    this.#watchdog?.end();
    this.#waits.clear();
    this.#disarm();
  }

  /** Whether it watches. */
  valid(): boolean {
    return this.#valid;
  }

  #hear(
    what: FlowEvent['what'],
    sequence: number,
    shown: ShownFlow,
    at: Known | null,
    line: Line | null,
    flow: AsyncSteps,
  ): void {
    if (at === null) return;
    switch (what) {
      case 'body':
        return this.#begins(shown, at);
      case 'returned':
        return this.#returned(sequence, at, flow);
      case 'waits':
        return this.#waitsFrom(at, line!);
    }
    if (this.#waits.size > 0) this.#waits.delete(at.number);
  }

  #begins(shown: ShownFlow, at: Known): void {
    const began = clock();
    this.#bodies.push(at.number, began);
    this.#watchdog?.begins(shown.id, shown.name, at.path, began);
  }

  #returned(sequence: number, at: Known, flow: AsyncSteps): void {
    const [step, began] = this.#bodies.splice(-2);
    if (step !== at.number) return; // it was called before the watch was made
    const ms = clock() - began!;
    this.#watchdog?.returned();
    if (ms > this.#body) this.#tellBehind(sequence, at.path, flow, ms);
  }

  /** Also where nobody is told that it has returned. */
  #ends(): void {
    if (this.#bodies.length === 0) return;
    this.#bodies.length = 0;
    this.#watchdog?.returned();
  }

  /** As an observer of this event, the last one. */
  #tellBehind(sequence: number, path: string, flow: AsyncSteps, ms: number): void {
    const call = (event: FlowEvent) => {
      if (event.sequence !== sequence) return;
      once.cancel();
      if (this.#valid)
        tell(
          flow,
          errors.Stalled,
          path,
          `held the loop for ${Math.floor(ms)} ms`,
          this.#treeOf(flow),
        );
    };
    const once = this.#watch.add({ call, bodies: true, around: undefined });
  }

  /** The event has the time at which its turn began. */
  #waitsFrom(at: Known, line: Line): void {
    if (this.#wait === Infinity) return;
    const since = this.#tool.now(exact);
    const waits = this.#waits;
    waits.delete(at.number);
    waits.set(at.number, { line, at, since });
    if (!this.#isArmed) this.#arm();
  }

  #arm(): void {
    const [first] = this.#waits.values();
    if (first === undefined) return;
    this.#isArmed = true;
    const due = first.since + this.#wait;
    const { alarms } = this.#tool;
    if (alarms !== undefined) return alarms.push(this.#alarm, due);
    const delay = Math.min(Math.max(0, due - clock()), LONGEST);
    this.#platform = outside(startTimer, () => this.#ring(), delay);
    this.#platform.unref?.();
  }

  #disarm(): void {
    if (this.#alarm.place >= 0) this.#tool.alarms!.remove(this.#alarm);
    if (this.#platform !== null) stopTimer(this.#platform);
    this.#platform = null;
  }

  /** All that have lasted as long are told. One tree of a flow does for them: there may be many. */
  #ring(): void {
    this.#isArmed = false;
    const tool = this.#tool;
    const now = tool.now(exact);
    const until = tool.alarms === undefined ? now : this.#alarm.due;
    const trees = new Map<AsyncSteps, string>();
    for (const [number, { line, at, since }] of this.#waits) {
      if (since + this.#wait > until) break;
      this.#waits.delete(number);
      const waits = waitIn(line);
      if (waits === undefined || waits.for === 'turn' || waits.for === 'code') continue;
      const { flow } = line;
      if (!trees.has(flow)) trees.set(flow, this.#treeOf(flow));
      const text = `${waitText(waits)}, for ${waits.since ?? Math.floor(now - since)} ms now`;
      tell(flow, errors.StalledWait, at.path, text, trees.get(flow)!);
    }
    if (!this.#isArmed) this.#arm();
  }

  #treeOf(flow: AsyncSteps): string {
    return snapshotText(new FlowLook(this.#tool, this.#sourceOf).flow(flow), { max: LINES });
  }
}

/** None given: whatever it takes. */
function checkLimit(name: string, ms: number | undefined): number {
  if (ms === undefined) return Infinity;
  if (typeof ms !== 'number' || !(ms > 0))
    badArgument(`StallWatch: ${name}`, 'milliseconds, more than 0', ms);
  return ms;
}

function tell(flow: AsyncSteps, code: string, path: string, what: string, tree: string): void {
  reportAt({ hook: flow.settings.report, path }, newError(code, `${path} ${what}\n${tree}`));
}
