// Parallel, race and any. Their branches are lines of the same flow, each with one outermost step. They are queued steps of the
// parallel step until that opens, and steps in `tail` until each of them starts.
//
// - Of the branches that have not started only the first is a line, and stands in the queue for all of them. After its first turn
//   the next one takes its place at the head, so they run in order with nothing in between; a line that has ended by then serves
//   the next one too.
// - The first end of a branch of a race, or the first ok of an any, ends them all. A failed branch of an any keeps its error,
//   till one has won or all have failed.

import { errors } from './codes.js';
import { raiseAt, raisedBy, type StepError } from './error.js';
import { join } from './errorchain.js';
import { AGAIN, type HostedLine, type Hosts, type Kind, PENDING } from './kind.js';
import { raise } from './latch.js';
import { BRANCH, CLOSED, FREE, HOSTS, INNER, OPENS } from './phase.js';
import { turn } from './run.js';
import type { Step } from './step.js';
import { clearResults, Closing, drop, type Line, openInner } from './tree.js';
import { fail, unwind } from './unwind.js';

/** Which branches' end ends the step that has them: all of them, the first end, the first ok. */
export const ALL = 0;
export const RACE = 1;
export const ANY = 2;

export const BRANCHES = OPENS | FREE | HOSTS;

export class Branches implements Kind, Hosts {
  /** Whose end ends the step: ALL, RACE or ANY. */
  declare readonly mode: number;
  /** Those that have not started. */
  declare tail: Step | null;
  declare first: Branch | null;
  declare last: Branch | null;
  declare active: number;
  declare closing: Closing | null;

  constructor(mode: number) {
    this.mode = mode;
    this.tail = null;
    this.first = null;
    this.last = null;
    this.active = 0;
    this.closing = null;
  }

  open(line: Line, step: Step): number {
    openInner(line, step);
    this.tail = step.tail;
    this.active = step.count;
    step.tail = null;
    step.count = 0;
    if (this.tail !== null) step.line.flow.settings.tool.enqueue(toStart(this, new Branch(step)));
    if (this.active !== 0) return PENDING;
    if (this.mode === ALL) return AGAIN;
    line.latch = raise(step, 'there is no branch');
    return fail(line, step) ? AGAIN : PENDING;
  }

  /** Those that have not started never will. */
  stop(): StepError | null {
    const { tail } = this;
    if (tail !== null) {
      for (let step = tail.link!; step !== tail; step = step.link!) this.active--;
      this.active--;
      drop(this);
    }
    return null;
  }

  branchLeft(branch: HostedLine): number {
    branch.bits = CLOSED;
    branch.tail = null;
    branch.latch = null;
    clearResults(branch);
    return --this.active;
  }

  branchFailed(branch: HostedLine, error: StepError): Closing | null {
    const { host } = branch;
    if (this.mode !== ANY) return new Closing(host, error);
    const active = this.branchLeft(branch);
    branch.latch = error;
    if (active !== 0) return null;
    const all = raisedBy(host, errors.AllFailed);
    for (let { first } = this; first !== null; first = first.sibling) {
      join(all, raiseAt(first.latch as StepError, null, 0));
    }
    return new Closing(host, all);
  }
}

export interface Branch extends HostedLine {}

/** A branch of a parallel step. */
// biome-ignore lint/suspicious/noUnsafeDeclarationMerging: its constructor makes all that a line has
export class Branch implements HostedLine {
  declare readonly host: Step;
  declare sibling: Branch | null;

  constructor(host: Step) {
    this.bits = INNER;
    this.tail = null;
    this.flow = host.line.flow;
    this.top = null;
    this.slot = -1;
    this.results = 0;
    this.value = undefined;
    this.latch = null;
    this.holds = null;
    this.deadline = host.line.deadline;
    this.host = host;
    this.sibling = null;
  }

  turn(): void {
    const { host } = this;
    const branches: Branches = host.work;
    const { tool } = host.line.flow.settings;
    let branch: Branch = this;
    do {
      turn(branch);
      if (branches.tail === null || branches.last !== branch) return;
      const again = (branch.bits & CLOSED) !== 0 && branches.mode !== ANY;
      branch = toStart(branches, again ? branch : new Branch(host));
    } while (tool.fuel > 0 && tool.batches);
    tool.queue.unshift(branch);
  }

  /** It has no step left. */
  end(): void {
    const { host, results, value } = this;
    const { line } = host;
    const branches: Branches = host.work;
    const active = branches.branchLeft(this);
    if (branches.mode !== ALL) {
      line.results = results;
      line.value = value;
      unwind(line, null, new Closing(host, null), null);
    } else if (active === 0) {
      line.flow.settings.tool.enqueue(line);
    }
  }
}

function toStart(branches: Branches, branch: Branch): Branch {
  const tail = branches.tail!;
  const step = tail.link!;
  if (step === tail) branches.tail = null;
  else tail.link = step.link;
  step.bits |= BRANCH;
  step.link = step;
  branch.bits = INNER;
  branch.tail = step;
  const { last } = branches;
  if (last === null) branches.first = branch;
  else if (last !== branch) last.sibling = branch;
  branches.last = branch;
  return branch;
}
