// Branches of a step: lines of the same flow, each with one outermost step. Those of `parallel()` of an accessor are queued steps of it
// until it opens, those of a value are queued then. Till each of them starts they are steps in `tail`.
//
// - Of the branches that have not started only the first is a line, and stands in the queue for all of them. After its first turn
//   the next one takes its place at the head, so they run in order with nothing in between; a line that has ended by then serves
//   the next one too.

import type { StepError } from './error.js';
import { AGAIN, type HostedLine, type Hosts, type Kind, PENDING } from './kind.js';
import { BRANCH, CLOSED, FREE, HOSTS, INNER, OPENS } from './phase.js';
import { clearResults, copyResults, firstOf, type Slot } from './results.js';
import { turn } from './run.js';
import type { Step } from './step.js';
import { Closing, drop, type Line, openInner } from './tree.js';
import { unwind } from './unwind.js';

export const BRANCHES = OPENS | FREE | HOSTS;

export class Branches implements Kind, Hosts, Slot {
  /** Those that have not started. */
  declare tail: Step | null;
  declare first: Branch | null;
  declare last: Branch | null;
  declare active: number;
  declare closing: Closing | null;
  /** What its step finds, for each branch; see `Described`. */
  declare results: number;
  declare value: unknown;

  constructor() {
    this.results = 0;
    this.value = undefined;
    this.tail = null;
    this.first = null;
    this.last = null;
    this.active = 0;
    this.closing = null;
  }

  get kind(): string {
    return 'parallel';
  }

  open(line: Line, step: Step): number {
    openInner(line, step);
    this.tail = step.tail;
    this.active = step.count;
    step.tail = null;
    step.count = 0;
    if (this.tail !== null) step.line.flow.settings.tool.enqueue(toStart(this, new Branch(step)));
    return this.active === 0 ? AGAIN : PENDING;
  }

  /** A branch has no step left. */
  branchEnded(branch: Branch): void {
    const { line } = branch.host;
    if (this.leftWith(branch, firstOf(branch)) === 0) line.flow.settings.tool.enqueue(line);
  }

  /** The line of a branch that has ended serves the next one. */
  isFree({ bits }: Branch): boolean {
    return (bits & CLOSED) !== 0;
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

  /** It has ended with ok. */
  leftWith(branch: Branch, _value: unknown): number {
    return this.branchLeft(branch);
  }

  branchLeft(branch: HostedLine): number {
    branch.bits = CLOSED;
    branch.tail = null;
    branch.latch = null;
    clearResults(branch);
    return --this.active;
  }

  branchFailed({ host }: HostedLine, error: StepError): Closing | null {
    return new Closing(host, error);
  }
}

export interface Branch extends HostedLine {}

/** A branch of a parallel step. */
// biome-ignore lint/suspicious/noUnsafeDeclarationMerging: its constructor makes all that a line has
export class Branch implements HostedLine {
  declare readonly host: Step;
  declare sibling: Branch | null;
  declare index: number;

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
    this.index = 0;
  }

  turn(): void {
    const { host } = this;
    const branches: Branches = host.work;
    const { tool } = host.line.flow.settings;
    let branch: Branch = this;
    do {
      turn(branch);
      if (branches.tail === null || branches.last !== branch) return;
      branch = toStart(branches, branches.isFree(branch) ? branch : new Branch(host));
    } while (tool.fuel > 0 && tool.batches);
    tool.queue.unshift(branch);
  }

  /** It has no step left. */
  end(): void {
    (this.host.work as Branches).branchEnded(this);
  }
}

/** The first of its step has ended with ok: its values are the step's, the others are closed. */
export function win(branches: Branches, branch: Branch): void {
  const { host } = branch;
  copyResults(host.line, branch);
  branches.branchLeft(branch);
  unwind(host.line, null, new Closing(host, null), null);
}

/** The next one, as a line that isn't queued yet. */
export function toStart(branches: Branches, branch: Branch): Branch {
  const tail = branches.tail!;
  const step = tail.link!;
  if (step === tail) branches.tail = null;
  else tail.link = step.link;
  step.bits |= BRANCH;
  step.link = step;
  branch.bits = INNER;
  branch.tail = step;
  branch.index = step.index;
  copyResults(branch, branches);
  const { last } = branches;
  if (last === null) branches.first = branch;
  else if (last !== branch) last.sibling = branch;
  branches.last = branch;
  return branch;
}
