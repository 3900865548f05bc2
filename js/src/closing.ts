// What is being closed, and what arrives where it ends. It is noted on what it has to wait for, the shelter inside of which nothing
// may be touched, or the branches of a host, and performed when that is over.
//
// - It goes through each line once: what it had to leave there is noted, and its frames, or its branches, go on from there.
// - Timers between what is noted and the stop are disarmed: a closing that comes later is wider, or a matter of the inside.
// - The clearest account of it is `spec/model/closing.ts`.

import { cleansUp } from './cleanup.js';
import { StepError } from './error.js';
import { join } from './errorchain.js';
import { closeAs, leave, stopBegun } from './frame.js';
import { AGAIN, ENDED, type HostedLine, type Hosts, PENDING } from './kind.js';
import { hostOf } from './path.js';
import { CLAIMED, CLOSED, DUE, FAIL, HOSTS, OBLIGES, OK_TWICE } from './phase.js';
import { disarmTimers, shelterIf, shelterInside } from './shelter.js';
import { kindOf, type Step } from './step.js';
import { stops } from './stopping.js';
import { enterLeaving, watchRejection } from './thenable.js';
import type { StepTimer } from './timer.js';
import { clearResults } from './results.js';
import { type Closing, type Line, wholeOf } from './tree.js';

/**
 * Closes everything inside of the closing's stop, innermost first, branches in add order, but for what is sheltered: that notes the
 * closing and goes on with it when it's over. No error handler runs. Errors that were claimed inside join the closing's. AGAIN: a
 * cleanup begins there. PENDING: something has to be waited for.
 */
export function closeInside(line: Line, closing: Closing): number {
  let at = line;
  let came = closeLine(at, line, closing);
  for (;;) {
    if (typeof came === 'object') {
      at = came;
      came = closeLine(at, line, closing);
      continue;
    }
    if (at === line) return came;
    const branch = at as HostedLine;
    const { sibling } = branch;
    if (came === ENDED) (kindOf(branch.host) as Hosts).branchLeft(branch);
    else if (came === AGAIN) line.flow.settings.tool.enqueue(branch);
    const next = openFrom(sibling);
    at = next ?? branch.host.line;
    came = next === null ? closeFrames(at, line, closing, true) : closeLine(at, line, closing);
  }
}

/** Closes a line as far as it isn't sheltered. Returns the branch that comes first, or how far it has come. */
function closeLine(line: Line, start: Line, closing: Closing): Line | number {
  if (line.deadline !== null && !closing.forced) {
    const end = endOf(line, start, closing);
    const shelter = shelterInside(line, end);
    if (shelter !== null) {
      note(shelter, line, start, closing);
      disarmTimers(shelter.outer, end);
      return PENDING;
    }
  }
  line.flow.settings.tool.remove(line);
  return closeFrames(line, start, closing, false);
}

/** The first branch from there on that is not closed. */
function openFrom(branch: HostedLine | null): HostedLine | null {
  let at = branch;
  while (at !== null && at.bits & CLOSED) at = at.sibling;
  return at;
}

/** `visited`: its top is a step whose branches are closed, as far as they can be now. */
function closeFrames(line: Line, start: Line, closing: Closing, visited: boolean): Line | number {
  const stop = line === start ? closing.stop : null;
  let seen = visited;
  for (;;) {
    const { top } = line;
    if (top !== null && (top.bits & HOSTS) !== 0) {
      const hosts = kindOf(top) as Hosts;
      if (!seen) {
        const lost = hosts.stop();
        if (lost !== null) joinTo(wholeOf(closing), lost);
        if (closing.forced) hosts.closing = null;
        if (hosts.closing === null) {
          hosts.first = openFrom(hosts.first);
          if (hosts.first !== null) return hosts.first;
        }
      }
      if (hosts.active !== 0) {
        note(hosts, line, start, closing);
        disarmTimers(line.deadline, endOf(line, start, closing));
        return PENDING;
      }
    }
    if (top === stop || top === null) return ENDED;
    if (line.latch !== null) dropLatch(line, wholeOf(closing).failure);
    clearResults(line);
    if (!stands(top)) {
      if (closing.forced) {
        enterLeaving(top, () => watchRejection(top, stopBegun(top)));
      } else if (stops(top, null, closingOn(line, start, closing))) {
        disarmTimers(line.deadline!.outer, endOf(line, start, closing));
        return PENDING;
      }
      leave(top, null, wholeOf(closing));
    }
    if (top.bits & DUE) {
      if (closing.forced) keepFailure(top, closing.failure!);
      else if (cleansUp(line, top, null, closingOn(line, start, closing))) {
        disarmTimers(line.deadline!.outer, endOf(line, start, closing));
        return AGAIN;
      }
    }
    closeAs(line, top, null, wholeOf(closing));
    seen = false;
  }
}

/** What the closing that begins at `start` is for a line inside. */
function closingOn(line: Line, start: Line, closing: Closing): Closing {
  return line === start ? closing : closing.inside();
}

/** Something waits for this closing. If a narrower one was noted, it gives way. */
function note(place: { closing: Closing | null }, line: Line, start: Line, closing: Closing): void {
  const narrower = place.closing;
  const wider = closingOn(line, start, closing);
  place.closing = wider;
  if (narrower === null) return;
  narrower.giveWay(wider);
  if (narrower.failure !== null) joinTo(wholeOf(wider), narrower.failure);
}

/** Cancels and winners of races have no error. */
function joinTo({ failure }: Closing, lost: StepError): void {
  if (failure !== null) join(failure, lost);
}

/** Where to stop in the line's chain of timers: those before belong to steps inside `stop`, which may have none. */
function endOf(line: Line, start: Line, { stop }: Closing): StepTimer | null {
  if (line !== start || stop === null) return hostOf(line)?.line.deadline ?? null;
  let end = line.deadline;
  for (let step = line.top!; step !== stop; step = step.link!) {
    if (end?.step === step) end = end.outer;
  }
  return end;
}

/** An error that a cleanup has kept is not lost with it. */
function keepFailure(step: Step, into: StepError): void {
  const failure = shelterIf(step)?.failure;
  if (StepError.is(failure)) join(into, failure);
}

/** What was latched or claimed on the line is overtaken; an error is not lost. */
export function dropLatch(line: Line, into: StepError | null): void {
  const { latch } = line;
  line.latch = null;
  clearResults(line);
  if (into !== null && StepError.is(latch)) join(into, latch);
}

/** Whether its ok has been claimed, and counts though its line has not moved yet. */
function stands({ bits, tail }: Step): boolean {
  return (bits & (OBLIGES | CLAIMED | FAIL | OK_TWICE)) === (OBLIGES | CLAIMED) && tail === null;
}
