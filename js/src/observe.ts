// Events: what the flows of a tool do. The engine calls the tool's `watching`, if there is one, where something occurs: here it's found
// out what is to be told of that.

import type { AsyncSteps } from './asyncsteps.js';
import { cancelFlow, closingEnded } from './cancel.js';
import {
  badArgument,
  checkBoolean,
  checkFunction,
  checkOptions,
  codeOf,
  errorPath,
  type Failure,
  records,
  StepError,
} from './error.js';
import type { IOutcome } from './iasyncsteps.js';
import { kindNameOf } from './flowlook.js';
import type { FlowEvent } from './ievent.js';
import { kindFrom, type Known, Lane, ShownFlow } from './lane.js';
import { hostOf } from './path.js';
import {
  BUSY,
  CANCELLING,
  CLOSED,
  HIDDEN,
  HOSTS,
  LATCHED,
  OBLIGES,
  OBSERVED,
  ROUND,
} from './phase.js';
import { throwUnhandled, withBehind, withPath } from './report.js';
import { runningOf } from './snapshot.js';
import type { HostedLine, Hosts, Kind, Waits } from './kind.js';
import { kindIf, kindOf, type Step } from './step.js';
import { waitsOf } from './waits.js';
import { callBy, type End, NOTHING, Telling } from './telling.js';
import { type Handle, ToolCore } from './toolcore.js';
import type { Closing, Line, Watcher, Within } from './tree.js';

/** Of `observe`. */
export interface ObserveOptions {
  /** Whether it's told of each body, too, before it's called and when it has returned. Default: `false`. */
  bodies?: boolean | undefined;
  /**
   * Asked before code of the program runs: a body, a handler, the `next` of a source, a `then` that a step awaits; with the number of the
   * step that it runs in, of those that were told, 0: in none. Gives what calls it, once; `call` throws nothing. `undefined`: nothing is
   * put around. For contexts, as tracers have them. Default: none.
   */
  around?: ((step: number) => ((call: () => void) => void) | undefined) | undefined;
}

/**
 * Calls the observer for each event of the tool's flows from now on, until the handle is cancelled: which of them begin and end, which steps
 * open, fail and close, who has a turn, and what each line waits for then. The event is one object, which is used again for the next one:
 * `event.toJSON()` gives what can be kept. An observer only looks: what it throws goes to the flow's `report`, and a cancel that it calls is
 * performed later. Nothing is paid before it's asked for. What is no tool or no function: `InternalError`.
 * Guide: docs/hangs.md#see-it-happen
 *
 *     const watching = observe(defaultTool, (event) => event.what === 'closed' && log(event.path));
 *     watching.cancel();
 */
export function observe(
  tool: ToolCore,
  observer: (event: FlowEvent) => void,
  options: ObserveOptions = {},
): Handle {
  if (!ToolCore.is(tool)) badArgument('observe', 'a tool', tool);
  checkFunction('observe', observer);
  const { bodies = false, around } = checkOptions('observe', options, 'bodies around');
  checkBoolean('bodies', bodies);
  if (around !== undefined) checkFunction('around', around);
  return watchOf(tool).add({ call: observer, bodies, around });
}

const OK: End = { outcome: 'ok', code: undefined };
const LEFT: End = { outcome: 'left', code: undefined };
const ALL = Infinity;

/** What tells observers of a tool, made if it has none. */
export function watchOf(tool: ToolCore): Watch {
  const { watching } = tool;
  if (watching instanceof Watch) return watching;
  return (tool.watching = new Watch(tool, watching));
}

export class Watch extends Telling implements Watcher {
  /** Of flows. */
  private readonly roots = new Map<AsyncSteps, Lane>();
  /** Null: nothing of that line is told, it's inside of a lock. */
  private readonly branches = new WeakMap<Line, Lane | null>();
  /** The lines whose turns have begun and aren't over; null: it isn't told. */
  private readonly turns: (Line | null)[] = [];
  /** It was made by code of a flow: in a turn that nobody has heard of. */
  private isWithin = runningOf(this.tool).some(({ bits }) => bits & BUSY);
  /** What was looked for last. */
  private line: Line | null = null;
  private lane: Lane | null = null;
  /** That is told to have ended. */
  ends: AsyncSteps | null = null;

