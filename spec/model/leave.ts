/** An outcome leaves a step: what its parent does with it. */
import { cleanupFailed } from './cleanup.js';
import { closeFrame, type Why } from './closing.js';
import type { Failure } from './failure.js';
import { endBranch, failBranch } from './parallel.js';
import { endFailed, endOk } from './flow.js';
import { wake } from './line.js';
import { attemptEnded, attemptFailed } from './retry.js';
import type { Control, Line, Step, Values } from './shape.js';

/** [model-18]: the parent sees the outcome when the step is closed. */
export function leave(step: Step, why: Why): void {
  closeFrame(step, why, (verdict) => {
    if (verdict.how === 'ok') goOn(step, verdict.values);
    else if (verdict.how === 'error') passError(step, verdict.failure);
    else if (verdict.how === 'control') passControl(step, verdict.control);
  });
}

/** A step has ended with ok: its values are in the slot of the line, and the level around it goes on. */
function goOn(step: Step, values: Values): void {
  const line = step.line!;
  line.values = values;
  if (step === line.root) return endLine(line);
  if (step.kind === 'deferred') line.values = []; // [cleanup-14]
  if (step.kind === 'attempt') return attemptEnded(step.parent!, values);
  if (step.kind === 'iteration') line.values = []; // [loop-5] [results-7]
  if (step.kind === 'lock') {
    line.values = []; // [sync-8]
    step.parent!.phase = 'ready';
  }
  wake(line);
}

function endLine(line: Line): void {
  line.closed = true;
  const parallel = line.root.parent;
  if (parallel === undefined) endOk(line.flow, line.values);
  else endBranch(parallel, line);
}

/** [error-4] [error-6] [error-39]: to the next frame; at the root of a line, to whoever started the line. */
function passError(step: Step, failure: Failure): void {
  const line = step.line!;
  if (step.kind === 'attempt') return attemptFailed(step.parent!, failure);
  if (step.kind === 'deferred') return cleanupFailed(step.parent!, failure);
  if (step !== line.root) return leave(step.parent!, { how: 'error', failure });
  line.closed = true;
  if (step.parent === undefined) endFailed(line.flow, failure);
  else failBranch(step.parent, line, failure);
}

/** [loop-21] [loop-22] [loop-23]: outwards, up to and with the iteration of the loop. */
function passControl(step: Step, control: Control): void {
  if (step !== control.iteration) return leave(step.parent!, { how: 'control', control });
  const loop = step.loop!;
  loop.line!.values = [];
  if (control.action === 'break') leave(loop, { how: 'ok', values: [] });
  else wake(loop.line!);
}
