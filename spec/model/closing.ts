/**
 * Closing, frame by frame from the innermost outwards. A frame is closed in always the same order; what comes after it is given
 * as `then`, which is called later if something shielded has to end first, and never if a wider closing or a recovery takes its place.
 */
import { askHandler } from './handler.js';
import { beginCleanup } from './cleanup.js';
import type { Failure } from './failure.js';

import { standing } from './latch.js';
import { stopHedge } from './hedge.js';
import { endLease } from './lease.js';
import { dequeue } from './line.js';
import { closeSource } from './map.js';
import { calls, closed as told } from './observe.js';
import { putOff, resume, shelterInside, takePlace } from './shelter.js';
import { leaveSignal } from './signal.js';
import { stopAwaited } from './stopping.js';
import type { Control, Flow, Line, Step, Values } from './shape.js';
import { endLock, unlockSection } from './sync.js';
import { disarm } from './timeout.js';
import { callUser, cancelled } from './usercode.js';

/** Why a frame is closed. */
export type Why =
  | { how: 'ok'; values: Values }
  | { how: 'error'; failure: Failure }
  | { how: 'control'; control: Control }
  | Silent
  | { how: 'cancelled' };

/** From further out: by a timer, a failed sibling, a branch that has won, the end of a grace. */
export interface Silent {
  how: 'silent';
  /** What will be raised when the inside is closed. */
  error: Failure | undefined;
  /** Errors that have come too late. */
  overtaken: Failure[];
  /** A wider closing has taken its place, and its errors. */
  replaced: boolean;
  /** The end of a grace: nothing is shielded from it, and nothing is cleaned up after it ([cleanup-62], [cleanup-63]). */
  abandons: boolean;
}

export function silent(error?: Failure, abandons = false): Silent {
  return { how: 'silent', error, overtaken: [], replaced: false, abandons };
}

/**
 * [cancel-25] [sync-26]: what is closed, and then the flows whose cancel was called in cancel handlers of it.
 */
export function closing({ tool }: Flow, close: () => void): void {
  const before = tool.asked;
  const asked: (() => void)[] = [];
  tool.asked = asked;
  close();
  for (const perform of asked) perform();
  tool.asked = before;
}

/** [error-5] [cancel-37] [cleanup-6] [cleanup-7]: the order of work in each frame. */
export function closeFrame(step: Step, why: Why, then: (why: Why) => void): void {
  noteOvertaken(step, why);
  step.phase = 'closing';
  step.level = [];
  stopHedge(step);
  closeBranches(step, why, () => {
    closeSource(step);
    if (givesWay(step, why)) return;
    disarm(step, step.kind !== 'deferred'); // [timeout-14] [timeout-15] [cleanup-20] [cleanup-60]
    if (why.how !== 'ok') leaveQueues(step, false);
    stopAwaited(step, why, () => closeRest(step, why, then));
  });
}

/** Nothing that the step has begun goes on. */
function closeRest(step: Step, why: Why, then: (why: Why) => void): void {
  if (why.how !== 'ok' && giveUp(step, why)) return;
  step.undo = undefined; // [cancel-1] [cancel-8] [cleanup-19]
  const verdict = why.how === 'error' ? askHandler(step, why.failure) : why;
  if (verdict === undefined) return;
  if (verdict !== why && giveUp(step, verdict)) return; // [signal-14] [error-67]: what the handler asked for and set
  if (verdict.how === 'silent' && verdict.abandons) step.defers = []; // [cleanup-63]
  if (step.defers.length === 0) finishFrame(step, verdict, then);
  else beginCleanup(step, verdict, then);
}

/** [sync-19] [sync-20] [cleanup-9] [cleanup-10]: the guard is unlocked; then the outcome is seen outside. */
export function finishFrame(step: Step, verdict: Why, then: (why: Why) => void): void {
  const line = step.line!;
  step.phase = 'closing';
  leaveQueues(step, verdict.how === 'ok');
  if (unlockSection(step, verdict)) {
    told(step, verdict); // [observe-29]
    if (givesWay(step, verdict)) return;
  }
  step.phase = 'closed';
  disarm(step);
  endLease(step);
  if (step.kind === 'lock') endLock(step, verdict);
  if (step !== line.root) line.top = step.parent!;
  told(step, verdict);
  if (resume(line, verdict)) return; // [cleanup-33]
  if (step.kind === 'shield' || step.cleaned) {
    if (givesWay(line.top, verdict)) return;
  }
  then(verdict);
}

