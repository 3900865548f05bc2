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
  type Failure,
  StepError,
} from './error.js';
import type { IOutcome } from './iasyncsteps.js';
import type { FlowEvent } from './ievent.js';
import { type Known, Lane } from './lane.js';
import { hostOf } from './path.js';
import { BUSY, CANCELLING, CLOSED, HIDDEN, HOSTS, LATCHED, OBSERVED } from './phase.js';
import { runningOf } from './snapshot.js';
import type { Step } from './step.js';
import { type End, NOWHERE, Telling } from './telling.js';
import { type Handle, ToolCore } from './toolcore.js';
import type { Closing, Line, Watcher } from './tree.js';

/** Of `observe`. */
export interface ObserveOptions {
  /** Whether it's told of each body, too, before it's called and when it has returned. Default: `false`. */
  bodies?: boolean | undefined;
}

/**
 * Calls the observer for each event of the tool's flows from now on, until the handle is cancelled: which of them begin and end, which steps
 * open, fail and close, who has a turn, and what each line waits for then. The event is one object, which is used again for the next one:
 * keep what you need of it. An observer only looks: what it throws goes to the flow's `report`, and a cancel that it calls is performed
 * later. Nothing is paid before it's asked for. What is no tool or no function: `InternalError`. Guide: docs/hangs.md#see-it-happen
 *
 *     const watching = observe(defaultTool, (event) => event.what === 'closed' && log(event.path, event.outcome));
 *     watching.cancel();
 */
export function observe(
  tool: ToolCore,
  observer: (event: FlowEvent) => void,
  options: ObserveOptions = {},
): Handle {
  if (!ToolCore.is(tool)) badArgument('observe', 'a tool', tool);
  checkFunction('observe', observer);
  const { bodies = false } = checkOptions('observe', options, 'bodies');
  checkBoolean('bodies', bodies);
  const watch = (tool.watching ??= new Watch(tool)) as Watch;
  return watch.add({ call: observer, bodies });
}

const OK: End = /* @__PURE__ */ Object.freeze({ outcome: 'ok' });
const LEFT: End = /* @__PURE__ */ Object.freeze({ outcome: 'left' });
const ALL = Infinity;

class Watch extends Telling implements Watcher {
  /** Of flows. */
  private readonly roots = new Map<Line, Lane | null>();
  /** Null: nothing of that line is told, it's inside of a lock. */
  private readonly branches = new WeakMap<Line, Lane | null>();
  /** The lines whose turns have begun and aren't over; null: it isn't told. */
  private readonly turns: (Line | null)[] = [];
  /** It was made by code of a flow: in a turn that nobody has heard of. */
  private isWithin = runningOf(this.tool).some(({ bits }) => bits & BUSY);

  begun(flow: AsyncSteps): void {
    const { leaving, pending } = this.tool;
    const mark = pending.length;
    flow.bits |= OBSERVED;
    this.tell(flow, 'begun', NOWHERE);
    if (leaving === 0) closingEnded(flow, mark);
  }

  turn(line: Line): void {
    const isNew = !this.lanesOf(line).has(line);
    const lane = isTaking(line) ? null : this.laneOf(line);
    this.turns.push(lane === null ? null : line);
    if (lane === null) return;
    const { flow } = line;
    if (isNew) this.open(flow, lane, lane.unknown(line.top).steps);
    this.tell(flow, 'turn', { lane });
    if (lane.ended >= 0) this.closeSequences(flow, lane, lane.ended, OK);
  }

  turned(line: Line): void {
    const { flow } = line;
    if (this.turns.pop() !== null && isWaiting(line)) this.waits(line);
    this.isWithin = false;
    if (flow.bits & LATCHED) cancelFlow(flow);
    closingEnded(flow);
    this.endUnused();
  }

  private waits(line: Line): void {
    const lane = this.laneOf(line);
    if (lane === null) return;
    const { steps } = lane.unknown(line.top);
    this.open(line.flow, lane, steps);
    if ((line.top!.bits & HOSTS) === 0) this.tell(line.flow, 'waits', { lane, line });
  }

  body(step: Step): void {
    if (this.enters(step) && this.bodies) this.tell(step.line.flow, 'body', { step });
  }