  begun(flow: AsyncSteps): void {
    this.before?.begun(flow);
    const { leaving, pending } = this.tool;
    const mark = pending.length;
    flow.bits |= OBSERVED;
    const lane = this.rootOf(flow);
    this.tell(flow, lane.flow, 'begun', null);
    lane.begun = Math.floor(this.times[0]!);
    if (leaving === 0) closingEnded(flow, mark);
  }

  turn(line: Line): void {
    const isNew = this.knownLane(line) === undefined;
    const lane = isTaking(line) ? null : this.laneOf(line);
    this.turns.push(lane === null ? null : line);
    this.stale = true;
    if (lane === null) return;
    lane.since = undefined;
    if (isNew) this.open(line, lane, lane.unknown(line.top).steps);
    this.tell(line.flow, lane.flow, 'turn', lane.told);
    if (lane.ended >= 0) this.closeSequences(line, lane, lane.ended, OK);
  }

  turned(line: Line): void {
    const { flow } = line;
    if (this.turns.pop() !== null && isWaiting(line)) this.waits(line);
    this.isWithin = false;
    this.stale = true;
    if (flow.bits & LATCHED) cancelFlow(flow);
    closingEnded(flow);
    for (const sink of this.sinks) sink.over?.();
    this.endUnused();
  }

  private waits(line: Line): void {
    const lane = this.laneOf(line);
    if (lane === null) return;
    const { flow, top } = line;
    this.open(line, lane, lane.unknown(top).steps);
    if (top!.bits & HOSTS) return;
    const waits = this.hasSinks ? waitsAt(line, lane.top!) : null;
    this.tell(flow, lane.flow, 'waits', lane.told, NOTHING, line, waits);
    lane.since = Math.floor(this.times[0]!);
  }

  body(step: Step): void {
    const { line } = step;
    const lane = this.enter(step);
    if (lane !== null && this.bodies) this.tellBody('body', line, lane);
    if (this.arounds.length > 0) this.surround(step);
  }

  /** Its body is called next, and only once: something else stands in its place. So nothing is asked for that before each body. */
  private surround(step: Step): void {
    const { work, bits, line } = step;
    const { flow } = line;
    const callers = this.callersIn(flow, this.numberIn(line));
    if (callers === null) return;
    const calls = bits & ROUND ? () => (work as Kind).call!(step) : work;
    const instead = (...given: unknown[]) => {
      step.work = work;
      return callBy(callers, flow, () => calls(...given));
    };
    step.work = bits & ROUND ? { call: instead } : instead;
  }

  /** What is being left tells nothing more of what is open; all else does. */
  readonly within: Within = (step, call, a, b, c, d) => {
    const { line } = step;
    const { flow } = line;
    if (this.arounds.length > 0) {
      const lane = this.tool.leaving === 0 ? this.laneOf(line) : null;
      if (lane !== null) this.open(line, lane, lane.unknown(step).steps);
      const callers = this.callersIn(flow, this.numberIn(line));
      if (callers !== null) return callBy(callers, flow, () => call(a!, b!, c!, d!));
    }
    return call(a!, b!, c!, d!);
  };

  /** Of the innermost step of the line that was told, or of those around it. */
  private numberIn(line: Line): number {
    for (let at: Line | undefined = line; at !== undefined; at = hostOf(at)?.line) {
      const lane = this.knownLane(at);
      if (lane) return lane.told === null ? 0 : lane.told.number;
    }
    return 0;
  }

  returned(step: Step): void {
    if (!this.bodies) return;
    const { line } = step;
    const lane = this.knownLane(line);
    if (lane?.top === step) this.tellBody('returned', line, lane);
  }

