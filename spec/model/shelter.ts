/**
 * What is shielded: an open shield step, a step that stops what it has begun or whose cleanup runs, and everything inside. A closing that meets it is put off until
 * the outermost shielded frame in its way has closed.
 */
import { closeInside, type Why } from './closing.js';
import { addAlso } from './failure.js';
import type { Line, Step } from './shape.js';

/** A closing that waits. */
export interface PutOff {
  line: Line;
  shelter: Step;
  owner: Step | undefined;
  why: Why;
  then: () => void;
}

export function shelters(step: Step): boolean {
  if (['cleaning', 'stopping', 'stopped'].includes(step.phase)) return true;
  return step.kind === 'shield' && step.phase !== 'closed';
}

/** Is the step, or something around it, shielded? */
export function sheltered(step: Step): boolean {
  for (let frame: Step | undefined = step; frame !== undefined; frame = frame.parent) {
    if (shelters(frame)) return true;
  }
  return false;
}

/** The outermost shielded frame of a line inside of `owner`. */
export function shelterInside(line: Line, owner: Step | undefined): Step | undefined {
  let found: Step | undefined;
  for (let frame = line.top; frame !== owner && frame !== line.root; frame = frame.parent!) {
    if (shelters(frame)) found = frame;
  }
  return found;
}

/** [cleanup-33] [cleanup-35] [cleanup-36]: the widest one of those that wait for one frame counts. */
export function putOff(wider: PutOff): void {
  const { line, shelter, why } = wider;
  const narrower = line.putOff.filter((other) => other.shelter === shelter);
  for (const other of narrower) absorb(why, other.why);
  line.putOff = [...line.putOff.filter((other) => other.shelter !== shelter), wider];
}

/** A frame has closed: does something wait for that? It goes on from here, whatever the frame has ended with. */
export function resume(line: Line, verdict: Why): boolean {
  const waiting = line.putOff.find(({ shelter }) => shelter.phase === 'closed');
  if (waiting === undefined) return false;
  line.putOff = line.putOff.filter((other) => other !== waiting);
  absorb(waiting.why, verdict);
  closeInside(line, waiting.owner, waiting.why, waiting.then);
  return true;
}

/** [cleanup-34] [cleanup-35] [cleanup-77]: no error is lost but to a cancel, or to a branch that has won. */
export function absorb(into: Why, lost: Why): void {
  if (into.how !== 'silent') return;
  if (lost.how === 'error') into.overtaken.push(lost.failure);
  if (lost.how !== 'silent' || lost.replaced || lost === into) return;
  lost.replaced = true;
  if (lost.error === undefined) return;
  addAlso(lost.error, lost.overtaken);
  into.overtaken.push(lost.error);
}

/** The closing that waits for the step, if one does. */
export function waitsFor(step: Step): Why | undefined {
  return step.line!.putOff.find(({ shelter }) => shelter === step)?.why;
}

/** [cleanup-35] [cleanup-63]: nothing is shielded inside of `owner` any more, or from this closing: it takes the place of what waits there. */
export function takePlace(line: Line, owner: Step | undefined, why: Why): void {
  const inside = line.putOff.filter(({ shelter }) => !isAround(shelter, owner));
  for (const other of inside) absorb(why, other.why);
  line.putOff = line.putOff.filter((other) => !inside.includes(other));
}

function isAround(shelter: Step, owner: Step | undefined): boolean {
  for (let frame = owner; frame !== undefined; frame = frame.parent) {
    if (frame === shelter) return true;
  }
  return false;
}
