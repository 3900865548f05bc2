// A line's turn: open the next step, call its body, see what it left, go on.
//
// - Nothing here calls itself through user code: a body only latches, and this loop moves the tree when the body has returned.
// - The budget counts bodies, and is looked at before a body's step opens. Everything else is free.
// - While bodies are slow the tool looks at its clock after each. If timers are due what the body has left waits for them: the step is
//   claimed, and concluded in the line's next turn.
// - A cancel of the own flow that is latched on the way is performed at the end of the turn, by then nothing else has moved.

import type { AsyncSteps } from './asyncsteps.js';
import { cancelFlow } from './cancel.js';
import { openSheltering } from './cleanup.js';
import { inNode } from './context.js';
import { inContext } from './end.js';
import { close } from './frame.js';
import { latchThrown } from './latch.js';
import { callIteration, isCounting, type Loop, nextRound, openIteration } from './loop.js';
import { ENDED, PENDING, READY } from './loopmode.js';
import type { Branches } from './parallel.js';
import {
  ATTENTIVE,
  AWAIT,
  BODY,
  BUSY,
  CLAIMED,
  DELAY,
  FAIL,
  FREE,
  INNER,
  KEPT,
  LATCHED,
  LEFT,
  LOOP,
  OK,
  OWED,
  HOSTS,
  PHASES,
  RELINQUISH,
  RETRY,
  SECTION,
  SHELTERING,
  SPECIAL,
  WAIT,
  WAITING,
} from './phase.js';
import { endRetry, queueAttempt } from './retry.js';
import { conclude, lasts, settle, watchCancelled } from './settle.js';
import { isCancelled } from './shelter.js';
import type { Step } from './step.js';
import { hasStopped } from './stopping.js';
import { enterSection, openSection } from './sync.js';
import { armStep } from './timer.js';
import { clearResults, type Line, open, type Values } from './tree.js';
import { afterStop, closeOk } from './unwind.js';

/** One visit of the tool to a line. */
export function turn(line: Line): void {
  const { flow } = line;
  if (inNode && flow.bits & KEPT) return inContext(flow, turn, line);
  flow.bits |= BUSY;
  const { top } = line;
  if (top === null || (top.bits & CLAIMED) === 0 || performClaim(line, top)) drive(line, flow);
  flow.bits &= ~(BUSY | ATTENTIVE);
  if (flow.bits & LATCHED) cancelFlow(flow);
}

/** Returns whether the line goes on in this turn. */
function performClaim(line: Line, top: Step): boolean {
  return hasStopped(top) ? afterStop(line, top) : conclude(line, top);
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
    let step: Step;
    let loop: Loop | null = null;
    if (top !== null && (top.bits & (LOOP | SECTION)) !== 0) {
      const round =
        (top.bits & SECTION) !== 0 || isCounting(top.work) ? READY : nextRound(line, top);
      if (round === ENDED) continue;
      if (round === PENDING) return budget;
      if (budget === 0) return MORE;
      if (top.bits & SECTION) {
        step = enterSection(line, top);
      } else {
        step = openIteration(line, top);
        loop = top.work;
      }
    } else {
      const tail = top === null ? line.tail : top.tail;
      if (tail === null) {
        if (top === null) {
          line.end();
          return budget;
        }
        if (top.bits & RETRY) endRetry(top);
        if (top.bits & OWED) {
          if (closeOk(line, top)) continue;
          return budget;
        }
        close(line, top);
        continue;
      }
      step = tail.link!;
      if (budget === 0 && (step.bits & FREE) === 0) return MORE;
      const rest = step === tail ? null : tail;
      if (rest !== null) rest.link = step.link;
      else if (top === null) line.tail = null;
      else top.tail = null;
      if (step.bits & SPECIAL) {
        if (step.bits & SHELTERING) {
          openSheltering(line, step);
        } else {
          if (openBodiless(line, step)) continue;
          return budget;
        }
      } else {
        open(line, step, BODY);
      }
    }
    budget--;
    let returned: unknown;
    try {
      if (loop !== null) {
        returned = callIteration(step, loop);
      } else if (line.results === 0) {
        const { work } = step;
        returned = work(step);
      } else {
        returned = callBody(line, step);
      }
    } catch (thrown) {
      latchThrown(step, thrown);
    }
    if ((flow.bits & (LATCHED | ATTENTIVE)) !== 0 && isOver(line, step, returned)) return budget;
    if ((returned === undefined || returned === step) && (step.bits & (LEFT | OWED)) === 0) {
      if (step.tail === null) close(line, step);
      else step.bits ^= BODY | INNER;
    } else if (!settle(line, step, returned)) {
      return budget;
    }
  }
}

/** The values of the step before reach exactly this body. */
function callBody(line: Line, step: Step): unknown {
  const { work } = step;
  const { results, value } = line;
  clearResults(line);
  if (results === 1) return work(step, value);
  const { r0, r1, r2, r3 } = value as Values;
  if (results === 2) return work(step, r0, r1);
  if (results === 3) return work(step, r0, r1, r2);
  return work(step, r0, r1, r2, r3);
}

/** Whether the turn ends with this body, whatever that has left: its flow is cancelled, or timers are due. [timeout-30] */
function isOver(line: Line, step: Step, returned: unknown): boolean {
  if (isCancelled(line)) {
    watchCancelled(step, returned);
    return true;
  }
  const { tool } = line.flow.settings;
  if (!tool.attentive) return false;
  const { taken } = tool;
  tool.taken = null;
  if (!tool.isLate()) return false;
  if (lasts(step, returned)) return true;
  const { bits, tail } = step;
  if (taken === step) return false;
  if ((bits & (FAIL | OK)) === 0 && (tail !== null || (bits & WAIT) !== 0)) return false;
  step.bits = (bits & ~PHASES) | CLAIMED;
  tool.enqueue(line);
  return true;
}

/** Opens what has no body. Returns whether the line goes on in this turn. */
function openBodiless(line: Line, step: Step): boolean {
  if (step.bits & SECTION) return openSection(line, step);
  clearResults(line);
  if (step.bits & RELINQUISH) {
    line.flow.settings.tool.enqueue(line);
    return false;
  }
  if (step.bits & DELAY) {
    open(line, step, WAITING);
    armStep(step, step.work);
    return false;
  }
  open(line, step, INNER);
  if (step.bits & RETRY) {
    queueAttempt(step);
    return true;
  }
  if (step.bits & AWAIT) return settle(line, step, step.work);
  if ((step.bits & HOSTS) === 0) return true;
  return (step.work as Branches).begin(line, step);
}