  /** How long it takes is what it's told for. */
  private tellBody(what: 'body' | 'returned', { flow }: Line, lane: Lane): void {
    this.stale = true;
    this.tell(flow, lane.flow, what, lane.told);
  }

  handler(step: Step, error: StepError): void {
    const { flow } = step.line;
    const code = codeOf(error);
    const lane = this.enter(step, { outcome: 'error', code });
    if (lane !== null)
      this.tell(flow, lane.flow, 'handler', lane.told, { outcome: undefined, code });
  }

  cancel(step: Step): void {
    const { flow } = step.line;
    const lane = this.enter(step);
    if (lane !== null) this.tell(flow, lane.flow, 'cancel', lane.told);
  }

  closed(step: Step, failure: Failure | null, closing: Closing | null): void {
    const { line, bits, index } = step;
    const lane = this.knownLane(line);
    if (!lane || lane.top !== step) return;
    const end = endOf(failure, closing);
    this.closeSequences(line, lane, ALL, end);
    const known = lane.take();
    if ((bits & HIDDEN) === 0) this.tell(line.flow, lane.flow, 'closed', known, end);
    known.step = null;
    if (index >= 0) return;
    if (end.outcome !== 'ok') this.closeSequences(line, lane, ALL, end);
    else if (this.hasTurn(line)) this.closeSequences(line, lane, ~index, OK);
    else lane.ended = ~index;
  }

  ended(flow: AsyncSteps, told: IOutcome | undefined): void {
    const kind = told?.kind ?? (flow.bits & CANCELLING ? 'cancelled' : 'ok');
    const code = told?.kind === 'error' ? told.code : undefined;
    const lane = this.rootOf(flow);
    const outcome = kind === 'cancelled' ? 'left' : kind;
    this.closeSequences(flow, lane, ALL, { outcome, code });
    this.ends = flow;
    this.tell(flow, lane.flow, 'ended', null, { outcome: kind, code });
    this.ends = null;
    lane.flow.ended();
    this.roots.delete(flow);
    this.line = this.lane = null;
    const isHeard = flow.ending !== null || flow.settings.unhandled !== throwUnhandled;
    if (told?.kind === 'error' && !isHeard) this.addLast(told.error, lane.flow.id);
  }

  /** The error is thrown, and ends a process: what led to it stands behind its frames. */
  private addLast(error: unknown, flow: number): void {
    const lines = this.lastOf(flow);
    if (lines.length === 0) return;
    withPath(error, errorPath(records.get(error as object) ?? (error as StepError)));
    withBehind(error, ['\nthe last events of its flow:', ...lines].join('\n  '));
  }

  waitsSince(line: Line): number | undefined {
    return this.knownLane(line)?.since;
  }

  begunAt(flow: AsyncSteps): number | undefined {
    return this.roots.get(flow)?.begun;
  }

  protected forget(): void {
    this.told.at(0, null, null);
    for (const { flow } of this.roots.values()) flow.ended();
    this.roots.clear();
    this.line = this.lane = null;
  }

  /** Those inside of the innermost step that end with that part, or before. */
  private closeSequences({ flow }: Line, lane: Lane, part: number, end: End): void {
    lane.ended = -1;
    let known: Known | undefined;
    while ((known = lane.takeSequence(part)) !== undefined)
      this.tell(flow, lane.flow, 'closed', known, end);
  }

  protected get isInTurn(): boolean {
    return this.turns.length > 0;
  }

  private hasTurn(line: Line): boolean {
    return this.turns.length === 0 ? this.isWithin : this.turns.at(-1) === line;
  }

  /** Code of the program is called in the step. Null: it isn't told, inside of a lock. */
  private enter(step: Step, end = LEFT): Lane | null {
    const { line, link, bits } = step;
    const lane = this.laneOf(line);
    if (lane === null) return null;
    if (link === lane.top && (bits & (HIDDEN | OBLIGES)) === 0) {
      this.openOne(line, lane, step, kindNameOf(step));
      return lane;
    }
    const { steps, inLock } = lane.unknown(step);
    if (inLock) return null;
    if (steps.length === 0) this.closeSequences(line, lane, ALL, end);
    else this.open(line, lane, steps);
    return lane;
  }

