/** Lines in the run queue, and what a line does in its turn. */
import { applyClaim } from './claim.js';
import { nextDeferred } from './cleanup.js';
import { closing } from './closing.js';
import { leave } from './leave.js';
import { nextIteration } from './loop.js';
import { hasWork, moveMap } from './map.js';
import { turnBegins, turnEnds } from './observe.js';
import { open } from './open.js';
import { nextAttempt } from './retry.js';
import type { Line, Step } from './shape.js';
import { cancelled } from './usercode.js';
import { nextPart } from './steps.js';
import { beginSection } from './sync.js';
import { afterStop } from './stopping.js';
import { cancelEntry, goesOnFirst, isLate, lineTurn } from './tool.js';

/** [model-63]; a branch that begins does so with the others of its step. */
export function enqueue(line: Line, begins?: Step): void {
  if (line.closed || line.queued !== undefined) return;
  line.queued = lineTurn(line.flow.tool, () => turn(line), begins);
}

/** It goes on as soon as timers have fired. */
export function enqueueFirst(line: Line): void {
  line.queued = goesOnFirst(line.flow.tool, () => turn(line));
}

export function dequeue(line: Line): void {
  if (line.queued !== undefined) cancelEntry(line.flow.tool, line.queued);
  line.queued = undefined;
}

/** A line that can go on does so in its own turn ([model-57]), else at the tail ([model-58]). */
export function wake(line: Line): void {
  if (line.flow.tool.turn !== line) enqueue(line);
}

/** [model-51] [model-52] [model-54] [model-55] [tool-56]; the first one of a map's item is within the turn of the map. */
export function turn(line: Line): void {
  const { flow } = line;
  const { tool } = flow;
  line.queued = undefined;
  const budget = line.root.parent === undefined ? flow.burst : 1;
  line.budget = budget;
  let looked = budget; // once after each body
  const before = tool.turn;
  tool.turn = line;
  tool.onStack.push(line);
  const { root } = line;
  turnBegins(line);
  while (canMove(line) && !tool.stopped) {
    if (needsBudget(line.top)) {
      const ran = line.budget < looked;
      looked = line.budget;
      if (looked === 0 || (ran && isLate(tool))) {
        enqueue(line);
        break;
      }
    }
    closing(flow, () => move(line));
  }
  closing(flow, () => void cancelled(flow.root)); // [cancel-41]
  tool.turn = before;
  tool.onStack.pop();
  if (flow.root === root && flow.begun === 0) flow.begun = ++tool.begun; // [observe-1]
  turnEnds(line);
}

/** Is there anything that this line can do by itself? One that waits, or whose branches run, can't. */
function canMove(line: Line): boolean {
  if (line.closed || line.queued !== undefined) return false;
  const { top } = line;
  if (['claimed', 'ready', 'cleaning', 'stopped'].includes(top.phase)) return true;
  if (top.phase === 'inner' && maps(top)) return hasWork(top);
  if (top.hedging?.over === false) return false; // it waits for a timer or an attempt
  return top.phase === 'inner' && !top.lines.some((branch) => !branch.closed);
}

/** [model-53] [model-54] [sync-14]: is a body the next thing to come? */
function needsBudget(top: Step): boolean {
  if (top.phase === 'ready') return top.part === undefined;
  if (top.phase === 'cleaning') return top.defers.length > 0;
  if (top.phase !== 'inner') return false;
  const next = top.level[0];
  if (next?.kind === 'plain') return next.part === undefined;
  if (next !== undefined) return ['section', 'shield'].includes(next.kind);
  if (top.kind === 'retry') return !top.handled && top.part === undefined;
  if (top.kind === 'loop' && top.channel !== undefined) return true;
  return top.kind === 'loop' && top.item!(top.iterations) !== undefined;
}

function maps(top: Step): boolean {
  return top.wants === 'map' && !top.handled;
}

/** One thing that a line does. */
function move(line: Line): void {
  const { top } = line;
  if (top.phase === 'claimed') applyClaim(top);
  else if (top.phase === 'stopped') afterStop(top);
  else if (maps(top)) moveMap(top);
  else if (top.phase === 'cleaning') nextDeferred(top);
  else if (top.phase === 'ready') beginSection(top);
  else if (top.level.length > 0) open(top.level.shift()!, line);
  else if (top.kind === 'loop') nextIteration(top);
  else if (top.kind === 'steps') nextPart(top);
  else if (top.kind === 'retry' && !top.handled) nextAttempt(top);
  else if (top.kind === 'parallel' && !top.handled)
    leave(top, { how: 'ok', values: top.list === undefined ? top.won : [top.list] });
  else leave(top, { how: 'ok', values: line.values }); // [results-2] [model-18]
}
