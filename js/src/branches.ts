// Branches of a parallel step, as far as a closing has to know them. How they are started and what they do is in `parallel`.
//
// - `open` counts branches that are not closed; the parent's line may go on when it is 0, and goes to the tail then.
// - Branches are linked in add order. `first` only moves over closed ones, so cancelling all is linear.

import { errors } from './codes.js';
import { raiseAt, raisedBy, type StepError } from './error.js';
import { join } from './errorchain.js';
import type { Item, Mapping } from './map.js';
import type { Branch, Branches } from './parallel.js';
import { CLOSED, MAP } from './phase.js';
import type { Step } from './step.js';
import { clearResults, drop } from './tree.js';

/** Those that have not started never will. */
export function dropBranches(branches: Branches): void {
  const { tail } = branches;
  if (tail === null) return;
  for (let step = tail.link!; step !== tail; step = step.link!) branches.open--;
  branches.open--;
  drop(branches);
}

/** The first branch in add order that is not closed. */
export function nextOpenBranch(host: Step): Branch | null {
  const branches: Branches = host.work;
  return (branches.first = openFrom(branches.first));
}

/** The first one from there on that is not closed. */
export function openFrom(branch: Branch | null): Branch | null {
  let at = branch;
  while (at !== null && at.bits & CLOSED) at = at.sibling;
  return at;
}

/** A branch of an any has failed. Returns what the step fails with, if it was the last one. */
export function failBranch(branch: Branch, error: StepError): StepError | null {
  const { host } = branch;
  const open = closeBranch(branch);
  branch.latch = error;
  if (open !== 0) return null;
  const all = raisedBy(host, errors.AllFailed);
  const branches: Branches = host.work;
  for (let at = branches.first; at !== null; at = at.sibling) {
    join(all, raiseAt(at.latch as StepError, null, 0));
  }
  return all;
}

/** Nothing of the branch is open any more. Returns how many still are. */
export function closeBranch(branch: Branch): number {
  branch.bits = CLOSED;
  branch.tail = null;
  branch.latch = null;
  clearResults(branch);
  if (branch.host.bits & MAP) (branch.host.work as Mapping).leave(branch as Item);
  return --(branch.host.work as Branches).open;
}