  private open(line: Line, lane: Lane, steps: readonly Step[]): void {
    for (let place = 0; place < steps.length; place++)
      this.openOne(line, lane, steps[place]!, kindFrom(steps, place));
  }

  private openOne(line: Line, lane: Lane, step: Step, kind: string): void {
    const { index, bits } = step;
    const { flow } = line;
    const isHidden = (bits & HIDDEN) !== 0;
    if (index < 0) {
      this.closeSequences(line, lane, ~index - 1, OK);
      if (!isHidden)
        for (const sequence of lane.sequencesAround(step))
          this.tell(flow, lane.flow, 'opened', lane.addSequence(sequence));
    }
    const known = lane.add(step, kind);
    if (!isHidden) this.tell(flow, lane.flow, 'opened', known);
  }

  /** Those that were told, by their numbers. */
  openSteps(): ReadonlyMap<number, Known> {
    const found = new Map<number, Known>();
    const lanes: Lane[] = [...this.roots.values()];
    for (let lane = lanes.pop(); lane !== undefined; lane = lanes.pop()) {
      for (const known of lane.open()) if (known.number > 0) found.set(known.number, known);
      if (lane.top !== null && lane.top.bits & HOSTS)
        this.addInside(kindOf(lane.top) as Hosts, lanes);
    }
    return found;
  }

  private addInside({ first }: Hosts, lanes: Lane[]): void {
    for (let line: HostedLine | null = first; line !== null; line = line.sibling) {
      const lane = this.branches.get(line);
      if (lane) lanes.push(lane);
    }
  }

  private knownLane(line: Line): Lane | null | undefined {
    if (line === this.line) return this.lane;
    const lane = line === line.flow ? this.roots.get(line.flow) : this.branches.get(line);
    if (lane !== undefined) this.keep(line, lane);
    return lane;
  }

  private keep(line: Line, lane: Lane | null): void {
    this.line = line;
    this.lane = lane;
  }

  private rootOf(flow: AsyncSteps): Lane {
    const known = this.roots.get(flow);
    if (known !== undefined) return known;
    const lane = new Lane(flow, new ShownFlow(flow), null);
    this.roots.set(flow, lane);
    return lane;
  }

  /** What is around a line that is new is told before. */
  private laneOf(line: Line): Lane | null {
    const known = this.knownLane(line);
    if (known !== undefined) return known;
    const unseen: Line[] = [];
    let at: Line | undefined = line;
    for (; at !== undefined && this.knownLane(at) === undefined; at = hostOf(at)?.line)
      unseen.push(at);
    for (let next = unseen.pop(); next !== undefined; next = unseen.pop()) this.begin(next);
    return this.knownLane(line)!;
  }

  private begin(line: Line): void {
    const host = hostOf(line);
    if (host === null) return void this.rootOf(line.flow);
    const around = this.enter(host);
    this.branches.set(line, around && new Lane(line, around.flow, around.told));
  }
}

function endOf(failure: Failure | null, closing: Closing | null): End {
  if (closing !== null) return LEFT;
  if (failure === null) return OK;
  return StepError.is(failure) ? { outcome: 'error', code: codeOf(failure) } : LEFT;
}

/** Where a map waits for what a channel gives: nobody sees it. */
function isTaking(line: Line): boolean {
  const { top, tail, flow } = line;
  const first = top ?? tail;
  return line !== flow && first !== null && (first.bits & HIDDEN) !== 0 && top?.link == null;
}

/** What it waits for, whose innermost step that is shown is that one. */
function waitsAt(line: Line, step: Step): Waits | null {
  return waitsOf(line, kindIf(step)?.waits?.(step) ?? null);
}

function isWaiting({ top, slot, bits }: Line): boolean {
  return top !== null && slot < 0 && (bits & CLOSED) === 0;
}