  returned(step: Step): void {
    if (this.bodies && this.isKnown(step)) this.tell(step.line.flow, 'returned', { step });
  }

  handler(step: Step, error: StepError): void {
    const code = codeOf(error);
    if (this.enters(step, { outcome: 'error', code }))
      this.tell(step.line.flow, 'handler', { step }, { code });
  }

  cancel(step: Step): void {
    if (this.enters(step)) this.tell(step.line.flow, 'cancel', { step });
  }

  closed(step: Step, failure: Failure | null, closing: Closing | null): void {
    const { line, bits, index } = step;
    const lane = this.lanesOf(line).get(line);
    if (!lane || lane.top !== step) return;
    const { flow } = line;
    const end = endOf(failure, closing);
    this.closeSequences(flow, lane, ALL, end);
    const known = lane.known.pop()!;
    if ((bits & HIDDEN) === 0) this.tell(flow, 'closed', { lane, known }, end);
    if (index >= 0) return;
    if (end.outcome !== 'ok') this.closeSequences(flow, lane, ALL, end);
    else if (this.hasTurn(line)) this.closeSequences(flow, lane, ~index, OK);
    else lane.ended = ~index;
  }

  ended(flow: AsyncSteps, told: IOutcome | undefined): void {
    const kind = told?.kind ?? (flow.bits & CANCELLING ? 'cancelled' : 'ok');
    const code = told?.kind === 'error' ? told.code : undefined;
    const lane = this.roots.get(flow);
    const outcome = kind === 'cancelled' ? 'left' : kind;
    if (lane) this.closeSequences(flow, lane, ALL, { outcome, code });
    this.tell(flow, 'ended', NOWHERE, { outcome: kind, code });
    this.roots.delete(flow);
    this.forget(flow);
  }

  /** Those inside of the innermost step that end with that part, or before. */
  private closeSequences(flow: AsyncSteps, lane: Lane, part: number, end: End): void {
    lane.ended = -1;
    let known: Known | undefined;
    while ((known = lane.takeSequence(part)) !== undefined)
      this.tell(flow, 'closed', { lane, known }, end);
  }

  private hasTurn(line: Line): boolean {
    return this.turns.length === 0 ? this.isWithin : this.turns.at(-1) === line;
  }

  /** Code of the program is called in the step. Returns whether it's told: not inside of a lock. */
  private enters(step: Step, end = LEFT): boolean {
    const { line } = step;
    const lane = this.laneOf(line);
    if (lane === null) return false;
    const { steps, inLock } = lane.unknown(step);
    if (inLock) return false;
    if (steps.length === 0) this.closeSequences(line.flow, lane, ALL, end);
    else this.open(line.flow, lane, steps);
    return true;
  }

  private isKnown(step: Step): boolean {
    return this.lanesOf(step.line).get(step.line)?.top === step;
  }

  private open(flow: AsyncSteps, lane: Lane, steps: readonly Step[]): void {
    for (const [place, { index }] of steps.entries()) {
      if (index < 0) this.closeSequences(flow, lane, ~index - 1, OK);
      for (const known of lane.learn(steps, place)) this.tell(flow, 'opened', { lane, known });
    }
  }

  /** What is around a line that is new is told before. */
  private laneOf(line: Line): Lane | null {
    const known = this.lanesOf(line).get(line);
    if (known !== undefined) return known;
    const unseen: Line[] = [];
    let at: Line | undefined = line;
    for (; at !== undefined && !this.lanesOf(at).has(at); at = hostOf(at)?.line) unseen.push(at);
    for (let next = unseen.pop(); next !== undefined; next = unseen.pop()) {
      this.lanesOf(next).set(next, this.startsIn(next) ? new Lane(next) : null);
    }
    return this.lanesOf(line).get(line)!;
  }

  private lanesOf(line: Line): WeakMap<Line, Lane | null> {
    return line === line.flow ? this.roots : this.branches;
  }

  private startsIn(line: Line): boolean {
    const host = hostOf(line);
    return host === null || this.enters(host);
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

function isWaiting({ top, slot, bits }: Line): boolean {
  return top !== null && slot < 0 && (bits & CLOSED) === 0;
}