/** [sync-33] [sync-40]: of guards and channels, also if it didn't wait any more. */
function leaveQueues(step: Step, ok: boolean): void {
  for (const lose of step.lost.splice(0)) lose(ok, step.claim?.what === 'ok');
}

/** [parallel-19] [timeout-12] [error-40] [error-50]: an error that was claimed or latched here, and comes too late. A cancel drops it. */
function noteOvertaken(step: Step, why: Why): void {
  if (why.how !== 'silent') return;
  if (step.phase !== 'awaiting' && step.phase !== 'claimed') return;
  const last = step.claim ?? standing(step);
  if (last?.what === 'error') why.overtaken.push(last.failure);
}

/** Its cancel handler is called. True: the flow was cancelled meanwhile. */
function giveUp(step: Step, why: Why): boolean {
  const { flow, undo } = step;
  step.undo = undefined;
  leaveSignal(step, why); // [signal-12]
  if (undo === undefined) return givesWay(step, why);
  const view = why.how === 'error' ? why.failure : undefined; // [error-25]
  calls(step, 'cancel');
  const { thrown, value } = callUser(step, view, true, () => undo(step));
  if (thrown) flow.hooks.report(value); // [cancel-13] [error-44]
  return givesWay(step, why);
}

/** To a cancel of the own flow; a closing from further out goes on, and that is looked at when it has ended ([cancel-40]). */
function givesWay(step: Step, why: Why): boolean {
  return why.how !== 'silent' && cancelled(step);
}

/** [parallel-14] [parallel-24] [cleanup-37] [cleanup-45]: in add order; when all are closed, it goes on. */
export function closeBranches(step: Step, why: Why, then: () => void): void {
  const isIdle = ({ root, top }: Line) =>
    root === top && root.level.length > 0 && step.hedging === undefined;
  const all = step.lines.filter((line) => !line.closed);
  const open = [...all.filter(isIdle), ...all.filter((line) => !isIdle(line))]; // [observe-8]
  let left = open.length;
  if (left === 0) return then();
  for (const line of open) {
    closeLine(line, why, () => {
      if (--left === 0) then();
    });
  }
}

/** All of a line, without error handlers. [parallel-14] [parallel-16] */
export function closeLine(line: Line, why: Why, then: () => void): void {
  closeInside(line, undefined, why, () => {
    line.closed = true;
    then();
  });
}

/**
 * All that is open inside of `owner`; what the line was about to do is dropped ([timeout-3] [cancel-4] [timeout-6]). It is put off
 * while something in there is shielded ([cleanup-30]).
 */
export function closeInside(line: Line, owner: Step | undefined, why: Why, then: () => void): void {
  const { top, root } = line;
  const abandons = why.how === 'silent' && why.abandons;
  const shelter = abandons ? undefined : shelterInside(line, owner);
  if (shelter !== undefined) {
    disarmUpTo(shelter.parent!, owner, line);
    return putOff({ line, shelter, owner, why, then });
  }
  takePlace(line, owner, why);
  dequeue(line);
  if (top === owner) return then();
  let closed = false;
  closeFrame(top, why, () => {
    closed = true;
    if (top === root) then();
    else closeInside(line, owner, why, then);
  });
  if (!closed && !abandons) disarmUpTo(waits(top) ? top.parent! : top, owner, line);
}

/** Its grace is what counts now. */
function waits({ phase }: Step): boolean {
  return phase === 'cleaning' || phase === 'stopping';
}

/** [cleanup-36] [timeout-29]: the end of these frames is decided. */
function disarmUpTo(from: Step, owner: Step | undefined, line: Line): void {
  for (let frame = from; frame !== owner && frame.line === line; frame = frame.parent!) {
    disarm(frame);
    endLease(frame);
    if (frame === line.root) return;
  }
}
