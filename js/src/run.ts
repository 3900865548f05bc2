// A line's turn: open the next step, call its body, see what it left, go on.
//
// - Nothing here calls itself through user code: a body only latches, and this loop moves the tree when the body has returned.
// - The budget counts bodies, and is looked at before a body's step opens. Everything else is free.
// - While bodies are slow the tool looks at its clock after each. If timers are due what the body has left waits for them: the step is
//   claimed, and concluded in the line's next turn.
// - A cancel of the own flow that is latched on the way is performed at the end of the turn, by then nothing else has moved.

import type { AsyncSteps } from './asyncsteps.js';
import { cancelFlow } from './cancel.js';
import { inNode } from './context.js';
import { inContext } from './end.js';
import { watchCancelled } from './enter.js';
import { close } from './frame.js';
import { AGAIN, ENDED, type Kind, PENDING, READY } from './kind.js';
import { latchThrown } from './latch.js';
import {
  ATTENTIVE,
  BODY,
  BUSY,
  CLAIMED,
  DUE,
  FAIL,
  FREE,
  INNER,
  KEPT,
  LATCHED,
  LEFT,
  OBSERVED,
  OK,
  OPENS,
  PHASES,
  ROUND,
  ROUNDS,
  TOLD,
  WAIT,
} from './phase.js';
import { closeNow, conclude, lasts, settle } from './settle.js';
import { isCancelled, shelterIf } from './shelter.js';
import { kindOf, type Step, watcherOf } from './step.js';
import { clearResults, type Results } from './results.js';
import { type Line, open } from './tree.js';
import { afterStop } from './unwind.js';

/** One visit of the tool to a line. */
export function turn(line: Line): void {
  const { flow } = line;
  if (flow.bits & (KEPT | OBSERVED)) turnApart(line, flow);
  else takeTurn(line, flow);
}

function turnApart(line: Line, flow: AsyncSteps): void {
  if (inNode && flow.bits & KEPT) return inContext(flow, turn, line);
  const { tool } = flow.settings;
  tool.watching?.turn(line);
  if (isCancelled(line)) cancelFlow(flow);
  else takeTurn(line, flow);
  tool.watching?.turned(line);
}

function takeTurn(line: Line, flow: AsyncSteps): void {
  flow.bits |= BUSY;
  const { top } = line;
  if (top === null || (top.bits & CLAIMED) === 0 || performClaim(line, top)) drive(line, flow);
  flow.bits &= ~(BUSY | ATTENTIVE);
  if (flow.bits & LATCHED) cancelFlow(flow);
}

/** A function of its own: that is 5 % of `await`. */
function performClaim(line: Line, top: Step): boolean {
  const { bits } = top;
  const goesOn = shelterIf(top)?.stop ? afterStop(line, top) : conclude(line, top);
  return goesOn && ((bits & TOLD) === 0 || !isCancelled(line));
}

/** Runs the line as long as its own budget and the tool's fuel allow. */
function drive(line: Line, flow: AsyncSteps): void {
  const { tool, burst } = flow.settings;
  let budget = line === flow ? burst : 1;
  while (budget > 0) {
    if (tool.fuel <= 0 && tool.spent()) break;
    if (tool.attentive) flow.bits |= ATTENTIVE;
    const grant = tool.fuel < budget ? tool.fuel : budget;
    const unused = runBodies(line, flow, grant);
    if (unused !== MORE) {
      tool.fuel -= grant - unused;
      return;
    }
    tool.fuel -= grant;
    budget -= grant;
  }
  tool.enqueue(line);
}

/** What `runBodies` answers when a body has to wait for another budget. */
const MORE = -1;

/** Runs bodies till there is nothing to do now. Returns what is left of the budget. */
function runBodies(line: Line, flow: AsyncSteps, grant: number): number {
  let budget = grant;
  for (;;) {
    const { top } = line;
    const tail = top === null ? line.tail : top.tail;
    let step: Step;
    if (tail !== null) {
      step = tail.link!;
      if (budget === 0 && (step.bits & FREE) === 0) return MORE;
      const rest = step === tail ? null : tail;
      if (rest !== null) rest.link = step.link;
      else if (top === null) line.tail = null;
      else top.tail = null;
      if (step.bits & OPENS) {
        const came = (step.work as Kind).open!(line, step);
        if (came === AGAIN) continue;
        if (came !== READY) return budget;
      } else {
        open(line, step, BODY);
      }
    } else if (top === null) {
      const { program } = flow;
      const came = program === null || line !== flow ? ENDED : program.next(line, flow);
      if (came === ENDED) {
        line.end();
        return budget;
      }
      if (came !== READY) continue;
      if (budget === 0) return MORE;
      step = program!.round(line, flow);
    } else {
      const kind = kindOf(top);
      const came = (top.bits & ROUNDS) === 0 ? ENDED : kind.next!(line, top);
      if (came === PENDING) return budget;
      if (came === ENDED && !closeNow(line, top)) return budget;
      if (came !== READY) continue;
      if (budget === 0) return MORE;
      const round = kind.round!(line, top);
      if (typeof round === 'number') {
        if (round === PENDING) return budget;
        budget--;
        continue;
      }
      step = round;
    }
    budget--;
    if (flow.bits & OBSERVED) tellBefore(step);
    let returned: unknown;
    try {
      if (step.bits & ROUND) {
        returned = (step.work as Kind).call!(step);
      } else if (line.results === 0) {
        const { work } = step;
        returned = work(step);
      } else {
        returned = callBody(line, step);
      }
    } catch (thrown) {
      latchThrown(step, thrown);
    }
    if ((flow.bits & (LATCHED | ATTENTIVE | OBSERVED)) !== 0) {
      returned = takeLate(line, step, returned);
      if (returned === OVER) return budget;
    }
    if (
      (returned === undefined || returned === step) &&
      (step.bits & (LEFT | DUE | ROUNDS | TOLD)) === 0
    ) {
      if (step.tail === null) close(line, step);
      else step.bits ^= BODY | INNER;
    } else if (!settle(line, step, returned)) {
      return budget;
    }
  }
}

/** Observers hear of the body before it's called. A function of its own: `runBodies` stays short. */
function tellBefore(step: Step): void {
  watcherOf(step)?.body(step);
}

/** The values of the step before reach exactly this body. */
function callBody(line: Line, step: Step): unknown {
  const { work } = step;
  const { results, value } = line;
  clearResults(line);
  if (results === 1) return work(step, value);
  const { r0, r1, r2, r3 } = value as Results;
  if (results === 2) return work(step, r0, r1);
  if (results === 3) return work(step, r0, r1, r2);
  return work(step, r0, r1, r2, r3);
}

/** The turn ends with this body. */
const OVER: unique symbol = /* @__PURE__ */ Symbol();

/**
 * The flow may be cancelled, or timers due: then the turn ends, whatever the body has left. Gives what it has returned; nothing if that
 * is taken. [timeout-30]
 */
function takeLate(line: Line, step: Step, returned: unknown): unknown {
  const { flow } = line;
  if (flow.bits & OBSERVED) watcherOf(step)?.returned(step);
  if (isCancelled(line)) {
    watchCancelled(step, returned);
    return OVER;
  }
  const { tool } = flow.settings;
  if (!tool.attentive) return returned;
  const { taken } = tool;
  tool.taken = null;
  if (!tool.isLate()) return returned;
  if (lasts(step, returned)) return OVER;
  const { bits, tail } = step;
  if (taken === step) return undefined;
  if ((bits & (FAIL | OK)) === 0 && (tail !== null || (bits & WAIT) !== 0)) return undefined;
  step.bits = (bits & ~PHASES) | CLAIMED;
  tool.enqueue(line);
  return OVER;
}
